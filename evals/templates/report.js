(() => {
  const { systems, rows } = pageData();
  const VALUES = 6;
  const shown = (value) => (value === null ? "no gold" : value.toFixed(3));
  // The first system's worst answers first: what a reader came for.
  queryTable(rows, systems.map((system, index) => ({
    title: system,
    key: (row) => row[VALUES][index],
    text: (row) => shown(row[VALUES][index]),
    rank: (ranks) => ranks[index],
  })), 0);
})();
