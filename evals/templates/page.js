"use strict";
// What every report does: tables sort by their headings, and what is folded is open on paper.
const byId = (id) => document.getElementById(id);
const element = (tag, className, ...content) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...content);
  return node;
};
const collator = new Intl.Collator("en", { numeric: true });
// What has no value is last, whichever way one sorts.
const ordered = (a, b, descending) => {
  if (a === null || b === null) return (a === null) - (b === null);
  return (descending ? -1 : 1) * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
};
const sortHeading = (head, sort) => {
  const button = element("button", "", ...head.childNodes);
  button.type = "button";
  button.addEventListener("click", () => sort(head.getAttribute("aria-sort") === "ascending"));
  head.replaceChildren(button);
};
const markSorted = (heads, index, descending) => heads.forEach((head, place) => {
  if (place === index) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  else head.removeAttribute("aria-sort");
});

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  // A group of rows sorts as one, by its first row: the lead system's.
  const groups = table.classList.contains("grouped");
  const items = groups ? [...table.tBodies] : [...table.tBodies[0].rows];
  const value = (item, index) => {
    const cell = (groups ? item.rows[0] : item).cells[index];
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (text === "" || text === "–") return null;
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
  };
  heads.forEach((head, index) => {
    if (head.dataset.fixed !== undefined) return;
    sortHeading(head, (descending) => {
      const sorted = items.map((item, place) => [value(item, index), place])
        .sort((a, b) => ordered(a[0], b[0], descending) || a[1] - b[1])
        .map(([, place]) => items[place]);
      (groups ? table : table.tBodies[0]).append(...sorted);
      markSorted(heads, index, descending);
    });
  });
});

let folded = [];
window.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((node) => { node.open = true; });
});
window.addEventListener("afterprint", () => folded.forEach((node) => { node.open = false; }));
