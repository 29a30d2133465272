/** The array of one scene: its axes, its channels, and the subblocks that it is painted from. */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { AxisLetter, SampleType } from "../reader.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import { pixelTypeOf, wider } from "./pixel_type.ts";
import type { SubblockTable } from "./subblock_table.ts";

/** Indices along a dimension, in the numbers of the file. */
export interface Span {
  /** The first one, which is served as 0. */
  readonly start: number;
  /** How many. */
  readonly size: number;
}

/** The pixels of one channel. */
export interface StoredChannel {
  /** Samples of a pixel. */
  readonly samples: number;
  /** Type of each: the widest where subblocks differ. */
  readonly sampleType: SampleType;
}

/** One scene. */
export interface SceneLayout {
  /** Its subblocks in the order in which they are painted, as indices of the table. */
  readonly entries: Int32Array;
  /** By letter; a dimension that is absent has one index, 0. */
  readonly spans: ReadonlyMap<string, Span>;
  /** The dimension whose indices are the rows: `T` of a line scan, `Z` of a section. */
  readonly rowAxis: "Y" | "T" | "Z";
  /** By index along `C`, `null` for one of which nothing is stored. */
  readonly channels: readonly (StoredChannel | null)[];
  /** Tiles that a whole plane has. */
  readonly tiles: number;
  /** Whether tiles are told apart by their `M` or by where they lie. */
  readonly tilesBy: "M" | "place";
}

/** The span of a dimension. */
export const spanOf = ({ spans }: Pick<SceneLayout, "spans">, letter: string): Span =>
  spans.get(letter) ?? { start: 0, size: 1 };

/** Letters of the dimensions that are served; at the others index 0 is. */
const SERVED = "TCZYX";

/** Letters of longer dimensions of which only the first index is served. */
export const heldAxes = (layout: SceneLayout): string[] =>
  [...layout.spans].filter(([letter, { size }]) => size > 1 && !SERVED.includes(letter))
    .map(([letter]) => letter);

/** Entries between two looks at the stop flag. */
const STOP_STEP = 0xffff;

/** Steps along `C` of subblocks that span several channels: a thousand of each channel that may be. */
const MAX_CHANNEL_STEPS = 1000 * MAX_CHANNELS;

/**
 * Lays a scene out.
 *
 * @param entries its subblocks, in the order of the directory
 * @throws {DecodeFailed} its pixels are not read, or it has more than is served
 */
export function layOut(table: SubblockTable, entries: Int32Array, stop: StopFlag): SceneLayout {
  const spans = new Map<string, Span>();
  for (const letter of table.letters) {
    if (letter === "M" || letter === "S") continue;
    spans.set(letter, spanAlong(table, entries, letter));
    stop.check();
  }
  const mosaic = table.letters.includes("M") && entries.some((i) => table.start("M", i) >= 0);
  // Sorting is stable, so that equal ones stay in the order of the directory; a higher one lies on top.
  const ordered = mosaic ? entries.toSorted((a, b) => table.start("M", a) - table.start("M", b)) : entries;
  const rowAxis = rowAxisOf(table, entries, spans);
  checkPlane(spans, rowAxis);
  return {
    entries: ordered,
    spans,
    rowAxis,
    channels: channelsOf(table, entries, spanOf({ spans }, "C"), stop),
    ...tilesOf(table, ordered, mosaic),
  };
}

function spanAlong(table: SubblockTable, entries: Int32Array, letter: string): Span {
  let [start, end] = [Infinity, -Infinity];
  for (const i of entries) {
    const first = table.start(letter, i);
    start = Math.min(start, first);
    end = Math.max(end, first + table.size(letter, i));
  }
  return { start, size: end - start };
}

/** Sections have no `Y`. Line scans neither: their lines are time points, many of which a subblock may span. */
function rowAxisOf(table: SubblockTable, entries: Int32Array, spans: ReadonlyMap<string, Span>) {
  const size = (letter: string) => spanOf({ spans }, letter).size;
  if (size("Y") > 1) return "Y";
  const lines = size("T") > 1 && (size("Z") === 1 || entries.some((i) => table.size("T", i) > 1));
  return lines ? "T" : size("Z") > 1 ? "Z" : "Y";
}

function checkPlane(spans: ReadonlyMap<string, Span>, rowAxis: string): void {
  const [rows, columns] = [spanOf({ spans }, rowAxis).size, spanOf({ spans }, "X").size];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(
      `its planes are ${rows} x ${columns}; at most ${MAX_PLANE_SAMPLES} pixels are read`,
    );
  }
}

function channelsOf(
  table: SubblockTable,
  entries: Int32Array,
  { start, size }: Span,
  stop: StopFlag,
): (StoredChannel | null)[] {
  if (size > MAX_CHANNELS) throw new DecodeFailed(`it has ${size} channels, more than ${MAX_CHANNELS}`);
  const channels = new Array<StoredChannel | null>(size).fill(null);
  let steps = 0;
  for (const i of entries) {
    if ((i & STOP_STEP) === 0) stop.check();
    const { samples, sampleType } = pixelTypeOf(table.pixelType(i));
    const first = table.start("C", i) - start;
    const end = first + table.size("C", i);
    steps += end - first;
    if (steps > MAX_CHANNEL_STEPS) throw new DecodeFailed("its subblocks span too many channels each");
    for (let c = first; c < end; c += 1) {
      const known = channels[c];
      if (known && known.samples === samples && known.sampleType === sampleType) continue;
      if (known && known.samples !== samples) {
        throw new DecodeFailed(`channel ${c} has pixels of ${known.samples} and of ${samples} samples`);
      }
      channels[c] = { samples, sampleType: known ? wider(known.sampleType, sampleType) : sampleType };
    }
  }
  return channels;
}

/** Counts the tiles of a whole plane: the distinct `M`, or else the most places that one position has. */
function tilesOf(
  table: SubblockTable,
  entries: Int32Array,
  mosaic: boolean,
): Pick<SceneLayout, "tiles" | "tilesBy"> {
  if (mosaic) {
    let tiles = 0;
    entries.forEach((entry, k) => {
      if (k === 0 || table.start("M", entry) !== table.start("M", entries[k - 1]!)) tiles += 1;
    });
    return { tiles, tilesBy: "M" };
  }
  const [x, y] = [table.start("X", entries[0]!), table.start("Y", entries[0]!)];
  const moved = entries.some((i) => table.start("X", i) !== x || table.start("Y", i) !== y);
  return { tiles: moved ? mostPlaces(table, entries) : 1, tilesBy: "place" };
}

function mostPlaces(table: SubblockTable, entries: Int32Array): number {
  const others = table.letters.filter((letter) => !"XYMS".includes(letter));
  const apart = (letters: readonly string[], a: number, b: number) => {
    for (const letter of letters) {
      const difference = table.start(letter, a) - table.start(letter, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const sorted = entries.toSorted((a, b) => apart(others, a, b) || apart(["X", "Y"], a, b));
  let [most, places] = [1, 1];
  for (let k = 1; k < sorted.length; k += 1) {
    const [before, entry] = [sorted[k - 1]!, sorted[k]!];
    if (apart(others, before, entry) !== 0) places = 1;
    else if (apart(["X", "Y"], before, entry) !== 0) places += 1;
    most = Math.max(most, places);
  }
  return most;
}

/** Length by axis as it is served; those of length 1 too. */
export function servedSizes(layout: SceneLayout): Record<Exclude<AxisLetter, "L">, number> {
  const size = (letter: string) => spanOf(layout, letter).size;
  const { rowAxis, channels } = layout;
  return {
    T: rowAxis === "T" ? 1 : size("T"),
    C: channels.reduce((sum, channel) => sum + (channel?.samples ?? 1), 0),
    Z: rowAxis === "Z" ? 1 : size("Z"),
    Y: size(rowAxis),
    X: size("X"),
  };
}

/**
 * What is declared and not stored, as where a recording was interrupted. Overlapping subblocks count each, so that few
 * missing ones may go unnoticed.
 *
 * @returns a sentence, or `null`
 */
export function missingPlanes(table: SubblockTable, layout: SceneLayout): Warning | null {
  const held = heldAxes(layout);
  const needed = [..."TZC"].reduce((product, letter) => product * spanOf(layout, letter).size, layout.tiles);
  let stored = 0;
  for (const i of layout.entries) {
    if (held.some((letter) => table.start(letter, i) > spanOf(layout, letter).start)) continue;
    stored += table.size("T", i) * table.size("Z", i) * table.size("C", i);
  }
  if (stored >= needed) return null;
  return warning(
    "planes_missing",
    `${stored} of ${needed} tiles of all planes are stored: the recording was interrupted, or the file is damaged`,
  );
}
