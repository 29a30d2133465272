/**
 * Micro-Manager image stacks (`_MMStack`). An index map locates each plane (`micromanager_index.ts`), so the chain of
 * directories is not walked. If the map is damaged, or the acquisition ended before it was written, the metadata of the pages
 * (tag 51123) replace it. Large acquisitions continue in files named `_1`, `_2`, and may have a file per position (`_Pos0`,
 * `_Pos1`). Each position is a scene.
 */
import { unlessDamaged } from "../../errors.ts";
import type { DocumentList } from "../../io/document_list.ts";
import { axesOf, calibrationsOf } from "../../metadata/axes.ts";
import { hexColor } from "../../metadata/channels.ts";
import { isJsonObject, type JsonObject } from "../../metadata/json.ts";
import { firstMoment, momentOf } from "../../metadata/moment.ts";
import { type SceneEntry, sizesOf } from "../../reader.ts";
import { listed, MAX_LISTED, type Warning, warning } from "../../warning.ts";
import type { Directory } from "../directory.ts";
import { numberAt, SUMMARY_MARK } from "../marks.ts";
import { readPage } from "../page.ts";
import { noted, type Opened, type SeriesList, type Stack, type StackSizes, tagMoment } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { isOmeXml, upToNul } from "../text.ts";
import { recentBytes, RecentFiles, TiffFile } from "../tiff_file.ts";
import {
  type IndexedFile,
  openParts,
  pageIndices,
  partNames,
  planeMetadata,
  PositionPlanes,
  positionSizes,
  readIndexMap,
  readSummary,
  summaryText,
} from "./micromanager_index.ts";
import { type OmeImage, parseOme, readImage } from "./ome_xml.ts";

/** Facts shared by the positions of one acquisition. */
interface Positions {
  readonly opened: Opened;
  readonly summary: JsonObject;
  /** Calibration and times of each position, from the OME-XML of newer versions. */
  readonly ome: readonly OmeNote[];
  /** Files with their index maps, the opened file first. */
  readonly files: readonly IndexedFile[];
  readonly pool: RecentFiles<TiffFile>;
  /** Bytes of all files. */
  readonly fileSize: number;
  readonly warnings: readonly Warning[];
  /** The first missing file, or `null`. */
  readonly missing: string | null;
}

/** The positions of a Micro-Manager acquisition, or `null`. */
export function openMicroManager(opened: Opened): SeriesList | null {
  const { tiff, path, files } = opened;
  const summary = noted(opened.warnings, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
  const index = noted(opened.warnings, "The index map of Micro-Manager", () => readIndexMap(tiff)) ??
    pageIndices(tiff);
  if (index === null) return null;
  const sizes = { T: declared(summary.Frames), C: declared(summary.Channels), Z: declared(summary.Slices) };
  const own = { path, index };
  const { others, missing } = partNames(opened, declared(summary.Positions) > 1);
  const found = positionSizes([own], sizes);
  const first = found.keys().reduce((least, position) => Math.min(least, position), Infinity);
  const { T, C, Z } = found.get(first) ?? sizes;
  const isComplete = index.length >= T * C * Z * declared(summary.Positions);
  const parts = openParts(opened, isComplete ? [] : others);
  const indexed = [own, ...parts.files];
  const positions: Positions = {
    opened,
    summary,
    ome: omeNotes(opened),
    files: indexed,
    pool: new RecentFiles(path, tiff, (other) => new TiffFile(files.open(other), files)),
    fileSize: tiff.file.size + parts.bytes,
    warnings: parts.warnings,
    missing,
  };
  return positionList(positions, first, positionSizes(indexed, sizes));
}

function positionList(
  positions: Positions,
  first: number,
  found: ReadonlyMap<number, StackSizes>,
): SeriesList {
  const { opened, summary, ome } = positions;
  const numbers = [...found.keys()].sort((a, b) => a - b);
  const { samples, width, height } = readPage(opened.first);
  const entryOf = (position: number, i: number): SceneEntry => {
    const { T, C, Z } = found.get(position)!;
    return {
      name: labelOf(summary, position) ?? (i < MAX_READ_NAMES ? readName(positions, position) : null),
      sizes: sizesOf(axesOf({ T, Z, C: C * samples, Y: height, X: width }, {})),
    };
  };
  return {
    count: numbers.length,
    own: numbers.indexOf(first),
    warnings: withoutPlanes(summary, found),
    entries: (most) => numbers.slice(0, most).map(entryOf),
    open: (index) => {
      const position = numbers[index]!;
      // Only their order identifies the images, so every position must have one.
      const times = numbers.length === ome.length ? ome[index]!.times : null;
      return positionStack(positions, position, found.get(position)!, times);
    },
  };
}

/** Number of positions whose names are read from their first pages if the summary has no names. */
const MAX_READ_NAMES = 64;

/** Name of a position in the summary; in older versions the key is capitalised. */
function labelOf({ StagePositions, InitialPositionList }: JsonObject, position: number): string | null {
  for (const list of [StagePositions, InitialPositionList]) {
    const one = Array.isArray(list) ? list[position] : null;
    const label = isJsonObject(one) ? one.label ?? one.Label : null;
    if (typeof label === "string" && label !== "") return label;
  }
  return null;
}

/** Name of a position in the metadata of its first page, or `null`. */
function readName({ files, pool }: Positions, position: number): string | null {
  for (const { path, index } of files) {
    const entry = index.find((one) => one.position === position);
    if (entry === undefined) continue;
    const read = () => planeMetadata(pool.get(path).directoryAt(entry.offset)).PositionName;
    return textOf(unlessDamaged(read, null)) || null;
  }
  return null;
}

/** Warns if the summary declares positions that have no planes. */
function withoutPlanes(summary: JsonObject, found: ReadonlyMap<number, StackSizes>): Warning[] {
  const positions = declared(summary.Positions);
  const there = [...found.keys()].filter((position) => position < positions).length;
  const named: string[] = [];
  for (let position = 0; position < positions && named.length < MAX_LISTED; position += 1) {
    if (!found.has(position)) named.push(`"${labelOf(summary, position) ?? `Position ${position}`}"`);
  }
  if (named.length === 0) return [];
  const text = `Positions that hold no planes are left out: ${listed(named, positions - there)}`;
  return [warning("scenes_left_out", text)];
}

/** Bytes of memory for a plane in a position's map, an entry of an index map, and a file. */
const PLANE_BYTES = 128;
const ENTRY_BYTES = 80;
const FILE_BYTES = 512;

/** The planes of a position, with metadata from the summary, OME-XML and the first page. */
function positionStack(
  positions: Positions,
  position: number,
  sizes: StackSizes,
  times: Stack["times"],
): Stack {
  const { opened, summary, ome, files, pool, fileSize } = positions;
  const { first } = opened;
  const planes = new PositionPlanes(files, position, sizes, positions.missing);
  const layout = readPage(planes.first(pool) ?? first);
  const plane = planeMetadata(first);
  const pixel = numberOf(summary.PixelSize_um) || numberOf(plane.PixelSizeUm);
  const depth = sizes.Z > 1 ? Math.abs(numberOf(summary["z-step_um"]) ?? 0) : null;
  const interval = numberOf(summary.Interval_ms) || numberOf(summary.WaitInterval);
  const names: unknown[] = Array.isArray(summary.ChNames) ? summary.ChNames : [];
  const colors: unknown[] = Array.isArray(summary.ChColors) ? summary.ChColors : [];
  const written = [summary.StartTime, summary.Time, plane.Time].map((text) => momentOf(textOf(text)));
  const steps = calibrationsOf({ X: [pixel, "um"], Y: [pixel, "um"], Z: [depth, "um"], T: [interval, "ms"] });
  return {
    sizes,
    layout,
    calibrations: { ...steps, ...ome[0]?.calibrations },
    names: names.map((name) => textOf(name) || null),
    colors: colors.map(colorOf),
    times: times ?? null,
    moment: firstMoment(...written, tagMoment(first)),
    fileSize,
    files: () => files.map(({ path }) => path),
    documents: (list) => addDocuments(list, opened),
    warnings: [...positions.warnings, ...planes.warnings],
    indexBytes: planes.count * PLANE_BYTES + recentBytes(files.length - 1) +
      files.reduce((sum, { index }) => sum + index.length * ENTRY_BYTES + FILE_BYTES, 0),
    holds: (at) => planes.holds(at),
    plane: (at) => planes.plane(pool, layout, at),
  };
}

/** Adds the summary and the metadata of the first page to the documents. */
function addDocuments(list: DocumentList, { tiff, first }: Opened): void {
  if (numberAt(tiff, 32) === SUMMARY_MARK) {
    list.add("Micro-Manager summary", "application/json", summaryText(tiff, list.left));
  }
  const tag = TAG.MicroManagerMetadata;
  list.add(tagName(tag), "application/json", first.note(tag, list.left));
}

/** A length stated in the summary; 1 by default. */
function declared(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : 1;
}

const numberOf = (value: unknown): number | null => typeof value === "number" ? value : null;

const textOf = (value: unknown): string => typeof value === "string" ? value : "";

/** Metadata of a position in OME-XML. */
type OmeNote = Pick<OmeImage, "calibrations" | "times">;

/** The positions in OME-XML. Planes do not need it: if it is damaged, only calibration and times are lost. */
function omeNotes(opened: Opened): OmeNote[] {
  const text = opened.descriptions.find(isOmeXml);
  if (text === undefined) return [];
  return noted(
    opened.warnings,
    "The calibration in OME-XML",
    () =>
      parseOme(upToNul(text), "the document").images.map((image) => {
        const { calibrations, times } = readImage(image);
        return { calibrations, times };
      }),
  ) ?? [];
}

/**
 * Adds the metadata of the first page (tag 51123) to plain pages: for acquisitions with a file per plane, and for those that
 * ended before the index map was written.
 */
export function withPlaneMetadata(stack: Stack, first: Directory, index: number): Stack {
  const own = index === 0 ? first : stack.layout.directory;
  if (!own.has(TAG.MicroManagerMetadata)) return stack;
  const plane = planeMetadata(own);
  const pixel = numberOf(plane.PixelSizeUm);
  const text = `The metadata of Micro-Manager in ${tagName(TAG.MicroManagerMetadata)} cannot be read`;
  const damaged = Object.keys(plane).length > 0 ? [] : [warning("metadata_damaged", text)];
  return {
    ...stack,
    warnings: [...stack.warnings, ...damaged],
    calibrations: { ...stack.calibrations, ...calibrationsOf({ X: [pixel, "um"], Y: [pixel, "um"] }) },
    names: stack.sizes.C === 1 ? [textOf(plane.Channel) || null] : stack.names,
    moment: firstMoment(momentOf(textOf(plane.Time)), stack.moment),
  };
}

/** `#rrggbb` of a Java colour, a signed number whose bytes are opacity, red, green and blue. */
function colorOf(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isInteger(value) || Math.abs(value) >= 2 ** 32) return null;
  return hexColor(value >> 16, value >> 8, value);
}
