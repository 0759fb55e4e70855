(() => {
  const { systems, measures, primary, units, rows } = JSON.parse(byId("data").textContent);
  const TOP = 7;
  const grades = (row) => new Map(row[GOLD].map(([unit, grade]) => [unit, grade]));
  const first = (row, system) => row[GOLD].map(([, , ranks]) => ranks[system]).filter((rank) => rank > 0)
    .reduce((a, b) => Math.min(a, b), Infinity);
  const rankHeads = systems.map((system) => [system, "num"]);

  const columns = systems.map((system, index) => ({
    title: system,
    key: (row) => row[VALUES][index]?.[primary] ?? null,
    cell: (row) => {
      if (!row[GOLD].length) return element("td", "num muted", "no gold");
      const rank = first(row, index);
      const found = rank === Infinity ? element("span", "interval miss", "not found") : element("span", "interval", `first at ${rank}`);
      return element("td", "num", figure(row[VALUES][index][primary]), found);
    },
  }));

  const measured = (row) => row[GOLD].length ? [titled("Measures", "Measures of this query",
    [["System"], ...measures.map((name) => [name, "num"])],
    systems.map((system, index) => element("tr", "", rowHead("", system),
      ...row[VALUES][index].map((value) => element("td", "num", figure(value))))))]
    : [element("p", "note", "Nothing in the corpus answers this question: it has no gold, and is in no mean.")];

  const gold = (row) => row[GOLD].length ? [titled("Gold, and where it was found", "Gold units",
    [["Unit"], ["Grade", "num"], ...rankHeads],
    row[GOLD].map(([unit, grade, ranks]) => element("tr", "", rowHead("unit", units[unit]), element("td", "num", String(grade)),
      ...ranks.map(rankCell))),
    "The rank in each system; – was not retrieved.")] : [];

  const top = (row) => {
    const known = grades(row);
    return row[TOP].length ? [titled(`First results of ${systems[0]}`, `First results of ${systems[0]}`,
      [["Rank", "num"], ["Unit"], ["Grade", "num"], ...rankHeads.slice(1)],
      row[TOP].map(([unit, ...ranks], place) => element("tr", known.has(unit) ? "gold" : "",
        element("td", "num", String(place + 1)), rowHead("unit", units[unit]),
        element("td", "num", known.has(unit) ? String(known.get(unit)) : "–"),
        ...ranks.map((rank) => element("td", "num", rankOf(rank))))),
      "With the rank that each arm alone gave it. Shaded: gold.")]
      : [element("p", "note", `${systems[0]} retrieved nothing.`)];
  };

  const shows = {
    "no gold in the first 10": (row) => row[GOLD].length > 0 && !(first(row, 0) <= NEAR),
    "without gold": (row) => row[GOLD].length === 0,
  };
  if (systems.length > 1) {
    shows[`an arm beats ${systems[0]}`] = (row) => row[GOLD].length > 0
      && row[VALUES].slice(1).some((values) => values[primary] > row[VALUES][0][primary]);
  }
  // The first system's worst answers first: what a reader came for.
  queries(rows, units, { columns, sorted: 0, shows, sections: [measured, gold, top] });
})();
