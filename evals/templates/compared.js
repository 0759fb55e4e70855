(() => {
  const { lead, systems, measures, units, rows } = JSON.parse(byId("data").textContent);
  const BROKE = 7;
  const OLD = 0, NEW = 1;
  const difference = (row, measure) => Math.round((row[VALUES][measure][NEW] - row[VALUES][measure][OLD]) * 1000) / 1000;
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(3);
  const turned = (value) => (value < 0 ? "miss" : value > 0 ? "hit" : "");
  const side = (title, place) => ({
    title,
    key: (row) => row[VALUES][0][place],
    cell: (row) => element("td", "num", figure(row[VALUES][0][place])),
  });
  const columns = [side("Old", OLD), side("New", NEW), {
    title: "Difference",
    key: (row) => difference(row, 0),
    cell: (row) => element("td", `num ${turned(difference(row, 0))}`, signed(difference(row, 0))),
  }, {
    title: "What broke it",
    num: false,
    key: (row) => row[BROKE]?.[0] ?? null,
    cell: (row) => element("td", "broke", row[BROKE]?.[0] ?? ""),
  }];
  const fell = ([before, now]) => (before !== now && (now === 0 || (before !== 0 && now > before)));
  const moved = (pair) => element("td", `num ${pair[0] === pair[1] ? "muted" : fell(pair) ? "miss" : "hit"}`,
    pair[0] === pair[1] ? rankOf(pair[0]) : `${rankOf(pair[0])} → ${rankOf(pair[1])}`);

  const measured = (row) => [titled(`Measures of ${lead}`, "Measures of this query",
    [["Measure"], ["Old", "num"], ["New", "num"], ["Difference", "num"]],
    measures.map((name, index) => element("tr", "", rowHead("", name), ...row[VALUES][index].map((value) => element("td", "num", figure(value))),
      element("td", `num ${turned(difference(row, index))}`, signed(difference(row, index))))))];
  const broke = (row) => row[BROKE] ? [element("p", "broken",
    element("strong", "", "What broke it: "), `${row[BROKE][0]}, for `, element("span", "unit", units[row[BROKE][1]]))] : [];
  const gold = (row) => [titled("Gold, old → new", "Gold units",
    [["Unit"], ["Grade", "num"], ...systems.map((system) => [system, "num"])],
    row[GOLD].map(([unit, grade, pairs]) => element("tr", "", rowHead("unit", units[unit]), element("td", "num", String(grade)),
      ...pairs.map(moved))),
    "The rank in each system, before and after; – was not retrieved, and one figure did not change.")];

  const shows = {
    lost: (row) => difference(row, 0) < 0,
    won: (row) => difference(row, 0) > 0,
    "gold moved": (row) => row[GOLD].some(([, , pairs]) => pairs.some(([before, now]) => before !== now)),
  };
  // The greatest losses first: what a reviewer came for.
  queries(rows, units, { columns, sorted: 2, shows, sections: [broke, measured, gold] });
})();
