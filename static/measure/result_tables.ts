/** Tables of the results of one measurement in several regions and channels; one result needs no columns to tell them apart. */
import { significant } from "./axes.ts";
import { type Axes, columnName, type Measurement } from "./measurement.ts";
import type { Column } from "./csv.ts";
import type { Edited } from "./recording.ts";

/** A result with the names of its region and channel. */
export interface Named extends Edited {
  region: string;
  channel: string;
}

/** Facts above a table. */
type Facts = [name: string, value: string | number][];

/** Items of all results below each other, with columns for band and channel if there are several results. */
export function resultColumns(measurement: Measurement, results: readonly Named[], axes: Axes): Column[] {
  const columns = measurement.columns(results.flatMap(({ items }) => items), axes);
  if (results.length < 2) return columns;
  const named = (name: string, of: (result: Named) => string): Column => ({
    name,
    values: results.flatMap((result) => result.items.map(() => of(result))),
  });
  return [named("Band", ({ region }) => region), named("Channel", ({ channel }) => channel), ...columns];
}

/** Settings of all results: once where they agree, else with the region. */
export const resultSettings = (results: readonly Named[]): Facts =>
  together(results, ({ result: { about } }) => about);

/** Summaries of all results. */
export const resultSummaries = (results: readonly Named[]): Facts =>
  together(results, ({ quantities }) =>
    quantities.map((quantity) => {
      const { value } = quantity;
      return [columnName(quantity), typeof value === "number" ? significant(value, 6) : value];
    }), true);

/** @param isOwn whether equal values are stated for each result, too */
function together(results: readonly Named[], factsOf: (result: Named) => Facts, isOwn = false): Facts {
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
    if (!isOwn && values.size === 1) return [[name, first.find(([other]) => other === name)![1]]] as Facts;
    return all.flatMap(({ result, fact }): Facts =>
      fact === undefined ? [] : [[`${name}, ${labelOf(result, results)}`, fact[1]]]
    );
  });
}

/** Region, and channel if results are of several. */
export const labelOf = ({ region, channel }: Named, results: readonly Named[]): string =>
  new Set(results.map((other) => other.channel)).size > 1 ? `${region} · ${channel}` : region;
