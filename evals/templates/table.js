"use strict";
// A table of queries: filter, class, sort and pages. A row is [id, class, cluster, text, apart, gold, values], a gold unit
// [unit, grade, ranks] with rank 0 for what was not retrieved. A column has a title, a key to sort by, the text of a row and,
// if ranks stand below it, the rank of a gold unit.
const pageData = () => JSON.parse(document.getElementById("data").textContent);
const queryTable = (rows, columns, sortedBy) => {
  const PAGE = 50;
  const LINES = 6;
  const [ID, CLASS, CLUSTER, TEXT, APART, GOLD] = [0, 1, 2, 3, 4, 5];
  const heading = [
    { title: "Query", key: (row) => row[TEXT] },
    { title: "Class", key: (row) => row[CLASS] },
    { title: "Gold", key: (row) => row[GOLD].length },
    ...columns,
  ];
  const haystacks = rows.map((row) =>
    [row[ID], row[CLASS], row[CLUSTER], row[TEXT], ...row[GOLD].map((gold) => gold[0])].join("\n").toLowerCase());
  const expanded = new Set();
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const state = { column: 3 + sortedBy, descending: false, page: 0, filter: "", chosen: "" };

  const byId = (id) => document.getElementById(id);
  const element = (tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  const selected = () => {
    const needle = state.filter.trim().toLowerCase();
    const { key } = heading[state.column];
    const sign = state.descending ? -1 : 1;
    return rows.map((row, index) => index)
      .filter((index) => (!needle || haystacks[index].includes(needle)) && (!state.chosen || rows[index][CLASS] === state.chosen))
      .sort((left, right) => {
        const [a, b] = [key(rows[left]), key(rows[right])];
        if (a === null || b === null) return (a === null) - (b === null) || left - right;
        return sign * (typeof a === "number" ? a - b : compare(a, b)) || left - right;
      });
  };

  const line = (className, text) => element("span", className, text);

  const drawRow = (index) => {
    const row = rows[index];
    const shown = expanded.has(index) ? row[GOLD] : row[GOLD].slice(0, LINES);
    const out = element("tr");
    const ask = element("td", "ask", row[TEXT]);
    ask.append(element("span", "unit", `${row[ID]} · ${row[CLUSTER]}`));
    const gold = element("td", "lines");
    gold.append(line("", row[GOLD].length === 1 ? "1 unit" : `${row[GOLD].length} units`));
    for (const [unit, grade] of shown) {
      const name = line("unit", grade > 1 ? `${unit} (grade ${grade})` : unit);
      name.title = unit;
      gold.append(name);
    }
    if (row[GOLD].length > LINES) {
      const more = element("button", "more", expanded.has(index) ? "show fewer" : `show all ${row[GOLD].length}`);
      more.type = "button";
      more.setAttribute("aria-expanded", String(expanded.has(index)));
      more.addEventListener("click", () => {
        if (!expanded.delete(index)) expanded.add(index);
        const fresh = drawRow(index);
        out.replaceWith(fresh);
        fresh.querySelector(".more").focus();
      });
      gold.append(more);
    }
    out.append(ask, element("td", "", row[APART] ? `${row[CLASS]} (apart)` : row[CLASS]), gold);
    for (const column of columns) {
      const cell = element("td", "lines num");
      cell.append(line("", column.text(row)));
      for (const [, , ranks] of column.rank ? shown : []) {
        const rank = column.rank(ranks);
        cell.append(line(rank === 0 ? "miss" : rank <= 10 ? "hit" : "", rank === 0 ? "–" : String(rank)));
      }
      out.append(cell);
    }
    return out;
  };

  const draw = () => {
    const found = selected();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const start = state.page * PAGE;
    const visible = found.slice(start, start + PAGE);
    document.querySelector("#rows tbody").replaceChildren(...visible.map(drawRow));
    document.querySelectorAll("#rows thead th").forEach((head, index) => {
      if (index === state.column) head.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const number = (value) => value.toLocaleString("en");
    byId("count").textContent = found.length === rows.length
      ? `${number(rows.length)} queries` : `${number(found.length)} of ${number(rows.length)} queries`;
    byId("page").textContent = found.length ? `${number(start + 1)} to ${number(start + visible.length)}` : "none";
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page >= pages - 1;
  };

  const heads = element("tr");
  heading.forEach((column, index) => {
    const head = element("th", column.text ? "num" : "");
    head.scope = "col";
    const button = element("button", "", column.title);
    button.type = "button";
    button.addEventListener("click", () => {
      state.descending = state.column === index && !state.descending;
      state.column = index;
      state.page = 0;
      draw();
    });
    head.append(button);
    heads.append(head);
  });
  document.querySelector("#rows thead").append(heads);
  for (const name of [...new Set(rows.map((row) => row[CLASS]))].sort(compare)) {
    const option = element("option", "", name);
    option.value = name;
    byId("class").append(option);
  }
  const restart = (key) => (event) => {
    state[key] = event.target.value;
    state.page = 0;
    draw();
  };
  byId("filter").addEventListener("input", restart("filter"));
  byId("class").addEventListener("change", restart("chosen"));
  byId("previous").addEventListener("click", () => { state.page -= 1; draw(); });
  byId("next").addEventListener("click", () => { state.page += 1; draw(); });
  document.querySelectorAll("[hidden]").forEach((node) => { node.hidden = false; });
  draw();
};
