/** Tables that the page saves as CSV. */

/** Cells of a line of a table, quoted ones too. */
const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted?.replaceAll('""', '"') ?? plain!
  );

/** Columns that say where something was measured. */
const PLACES = [
  "Recording",
  "Scene",
  "Time point",
  "Focus plane",
  "Wavelength",
  "Band",
  "Region",
  "Channel",
];

type Cells = { head: string[]; rows: string[][] };

const without = ({ head, rows }: Cells, names: readonly string[]): Cells => {
  const kept = head.flatMap((name, i) => names.includes(name) ? [] : [i]);
  return { head: kept.map((i) => head[i]!), rows: rows.map((row) => kept.map((i) => row[i]!)) };
};

/**
 * A saved table: `all` its cells, `head` and `rows` those of what was measured without where, the cells of a column, and the
 * facts of the JSON file beside it.
 */
export function tableOf(text: string, companion = "{}") {
  const [head, ...rows] = text.replace("\ufeff", "").trimEnd().split("\r\n").map(cellsOf);
  const all = { head: head!, rows };
  const { recording, settings, summary } = JSON.parse(companion);
  const facts = [recording, settings, summary].flatMap((part) => Object.entries(part ?? {}))
    .map(([name, value]): [string, string] => [name, String(value ?? "")]);
  return {
    facts,
    about: new Map(facts),
    all,
    ...without(all, PLACES),
    column: (name: string) => rows.map((row) => row[head!.indexOf(name)]!),
  };
}

export type SavedTable = ReturnType<typeof tableOf>;

/** What was measured in one band and channel. */
export function rowsOf(
  { all: { head, rows } }: SavedTable,
  of: { Band?: string; Channel?: string } = { Band: "Band 1" },
): string[][] {
  const isOf = (row: string[]) =>
    Object.entries(of).every(([name, value]) => row[head.indexOf(name)] === value);
  return without({ head, rows: rows.filter(isOf) }, PLACES).rows;
}

/** A table of traces with a column for each trace, then one for each F₀ that moves. */
export function tracesIn({ column, head }: SavedTable): Cells {
  const [bands, channels, times] = [column("Band"), column("Channel"), column(head[0]!)];
  const [values, rests] = [column(head[1]!), column("F0")];
  const isOne = new Set(channels).size < 2;
  const names = bands.map((band, i) => isOne ? band : `${band} · ${channels[i]}`);
  const traces = [...new Set(names)].map((name) => {
    const at = names.flatMap((other, i) => other === name ? [i] : []);
    return { name, at, moves: new Set(at.map((i) => rests[i])).size > 1 };
  });
  const moving = traces.filter(({ moves }) => moves);
  return {
    head: [head[0]!, ...traces.map(({ name }) => name), ...moving.map(({ name }) => `F0 of ${name}`)],
    rows: traces[0]!.at.map((first, line) => [
      times[first]!,
      ...traces.map(({ at }) => values[at[line]!]!),
      ...moving.map(({ at }) => rests[at[line]!]!),
    ]),
  };
}

/** Settings and cells of a table without names of file and scene, which an archive changes. */
export const contentOf = ({ facts, all }: SavedTable) => ({
  about: facts.filter(([name]) => !["File", "Path", "Scene"].includes(name)),
  ...without(all, ["Recording", "Scene"]),
});
