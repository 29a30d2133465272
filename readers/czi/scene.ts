/** A scene of a document: axes, channels and subblocks. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import {
  buildChannels,
  COLOURS,
  nameChannelsApart,
  type NamedChannel,
  sampleName,
} from "../metadata/channels.ts";
import type { AxisLetter, Channel, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning } from "../warning.ts";
import type { SubblockTable } from "./directory.ts";
import type { CziDocument } from "./document.ts";

/** Help on what is refused. */
export const HELP = "docs/formats/czi.md#what-is-refused";

/** A pixel type: 1, 3 or 4 samples of a type. */
export interface PixelType {
  readonly sampleType: SampleType;
  readonly samples: number;
  /** Number of bytes per pixel. */
  readonly bytes: number;
}

/** Pixel types by code: Gray8, Gray16, Gray32Float; Bgr24, Bgr48, Bgr96Float, Bgra32; Gray32, Gray64Float. */
const TYPES: Readonly<Record<number, readonly [sampleType: SampleType, samples: number]>> = {
  0: ["uint8", 1],
  1: ["uint16", 1],
  2: ["float32", 1],
  3: ["uint8", 3],
  4: ["uint16", 3],
  8: ["float32", 3],
  9: ["uint8", 4],
  12: ["int32", 1],
  13: ["float64", 1],
};

const WIDTHS: readonly SampleType[] = ["uint8", "uint16", "int32", "float32", "float64"];

/** The pixel type with this code. @throws {DecodeFailed} it is unknown or complex */
export function requirePixelType(code: number): PixelType {
  const [sampleType, samples] = TYPES[code] ?? [];
  if (sampleType === undefined || samples === undefined) {
    throw new DecodeFailed(`pixel type ${code} is unknown or not supported (${HELP})`);
  }
  return { sampleType, samples, bytes: samples * SAMPLE_BYTES[sampleType] };
}

/** The wider of two sample types. */
const chooseWiderType = (a: SampleType, b: SampleType): SampleType =>
  WIDTHS.indexOf(a) >= WIDTHS.indexOf(b) ? a : b;

/** Names of the samples of a colour pixel, in the served order. */
const SAMPLE_NAMES: readonly string[] = [...COLOURS, "Alpha"];

/** Indices in the file along a dimension. */
export interface IndexSpan {
  /** The first index, which is served as 0. */
  readonly start: number;
  readonly size: number;
}

/** Number and type of the samples per pixel of a channel. The type is the widest of all its subblocks. */
export type StoredChannel = Pick<PixelType, "samples" | "sampleType">;

/** Which dimensions, channels and subblocks a scene has. */
export interface SceneLayout {
  /** Its subblocks by index in the table, in painting order. */
  readonly entries: Int32Array;
  /** Spans by letter; an absent dimension has only the index 0. */
  readonly spans: ReadonlyMap<string, IndexSpan>;
  /** The dimension that forms the rows: `T` for a line scan, `Z` for a section. */
  readonly rowAxis: "Y" | "T" | "Z";
  /** Channels by index along `C`; `null` if nothing is stored for an index. */
  readonly channels: readonly (StoredChannel | null)[];
  readonly tiles: number;
  /** Whether `M` or the position distinguishes tiles. */
  readonly tilesBy: "M" | "place";
}

/** The span of a dimension. */
export const measureSpan = ({ spans }: Pick<SceneLayout, "spans">, letter: string): IndexSpan =>
  spans.get(letter) ?? { start: 0, size: 1 };

const SERVED = "TCZYX";

/** Letters of other dimensions longer than 1, which are served at their first index only. */
export const listHeldAxes = (layout: SceneLayout): string[] =>
  [...layout.spans].filter(([letter, { size }]) => size > 1 && !SERVED.includes(letter))
    .map(([letter]) => letter);

/** Lays out a scene. @param entries in directory order @throws {DecodeFailed} unsupported pixels, or above a limit */
export function layOutScene(table: SubblockTable, entries: Int32Array, stop: StopFlag): SceneLayout {
  const spans = new Map<string, IndexSpan>();
  for (const letter of table.letters) {
    if (letter === "M" || letter === "S") continue;
    let [start, end] = [Infinity, -Infinity];
    for (const i of entries) {
      const first = table.start(letter, i);
      start = Math.min(start, first);
      end = Math.max(end, first + table.size(letter, i));
    }
    spans.set(letter, { start, size: end - start });
    stop.check();
  }
  const mosaic = table.letters.includes("M") && entries.some((i) => table.start("M", i) >= 0);
  // Higher `M` are painted later. The sort is stable, so entries of equal `M` keep their order.
  const ordered = mosaic ? entries.toSorted((a, b) => table.start("M", a) - table.start("M", b)) : entries;
  const size = (letter: string) => measureSpan({ spans }, letter).size;
  // Sections and line scans have no `Y`. The lines of a line scan are time points, of which a subblock may span several.
  let rowAxis: SceneLayout["rowAxis"] = "Y";
  if (size("Y") === 1) {
    const lines = size("T") > 1 && (size("Z") === 1 || entries.some((i) => table.size("T", i) > 1));
    if (lines) rowAxis = "T";
    else if (size("Z") > 1) rowAxis = "Z";
  }
  const [rows, columns] = [size(rowAxis), size("X")];
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`its planes are ${rows} x ${columns}, more than ${MAX_PLANE_SAMPLES} pixels`);
  }
  return {
    entries: ordered,
    spans,
    rowAxis,
    channels: listStoredChannels(table, entries, measureSpan({ spans }, "C"), stop),
    ...countTiles(table, ordered, mosaic),
  };
}

function listStoredChannels(
  table: SubblockTable,
  entries: Int32Array,
  { start, size }: IndexSpan,
  stop: StopFlag,
): (StoredChannel | null)[] {
  if (size > MAX_CHANNELS) throw new DecodeFailed(`it has ${size} channels, more than ${MAX_CHANNELS}`);
  const channels = new Array<StoredChannel | null>(size).fill(null);
  for (const i of entries) {
    // A subblock may span all channels.
    if ((i & 0xff) === 0) stop.check();
    const { samples, sampleType } = requirePixelType(table.subblocks[i]!.pixelType);
    const first = table.start("C", i) - start;
    const end = first + table.size("C", i);
    for (let c = first; c < end; c += 1) {
      const known = channels[c];
      if (known && known.samples === samples && known.sampleType === sampleType) continue;
      if (known && known.samples !== samples) {
        throw new DecodeFailed(`channel ${c} has pixels of ${known.samples} and of ${samples} samples`);
      }
      channels[c] = {
        samples,
        sampleType: known ? chooseWiderType(known.sampleType, sampleType) : sampleType,
      };
    }
  }
  return channels;
}

/** Number of tiles of a complete plane: the number of distinct `M`, or else the most tile positions in one plane. */
function countTiles(
  table: SubblockTable,
  entries: Int32Array,
  mosaic: boolean,
): Pick<SceneLayout, "tiles" | "tilesBy"> {
  if (mosaic) return { tiles: new Set(entries.map((i) => table.start("M", i))).size, tilesBy: "M" };
  const [x, y] = [table.start("X", entries[0]!), table.start("Y", entries[0]!)];
  const moved = entries.some((i) => table.start("X", i) !== x || table.start("Y", i) !== y);
  if (!moved) return { tiles: 1, tilesBy: "place" };
  const others = table.letters.filter((letter) => !"XYMS".includes(letter));
  const placeIn = (letters: readonly string[], i: number) =>
    letters.map((letter) => table.start(letter, i)).join(" ");
  const planes = new Map<string, Set<string>>();
  for (const i of entries) {
    planes.getOrInsertComputed(placeIn(others, i), () => new Set()).add(placeIn(["X", "Y"], i));
  }
  return { tiles: planes.values().reduce((most, { size }) => Math.max(most, size), 1), tilesBy: "place" };
}

/** Lengths of the served axes. */
export function computeServedSizes(layout: SceneLayout): Record<Exclude<AxisLetter, "L">, number> {
  const size = (letter: string) => measureSpan(layout, letter).size;
  const { rowAxis, channels } = layout;
  return {
    T: rowAxis === "T" ? 1 : size("T"),
    C: channels.reduce((sum, channel) => sum + (channel?.samples ?? 1), 0),
    Z: rowAxis === "Z" ? 1 : size("Z"),
    Y: size(rowAxis),
    X: size("X"),
  };
}

/** Warns about missing tiles of an interrupted recording. Overlapping subblocks can hide a few missing ones. */
export function warnAboutMissingTiles(table: SubblockTable, layout: SceneLayout): Warning[] {
  const held = listHeldAxes(layout);
  const needed = [..."TZC"].reduce(
    (product, letter) => product * measureSpan(layout, letter).size,
    layout.tiles,
  );
  let stored = 0;
  for (const i of layout.entries) {
    if (held.some((letter) => table.start(letter, i) > measureSpan(layout, letter).start)) continue;
    stored += table.size("T", i) * table.size("Z", i) * table.size("C", i);
  }
  const counts = `${stored} of ${needed} tiles of all planes are stored`;
  const text = `${counts}: the recording was interrupted, or the file is damaged`;
  return warnIf(stored < needed, "planes_missing", text);
}

/** Warns about subblocks at the place of another one; the later one is painted over it. */
export function warnAboutRepeatedTiles(
  table: SubblockTable,
  { entries }: SceneLayout,
  stop: StopFlag,
): Warning[] {
  const own = table.letters.filter((letter) => !"MS".includes(letter));
  const places = new Set<string>();
  for (const i of entries) {
    places.add(own.map((letter) => table.start(letter, i)).join(" "));
    if ((i & 0xff) === 0) stop.check();
  }
  const repeated = entries.length - places.size;
  const text = `Some subblocks lie where a later one does, which is served instead: ${repeated}`;
  return warnIf(repeated > 0, "planes_repeated", text);
}

/** A scene with its files. */
export interface StoredScene {
  readonly table: SubblockTable;
  readonly layout: SceneLayout;
  /** The served channels: channels of the file, or samples of their colour pixels. */
  readonly channels: readonly Channel[];
  /**
   * Where the samples of each channel are: index along `C`, counted from the first index, and index among the samples of a pixel,
   * in the order red, green, blue, alpha.
   */
  readonly places: readonly { readonly c: number; readonly sample: number }[];
  /** Files of the document, by part number. */
  readonly parts: ReadonlyMap<number, ByteSource>;
  readonly stop: StopFlag;
}

/** Lays out a scene of a document. @throws {DecodeFailed} unsupported pixels, above a limit, or tiles may be missing */
export function storedScene(
  document: CziDocument,
  index: number,
  parts: ReadonlyMap<number, ByteSource>,
  stop: StopFlag,
): StoredScene {
  const { table, scenes, metadata, complete } = document;
  const layout = layOutScene(table, scenes[index]!.entries, stop);
  if (!complete && (layout.tiles > 1 || layout.tilesBy === "M")) {
    throw new DecodeFailed("subblocks are lost, so tiles of the mosaic may be missing");
  }
  return { table, layout, ...buildCziChannels(layout, metadata.channels), parts, stop };
}

function buildCziChannels(
  layout: SceneLayout,
  described: readonly NamedChannel[],
): Pick<StoredScene, "channels" | "places"> {
  const { channels } = layout;
  const facts = described.slice(measureSpan(layout, "C").start);
  const own = nameChannelsApart(channels.map((_, c) => facts[c]?.name));
  const several = channels.length > 1;
  const sampleType = channels.find((channel) => channel !== null)?.sampleType ?? "uint16";
  const listed = channels.flatMap((channel, c) => {
    const { samples, ...type } = channel ?? { samples: 1, sampleType };
    const name = own[c]!;
    // The samples of a colour pixel do not have the colour of their channel.
    if (samples === 1) return [{ c, sample: 0, name, color: facts[c]?.color ?? null, ...type }];
    return SAMPLE_NAMES.slice(0, samples).map((of, sample) => ({
      ...{ c, sample, name: sampleName(several ? name : null, of), color: null, ...type },
    }));
  });
  if (listed.length > MAX_CHANNELS) {
    throw new DecodeFailed(`it has ${listed.length} channels, more than ${MAX_CHANNELS}`);
  }
  const [rows, columns] = [measureSpan(layout, layout.rowAxis).size, measureSpan(layout, "X").size];
  return {
    channels: buildChannels(listed, { sampleType, rows, columns }).map((channel, i) => ({
      ...channel,
      sampleType: listed[i]!.sampleType,
    })),
    places: listed,
  };
}
