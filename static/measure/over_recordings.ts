/**
 * Compares recordings: statistics of what was measured in each one, and of each folder. In a folder every recording counts
 * once, however many bands or items it has, since items of one recording depend on each other.
 */
import { showGreek } from "./axes.ts";
import { formatNumber, makeColumnName, type Measurement, type Quantity } from "./measurement.ts";
import { computeMean, computeStandardError, findPercentile } from "./traces.ts";
import type { Column, Row } from "./csv.ts";

/** Statistics of finite values; NaN if there are too few. */
export interface Statistics {
  n: number;
  mean: number;
  /** Standard error of the mean. */
  sem: number;
  median: number;
}

/** What was measured in one region and channel of a recording. */
export interface Compared extends Statistics {
  folder: string;
  recording: string;
  /** Identifies the recording. */
  path: string;
  region: string;
  channel: string;
  /** Title of the measurement. */
  measurement: string;
  /** Name of the value with its unit. */
  name: string;
  /** Percent of the time at rest; NaN unless it is a velocity. */
  rest: number;
}

/** One value per recording, from which folders are compared. */
export type Statistic = "mean" | "median" | "n";

/** A folder with the values of its recordings, and their statistics. */
export interface FolderGroup extends Statistics {
  folder: string;
  recordings: readonly { name: string; value: number }[];
  rest: number;
}

/** Where values were measured. */
export type ComparedPlace = Pick<Compared, "folder" | "recording" | "path">;

/** Statistics of the finite values. */
export function computeStatistics(values: ArrayLike<number>): Statistics {
  const all = Float64Array.from(values);
  const n = all.filter(Number.isFinite).length;
  return { n, mean: computeMean(all), sem: computeStandardError(all), median: findPercentile(all, 50) };
}

/** Name of the quantity that tells the share of rest. */
const REST = "Time at rest";

/** Amplitudes stand for events and sparks, whose first columns are the place and the raw value. */
const isAmplitude = ({ name }: Column) => /^Amplitude\b/.test(name);

/** Statistics of each column of numbers of a result, but for the time of its items; amplitudes come first. */
export function listCompared(
  place: ComparedPlace,
  { region, channel, measurement, columns, quantities }: {
    region: string;
    channel: string;
    measurement: string;
    columns: readonly Column[];
    quantities: readonly Quantity[];
  },
): Compared[] {
  const rest = Number(quantities.find(({ name }) => name === REST)?.value ?? NaN);
  const numbers = columns.slice(1).filter(({ values }) => isNumeric(values));
  numbers.sort((one, other) => Number(isAmplitude(other)) - Number(isAmplitude(one)));
  return numbers.map((column) => ({
    ...place,
    region,
    channel,
    measurement,
    name: makeColumnName(column),
    ...computeStatistics(Array.from(column.values, (value) => value === null ? NaN : Number(value))),
    rest,
  }));
}

/** Whether values are numbers or missing. */
const isNumeric = (values: ArrayLike<unknown>) =>
  Array.from(values).every((value) => value === null || typeof value === "number");

/** Values of the trace of a band, or of a part of an image, that a row has. */
const IN_ROWS: Readonly<Record<string, readonly string[]>> = {
  "Traces": ["Greatest value", "Mean", "Baseline F0"],
  "Images": [
    "Mean",
    "Greatest mean",
    "Least mean",
    "Mean of the projection",
    "Greatest value",
    "Baseline F0",
  ],
};

/** The values of a row of a table of recordings that are not statistics of items. */
export function listComparedInRow(place: ComparedPlace, row: Row): Compared[] {
  const isImage = row.Region !== undefined;
  const measurement = isImage ? "Images" : "Traces";
  return IN_ROWS[measurement]!.filter((name) => typeof row[name] === "number").map((name) => ({
    ...place,
    region: String((isImage ? row.Region : row.Band) ?? ""),
    channel: String((isImage ? row.Channel : row["Channel of trace"]) ?? ""),
    measurement,
    // Mean and F₀ come from the raw trace.
    name: name === "Greatest value" ? `${name} (${row.Trace})` : name,
    ...computeStatistics([row[name] as number]),
    rest: NaN,
  }));
}

/** The values that can be compared, each once, with the title of its measurement; those without a number are left out. */
export function listComparisons(all: readonly Compared[]): { measurement: string; name: string }[] {
  const choices = new Map<string, { measurement: string; name: string }>();
  for (const { measurement, name, n } of all) {
    if (n > 0) choices.set(identifyCompared({ measurement, name }), { measurement, name });
  }
  return [...choices.values()];
}

/** Identifies a value among {@linkcode listComparisons}. */
export const identifyCompared = ({ measurement, name }: { measurement: string; name: string }): string =>
  `${measurement}: ${name}`;

/**
 * Folders in the order of their first recording. A recording with several regions or channels counts with the mean of
 * their values.
 */
export function groupByFolder(all: readonly Compared[], statistic: Statistic): FolderGroup[] {
  const folders = Map.groupBy(all, ({ folder }) => folder);
  return [...folders].map(([folder, inFolder]) => {
    const recordings = [...Map.groupBy(inFolder, ({ path }) => path).values()].map((own) => ({
      name: own[0]?.recording ?? "",
      value: computeMean(own.map((one) => one[statistic])),
      rest: computeMean(own.map(({ rest }) => rest)),
    }));
    return {
      folder,
      recordings,
      ...computeStatistics(recordings.map(({ value }) => value)),
      rest: computeMean(recordings.map(({ rest }) => rest)),
    };
  });
}

/** Values of results for a list of recordings, such as `0.52, 0.61 mm/s · 12 events`; empty without results. */
export const formatValueWords = (
  measured: readonly {
    measurement: Measurement;
    tables: readonly { quantities: readonly Quantity[] }[];
  }[],
): string =>
  measured.filter(({ tables }) => tables.length > 0).map(({ measurement, tables }) => {
    const found = tables.map(({ quantities }) => quantities.find(({ name }) => name === measurement.value));
    const values = found.map((quantity) =>
      typeof quantity?.value === "number" ? formatNumber(quantity) : "–"
    );
    const { noun } = measurement;
    const unit = found.find((quantity) => quantity?.unit !== undefined)?.unit;
    const counted = `${noun}${values.join() === "1" ? "" : "s"}`;
    return `${values.join(", ")} ${unit === undefined ? counted : showGreek(unit)}`;
  }).join(" · ");
