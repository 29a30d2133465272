/** Tables that the page saves as CSV. */

/** Cells of a line of a table, quoted ones too. */
const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted?.replaceAll('""', '"') ?? plain!
  );

/** Parts of a saved table: settings, head and rows, and the cells of a column. */
export function tableOf(text: string) {
  const [above, below] = text.replace("\ufeff", "").split("\r\n\r\n");
  const [head, ...rows] = below!.trimEnd().split("\r\n").map(cellsOf);
  return {
    about: new Map(above!.split("\r\n").map((line) => cellsOf(line) as [string, string])),
    head: head!,
    rows,
    column: (name: string) => rows.map((row) => row[head!.indexOf(name)]!),
  };
}

/** The rows of one band and channel of a table, as a table of them alone has them; a table of one result names neither. */
export function rowsOf(
  { head, rows }: ReturnType<typeof tableOf>,
  of: { Band?: string; Channel?: string } = { Band: "Band 1" },
): string[][] {
  if (head[0] !== "Band") return rows;
  return rows.filter((row) => Object.entries(of).every(([name, value]) => row[head.indexOf(name)] === value))
    .map((row) => row.slice(2));
}
