// The list of queries, and a page for each of them at #query=<id>. `view` says what a report shows of a row:
//   columns: {title, key, cells} of the list, after query, class and gold
//   sorted: the column that comes first
//   shows: {name: predicate}, what can be asked for beside class and words
//   sections: functions of a row that give nodes for its page
const ID = 0, CLASS = 1, CLUSTER = 2, TEXT = 3, APART = 4, GOLD = 5, VALUES = 6;
const NEAR = 10;
const number = (value) => value.toLocaleString("en");
const figure = (value) => (value === null ? "–" : value.toFixed(3));
const rankOf = (rank) => (rank === 0 ? "–" : String(rank));
const rankClass = (rank) => (rank === 0 ? "miss" : rank <= NEAR ? "hit" : "");
const rankCell = (rank) => element("td", `num ${rankClass(rank)}`, rankOf(rank));
const headRow = (titles) => element("tr", "", ...titles.map(([title, className]) => {
  const head = element("th", className ?? "", title);
  head.scope = "col";
  return head;
}));
const titled = (title, label, heads, rows, note) => {
  const scroll = element("div", "scroll", element("table", "", element("thead", "", headRow(heads)), element("tbody", "", ...rows)));
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", label);
  return element("section", "", element("h3", "", title), scroll, ...(note ? [element("p", "note", note)] : []));
};
const rowHead = (className, ...content) => {
  const head = element("th", className, ...content);
  head.scope = "row";
  return head;
};

const queries = (rows, units, view) => {
  const PAGE = 25;
  const main = byId("main");
  const title = document.title;
  const heading = [
    { title: "Query", key: (row) => row[TEXT] },
    { title: "Class", key: (row) => row[CLASS] },
    { title: "Gold", key: (row) => row[GOLD].length, num: true },
    ...view.columns.map((column) => ({ num: true, ...column })),
  ];
  const haystacks = rows.map((row) =>
    [row[ID], row[CLASS], row[CLUSTER], row[TEXT], ...row[GOLD].map((gold) => units[gold[0]])].join("\n").toLowerCase());
  const places = new Map(rows.map((row, index) => [row[ID], index]));
  const state = { column: 3 + view.sorted, descending: false, page: 0, filter: "", chosen: "", shown: "" };
  const address = (row) => `#query=${encodeURIComponent(row[ID])}`;
  const className = (row) => (row[APART] ? `${row[CLASS]} (apart)` : row[CLASS]);
  const link = (row, ...content) => {
    const node = element("a", "", ...content);
    node.href = address(row);
    return node;
  };

  const selected = () => {
    const needle = state.filter.trim().toLowerCase();
    const { key } = heading[state.column];
    const wanted = view.shows[state.shown] ?? (() => true);
    return rows.map((row, index) => index)
      .filter((index) => (!needle || haystacks[index].includes(needle))
        && (!state.chosen || rows[index][CLASS] === state.chosen) && wanted(rows[index]))
      .sort((left, right) => ordered(key(rows[left]), key(rows[right]), state.descending) || left - right);
  };

  const drawRow = (index) => {
    const row = rows[index];
    // A narrow screen has no column for the class.
    const place = element("span", "unit", `${row[ID]} · ${row[CLUSTER]}`, element("span", "small", ` · ${className(row)}`));
    const ask = element("td", "ask", link(row, row[TEXT] || row[ID]), place);
    return element("tr", "", ask, element("td", "", className(row)), element("td", "num", String(row[GOLD].length)),
      ...view.columns.map((column) => column.cell(row)));
  };

  const drawList = (all) => {
    const found = selected();
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const start = all ? 0 : state.page * PAGE;
    const visible = all ? found : found.slice(start, start + PAGE);
    byId("rows").tBodies[0].replaceChildren(...visible.map(drawRow));
    markSorted([...byId("rows").tHead.rows[0].cells], state.column, state.descending);
    byId("count").textContent = found.length === rows.length
      ? `${number(rows.length)} queries` : `${number(found.length)} of ${number(rows.length)} queries`;
    byId("page").textContent = found.length ? `${number(start + 1)} to ${number(start + visible.length)}` : "none";
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page >= pages - 1;
  };

  const drawPage = (row) => {
    const order = selected();
    const place = order.indexOf(places.get(row[ID]));
    const back = element("a", "", "All queries");
    back.href = "#list";
    const steps = [[-1, "Previous"], [1, "Next"]].filter(([step]) => place >= 0 && order[place + step] !== undefined)
      .map(([step, text]) => link(rows[order[place + step]], text));
    const nav = element("nav", "steps", back, ...steps);
    nav.setAttribute("aria-label", "Queries");
    const head = element("h2", "question", row[TEXT] || row[ID]);
    head.id = "query";
    head.tabIndex = -1;
    const facts = element("p", "facts", element("code", "", row[ID]),
      ...[className(row), `cluster ${row[CLUSTER]}`].map((text) => element("span", "", text)));
    const page = element("section", "", nav, head, facts, ...view.sections.flatMap((section) => section(row)));
    page.id = "one";
    page.setAttribute("aria-labelledby", "query");
    byId("one")?.remove();
    main.append(page);
    document.body.classList.add("reading");
    document.title = `${row[TEXT] || row[ID]} · ${title}`;
    window.scrollTo(0, 0);
    head.focus({ preventScroll: true });
  };

  const route = () => {
    const found = location.hash.startsWith("#query=")
      ? rows[places.get(decodeURIComponent(location.hash.slice("#query=".length)))] : undefined;
    if (found) {
      drawPage(found);
      return;
    }
    const left = byId("one");
    if (!left) return;
    left.remove();
    document.body.classList.remove("reading");
    document.title = title;
    byId("list").scrollIntoView();
  };

  byId("rows").tHead.append(headRow(heading.map((column) => [column.title, column.num ? "num" : ""])));
  [...byId("rows").tHead.rows[0].cells].forEach((head, index) => sortHeading(head, (descending) => {
    Object.assign(state, { descending, column: index, page: 0 });
    drawList();
  }));
  const option = (select, value, text) => {
    const node = element("option", "", text);
    node.value = value;
    select.append(node);
  };
  [...new Set(rows.map((row) => row[CLASS]))].sort(collator.compare).forEach((name) => option(byId("class"), name, name));
  option(byId("show"), "", "all");
  Object.keys(view.shows).forEach((name) => option(byId("show"), name, name));
  const restart = (key) => (event) => {
    Object.assign(state, { [key]: event.target.value, page: 0 });
    drawList();
  };
  byId("filter").addEventListener("input", restart("filter"));
  byId("class").addEventListener("change", restart("chosen"));
  byId("show").addEventListener("change", restart("shown"));
  const turn = (pages) => () => {
    state.page += pages;
    drawList();
  };
  byId("previous").addEventListener("click", turn(-1));
  byId("next").addEventListener("click", turn(1));
  window.addEventListener("hashchange", route);
  // Paper has no pages to turn: it gets all that is selected.
  window.addEventListener("beforeprint", () => drawList(true));
  window.addEventListener("afterprint", () => drawList());
  document.querySelectorAll("[hidden]").forEach((node) => { node.hidden = false; });
  drawList();
  route();
};
