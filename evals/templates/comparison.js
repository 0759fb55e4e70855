(() => {
  const { rows } = pageData();
  const [OLD, NEW, DIFFERENCE] = [0, 1, 2];
  const VALUES = 6;
  const side = (title, place) => ({
    title,
    key: (row) => row[VALUES][place],
    text: (row) => row[VALUES][place].toFixed(3),
    rank: (ranks) => ranks[place],
  });
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(3);
  const difference = {
    title: "Difference",
    key: (row) => row[VALUES][DIFFERENCE],
    text: (row) => signed(row[VALUES][DIFFERENCE]),
  };
  // The greatest losses first: what a reviewer came for.
  queryTable(rows, [side("Old", OLD), side("New", NEW), difference], DIFFERENCE);
})();
