/**
 * Saved tables. All of a kind have the same columns, so that those of many recordings can be joined: where something was
 * measured (recording, scene, position, band or region, channel), then what.
 */
import { formatTableUnit, placeAlong, roundToDigits } from "./axes.ts";
import type { Baseline } from "./light/baseline.ts";
import { makeColumnName, type Measurement, type ScanSampling } from "./measurement.ts";
import type { Column, Row } from "./csv.ts";
import type { Edited } from "./recording.ts";

/** A result with the names of its region and channel. */
export interface NamedResult extends Edited {
  region: string;
  channel: string;
}

type NamedFacts = [name: string, value: string | number][];

/** Where a plane lies in a file; time point, focus plane and wavelength from 1, null for several together. */
export interface TableOrigin {
  recording: string;
  scene: string;
  timePoint: number | null;
  focusPlane: number | null;
  wavelength: number | null;
}

/** The scene of a file that has only one. */
export const ONLY_SCENE = "Scene 1";

/** The place by the columns that begin every saved table. */
const PLACE: Readonly<Record<string, keyof TableOrigin>> = {
  Recording: "recording",
  Scene: "scene",
  "Time point": "timePoint",
  "Focus plane": "focusPlane",
  Wavelength: "wavelength",
};

/** Names of what was measured; they follow the place. */
const MEASURED = ["Band", "Region", "Channel"];

/** A table that begins with its place; a column of that name, with places of each row, moves there. */
export function prependPlace(place: TableOrigin, columns: readonly Column[]): Column[] {
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  const own = (name: string) => columns.filter((column) => column.name === name && !column.unit);
  const first = Object.entries(PLACE).map(([name, key]) =>
    own(name)[0] ?? { name, values: new Array<string | number | null>(length).fill(place[key]) }
  );
  const left = [...first, ...MEASURED.flatMap((name) => own(name).slice(0, 1))];
  return [...left, ...columns.filter((column) => !left.includes(column))];
}

/** The table that several tables of a kind make together: their rows below each other. */
export function joinTables(tables: readonly (readonly Column[])[]): Column[] {
  const names = new Map(
    tables.flat().map(({ name, unit }) => [JSON.stringify([name, unit]), { name, unit }]),
  );
  const measured = tables.map((columns) => ({
    columns,
    length: Math.max(0, ...columns.map(({ values }) => values.length)),
  }));
  return [...names.values()].map(({ name, unit }) => ({
    name,
    ...unit !== undefined && { unit },
    values: measured.flatMap(({ columns, length }) => {
      const own = columns.find((column) => column.name === name && column.unit === unit);
      return Array.from({ length }, (_, row) => own?.values[row] ?? null);
    }),
  }));
}

/** Items of all results below each other. */
export function makeResultColumns(
  measurement: Measurement,
  results: readonly NamedResult[],
  { axes, noun = "band" }: { axes: ScanSampling; noun?: "band" | "region" },
): Column[] {
  const named = (name: string, of: (result: NamedResult) => string): Column => ({
    name,
    values: results.flatMap((result) => result.items.map(() => of(result))),
  });
  return [
    named(noun === "band" ? "Band" : "Region", ({ region }) => region),
    named("Channel", ({ channel }) => channel),
    ...measurement.columns(results.flatMap(({ items }) => items), axes),
  ];
}

/** A trace with the names of its band and channel. */
export interface NamedTrace {
  band: string;
  channel: string;
  values: Float64Array;
  f0: Pick<Baseline, "level" | "course">;
}

/** The lines of all traces below each other. @param isChange whether values are ΔF/F₀ */
export function makeTraceColumns(
  traces: readonly NamedTrace[],
  time: { step: number; unit: string },
  isChange: boolean,
  noun: "band" | "region" = "band",
): Column[] {
  const each = <Value>(of: (trace: NamedTrace, line: number) => Value) =>
    traces.flatMap((trace) => Array.from(trace.values, (_, line) => of(trace, line)));
  return [
    ...noun === "band" ? [{ name: "Band", values: each(({ band }) => band) }] : [
      { name: "Time point", values: each((_, line) => line + 1) },
      { name: "Region", values: each(({ band }) => band) },
    ],
    { name: "Channel", values: each(({ channel }) => channel) },
    { name: "Time", unit: formatTableUnit(time), values: each((_, line) => placeAlong(line, time)) },
    { name: isChange ? "dF/F0" : "Mean", values: each(({ values }, line) => values[line]!) },
    { name: "F0", values: each(({ f0 }, line) => f0.course?.[line] ?? f0.level) },
  ];
}

/** A table of curves, with a column for each channel, as one with a row for each value. */
export function makeCurveColumns(
  [along, ...curves]: readonly Column[],
  region: string,
  name: string,
): Column[] {
  if (along === undefined) return [];
  const { length } = along.values;
  const each = <Value>(of: (curve: Column, i: number) => Value) =>
    curves.flatMap((curve) => Array.from({ length }, (_, i) => of(curve, i)));
  return [
    { name: "Region", values: each(() => region) },
    { name: "Channel", values: each((curve) => curve.name) },
    { ...along, values: each((_, i) => along.values[i] ?? null) },
    { name, values: each(({ values }, i) => values[i] ?? null) },
  ];
}

/** The means of a part as {@linkcode makeCurveColumns}, with the place of each image on the axis. */
export function makeImageColumns(columns: readonly Column[], region: string, axis: "T" | "Z"): Column[] {
  const made = makeCurveColumns(columns, region, "Mean");
  const count = columns[0]?.values.length ?? 0;
  const name = axis === "T" ? "Time point" : "Focus plane";
  const [first] = made;
  if (first === undefined) return [];
  return [{ name, values: Array.from({ length: first.values.length }, (_, i) => i % count + 1) }, ...made];
}

/** Columns that give reasons; they end a table of recordings. */
const REASONS = ["Not measured", "Note", "Error", "Failure"];

/** A table of summaries, whose rows may have columns of their own, such as velocities in other units. */
export function makeRecordingColumns(rows: readonly Row[]): Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const kinds = ["Band", "Region"].filter((name) => names.has(name));
  const first = [...Object.keys(PLACE), ...kinds.length > 0 ? kinds : ["Band"], "Channel"];
  const others = [...names].filter((name) =>
    name !== "File" && !first.includes(name) && !REASONS.includes(name)
  );
  const all = [...first, ...others, ...REASONS.filter((name) => names.has(name))];
  return all.map((name) => ({ name, values: rows.map((row) => findRowValue(row, name)) }));
}

/** A value of a row; the rows of an opened recording have a place. */
function findRowValue(row: Row, name: string): string | number | null {
  const isOpened = row["Path"] !== undefined && row["Failure"] === undefined;
  if (name === "Recording") return row["File"] ?? null;
  if (name === "Channel") return row[name] ?? row["Channel of trace"] ?? null;
  if (!isOpened || !Object.hasOwn(PLACE, name)) return row[name] ?? null;
  // Means over all images along an axis have no place on it.
  if (row["Over"] === "Time" && name === "Time point" || row["Over"] === "Focus" && name === "Focus plane") {
    return null;
  }
  return row[name] ?? (name === "Scene" ? ONLY_SCENE : 1);
}

/** Settings of all results: once where they agree, else with the region. */
export const mergeResultSettings = (results: readonly NamedResult[]): NamedFacts =>
  mergeFacts(results, ({ result: { about } }) => about);

/** Summaries of all results. */
export const listResultSummaries = (results: readonly NamedResult[]): NamedFacts =>
  mergeFacts(results, ({ quantities }) =>
    quantities.map((quantity) => {
      const { value } = quantity;
      return [makeColumnName(quantity), typeof value === "number" ? roundToDigits(value, 6) : value];
    }), true);

/** @param isOwn whether equal values are stated for each result, too */
function mergeFacts(
  results: readonly NamedResult[],
  factsOf: (result: NamedResult) => NamedFacts,
  isOwn = false,
): NamedFacts {
  const [first, ...others] = results.map(factsOf);
  if (first === undefined) return [];
  if (others.length === 0) return first;
  const names = [...new Set([first, ...others].flat().map(([name]) => name))];
  return names.flatMap((name) => {
    const all = results.map((result) => ({
      result,
      fact: factsOf(result).find(([other]) => other === name),
    }));
    const values = new Set(all.map(({ fact }) => fact?.[1]));
    if (!isOwn && values.size === 1) {
      return [[
        name,
        first.find(([other]) => other === name)![1],
      ]] as NamedFacts;
    }
    return all.flatMap(({ result, fact }): NamedFacts =>
      fact === undefined ? [] : [[`${name}, ${labelResult(result, results)}`, fact[1]]]
    );
  });
}

/** Region, and channel if results are of several. */
export const labelResult = ({ region, channel }: NamedResult, results: readonly NamedResult[]): string =>
  new Set(results.map((other) => other.channel)).size > 1 ? `${region} · ${channel}` : region;
