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
