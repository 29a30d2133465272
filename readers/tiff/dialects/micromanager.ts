/**
 * Micro-Manager image stacks (`_MMStack`): an index map says where each plane lies (`micromanager_index.ts`), so that one
 * is found without walking the chain of directories. Where the map is damaged, or was not yet written when the acquisition
 * ended, planes are found by what each page says of itself (tag 51123). Large acquisitions go on in files with the same
 * name and `_1`, `_2`, and may have a file for each position (`_Pos0`, `_Pos1`). Each position is a scene.
 */
import { axesOf, calibrationsOf } from "../../metadata/axes.ts";
import { DecodeFailed } from "../../errors.ts";
import { isJsonObject } from "../../metadata/json.ts";
import { type SceneEntry, sizesOf } from "../../reader.ts";
import type { XmlElement } from "../../metadata/xml.ts";
import type { Directory } from "../directory.ts";
import type { DocumentList } from "../../io/document_list.ts";
import { isOmeXml, type OmeImage, parseOme, readImage } from "../ome_xml.ts";
import { type PageLayout, readPage } from "../page.ts";
import { firstMoment, momentOf, UNDATED } from "../../metadata/moment.ts";
import { listed, MAX_LISTED, type Warning, warning } from "../../warning.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import type { SeriesList, Stack } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { upToNul } from "../text.ts";
import { TiffFile } from "../tiff_file.ts";
import { MAX_RECENT, RecentFiles } from "../recent_files.ts";
import { NO_PARTS, openParts, setOf } from "./micromanager_files.ts";
import {
  hasHeader,
  hasSummary,
  pageIndices,
  planeMetadata,
  readIndexMap,
  readSummary,
  type Summary,
  summaryText,
} from "./micromanager_index.ts";
import {
  type IndexedFile,
  planeAt,
  PositionPlanes,
  type PositionSizes,
  positionSizes,
} from "./micromanager_planes.ts";

/** What the positions of one acquisition share. */
interface Positions {
  readonly opened: Opened;
  readonly summary: Summary;
  /** What the OME-XML of newer versions says of each position. */
  readonly ome: readonly OmeNote[];
  /** The opened file first. */
  readonly files: readonly IndexedFile[];
  readonly pool: RecentFiles<TiffFile>;
  /** Bytes of all files. */
  readonly fileSize: number;
  /** Files that are left out. */
  readonly warnings: readonly Warning[];
  /** The file that is not there, or `null`. */
  readonly missing: string | null;
}

/** The positions of a Micro-Manager acquisition, or `null`. */
export function openMicroManager(opened: Opened): SeriesList | null {
  const { tiff, path, files } = opened;
  if (!hasHeader(tiff)) return null;
  const summary = noted(opened, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
  const index = noted(opened, "The index map of Micro-Manager", () => readIndexMap(tiff)) ??
    pageIndices(tiff);
  if (index === null) return null;
  const sizes = {
    T: declared(summary.Frames),
    C: declared(summary.Channels),
    Z: declared(summary.Slices),
  };
  const own = { path, index };
  const set = setOf(opened, declared(summary.Positions) > 1);
  const first = leastOf(positionSizes([own], sizes));
  const parts = isComplete(own, summary, sizes) ? NO_PARTS : openParts(opened, set.others);
  const indexed = [own, ...parts.files];
  const pool = new RecentFiles(path, tiff, (other) => reopened(new TiffFile(files.open(other), files)));
  const positions: Positions = {
    opened,
    summary,
    ome: omeNotes(opened),
    files: indexed,
    pool,
    fileSize: tiff.file.size + parts.bytes,
    warnings: parts.warnings,
    missing: set.missing,
  };
  return positionList(positions, first, positionSizes(indexed, sizes));
}

/** Whether the opened file has all planes that its summary declares, of all positions. */
function isComplete(own: IndexedFile, summary: Summary, sizes: PositionSizes): boolean {
  const found = positionSizes([own], sizes);
  const { T, C, Z } = found.get(leastOf(found)) ?? sizes;
  return own.index.length >= T * C * Z * declared(summary.Positions);
}

const leastOf = (found: ReadonlyMap<number, PositionSizes>) =>
  found.keys().reduce((least, position) => Math.min(least, position), Infinity);

/** A file of the set that is read again; its index map tells which of its bytes are no samples. */
function reopened(tiff: TiffFile): TiffFile {
  try {
    readIndexMap(tiff);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
  }
  return tiff;
}

function positionList(
  positions: Positions,
  first: number,
  found: ReadonlyMap<number, PositionSizes>,
): SeriesList {
  const { opened, summary } = positions;
  const numbers = [...found.keys()].sort((a, b) => a - b);
  const layout = readPage(opened.first);
  const entryOf = (position: number, i: number): SceneEntry => ({
    name: labelOf(summary, position) ?? (i < MAX_READ_NAMES ? readName(positions, position) : null),
    sizes: sizesIn(found.get(position), layout),
  });
  return {
    count: numbers.length,
    own: numbers.indexOf(first),
    warnings: withoutPlanes(summary, found),
    entries: (most) => numbers.slice(0, most).map(entryOf),
    open: (index) => {
      const position = numbers[index]!;
      // Images are told apart by their order alone, so that there is one for each position or none counts.
      const rank = numbers.length === positions.ome.length ? index : null;
      const stack = positionStack(positions, position, found.get(position)!);
      return { ...stack, ...describe(positions, rank, stack.sizes.Z) };
    },
  };
}

/** Positions whose names are read from their first pages where the summary has none. */
const MAX_READ_NAMES = 64;

/** Name of a position in the summary; its key begins with a capital letter in older versions. */
function labelOf({ StagePositions, InitialPositionList }: Summary, position: number): string | null {
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
    for (const entry of index) {
      if (entry.position !== position) continue;
      try {
        const { PositionName } = planeMetadata(pool.get(path).directoryAt(entry.offset));
        return typeof PositionName === "string" && PositionName !== "" ? PositionName : null;
      } catch (error) {
        if (error instanceof DecodeFailed) return null;
        throw error;
      }
    }
  }
  return null;
}

/** A warning where the summary declares positions that have no plane. */
function withoutPlanes(summary: Summary, found: ReadonlyMap<number, PositionSizes>): Warning[] {
  const positions = declared(summary.Positions);
  const there = [...found.keys()].filter((position) => position < positions).length;
  const named: string[] = [];
  for (let position = 0; position < positions && named.length < MAX_LISTED; position += 1) {
    if (!found.has(position)) named.push(`"${labelOf(summary, position) ?? `Position ${position}`}"`);
  }
  return named.length === 0 ? [] : [
    warning(
      "scenes_left_out",
      `Positions that hold no planes are left out: ${listed(named, positions - there)}`,
    ),
  ];
}

function sizesIn(
  sizes: PositionSizes | undefined,
  { samples, width, height }: PageLayout,
): SceneEntry["sizes"] {
  return sizes ? sizesOf(axesOf({ ...sizes, C: sizes.C * samples, Y: height, X: width }, {})) : {};
}

function positionStack(
  positions: Positions,
  position: number,
  sizes: PositionSizes,
): Omit<Stack, keyof Described> {
  const { files, pool, missing, fileSize } = positions;
  const planes = new PositionPlanes(files, position, sizes, missing);
  const layout = layoutOf(positions, planes);
  return {
    sizes,
    layout,
    fileSize,
    files: () => files.map(({ path }) => path),
    documents: (list) => addDocuments(list, positions.opened),
    warnings: [...positions.warnings, ...planes.warnings],
    indexBytes: planes.count * PLANE_BYTES + sumOf(files, ({ index }) => index.bytes + FILE_BYTES) +
      Math.min(files.length - 1, MAX_RECENT) * RECENT_BYTES,
    holds: ({ t, channel, z }) => planes.find(t, channel, z) !== undefined,
    plane: (at) => planeAt(pool, planes, { layout, missing }, at),
  };
}

/** The summary, and what the first page says of itself. */
function addDocuments(list: DocumentList, { tiff, first }: Opened): void {
  if (hasSummary(tiff)) {
    list.add("Micro-Manager summary", "application/json", summaryText(tiff, list.left));
  }
  list.add(
    tagName(TAG.MicroManagerMetadata),
    "application/json",
    first.note(TAG.MicroManagerMetadata, list.left),
  );
}

/** Memory of a plane in the map of a position. */
const PLANE_BYTES = 64;

/** Memory of a file beside its index map. */
const FILE_BYTES = 512;

/** Memory of another file that is read: its window, and what its index map says of its structures. */
const RECENT_BYTES = 256 << 10;

const sumOf = <T>(list: readonly T[], value: (one: T) => number) =>
  list.reduce((sum, one) => sum + value(one), 0);

/** Layout of the first plane of a position; that of the opened file where none of it can be read. */
function layoutOf({ opened, pool }: Positions, planes: PositionPlanes): PageLayout {
  const first = planes.first();
  return first === undefined || first.path === opened.path
    ? readPage(opened.first)
    : readPage(pool.get(first.path).directoryAt(first.entry.offset));
}

/** A length of the summary; 1 where it is none. */
function declared(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : 1;
}

/**
 * A stack of pages with what Micro-Manager wrote to the first of them (tag 51123), for acquisitions of one file per
 * plane and for those that ended before the index map was written.
 */
export function withPlaneMetadata(stack: Stack, first: Directory): Stack {
  if (!first.has(TAG.MicroManagerMetadata)) return stack;
  const plane = planeMetadata(first);
  const pixel = typeof plane.PixelSizeUm === "number" ? plane.PixelSizeUm : null;
  const name = typeof plane.Channel === "string" ? plane.Channel : null;
  const time = typeof plane.Time === "string" ? plane.Time : "";
  const damaged = Object.keys(plane).length > 0 ? [] : [
    warning(
      "metadata_damaged",
      `The metadata of Micro-Manager in ${tagName(TAG.MicroManagerMetadata)} cannot be read`,
    ),
  ];
  return {
    ...stack,
    warnings: [...stack.warnings, ...damaged],
    calibrations: { ...stack.calibrations, ...calibrationsOf({ X: [pixel, "um"], Y: [pixel, "um"] }) },
    names: stack.sizes.C === 1 ? [name] : stack.names,
    moment: firstMoment(momentOf(time), stack.moment),
  };
}

type Described = Pick<Stack, "calibrations" | "names" | "colors" | "times" | "moment">;

/** Metadata of the summary, of the OME-XML that newer versions write, and of the first plane. */
function describe({ opened, summary, ome }: Positions, rank: number | null, slices: number): Described {
  const { first } = opened;
  const number = (value: unknown) => typeof value === "number" ? value : null;
  const plane = planeMetadata(first);
  const pixel = number(summary.PixelSize_um) || number(plane.PixelSizeUm);
  const interval = number(summary.Interval_ms) || number(summary.WaitInterval);
  const names = Array.isArray(summary.ChNames) ? summary.ChNames : [];
  const colors: unknown[] = Array.isArray(summary.ChColors) ? summary.ChColors : [];
  const written = [summary.StartTime, summary.Time, plane.Time].filter((text) => typeof text === "string");
  return {
    calibrations: {
      ...calibrationsOf({
        X: [pixel, "um"],
        Y: [pixel, "um"],
        Z: [slices > 1 ? Math.abs(number(summary["z-step_um"]) ?? 0) : null, "um"],
        T: [interval, "ms"],
      }),
      ...ome[0]?.calibrations,
    },
    names: names.map((name) => typeof name === "string" ? name : null),
    colors: colors.map(colorOf),
    times: rank === null ? null : ome[rank]?.times ?? null,
    moment: firstMoment(...written.map(momentOf), tagMoment(first), UNDATED),
  };
}

/** `#rrggbb` of a colour of Java: opacity, red, green and blue are the bytes of a signed number. */
function colorOf(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isInteger(value) || Math.abs(value) >= 2 ** 32) return null;
  return `#${(value & 0xffffff).toString(16).padStart(6, "0")}`;
}

/** What OME-XML says of a position. */
type OmeNote = Pick<OmeImage, "calibrations" | "times">;

/** The summary is enough to read the planes, so damaged OME-XML only costs its calibration and times. */
function omeNotes(opened: Opened): OmeNote[] {
  const text = opened.descriptions.find(isOmeXml);
  if (text === undefined) return [];
  return noted(opened, "The calibration in OME-XML", () => {
    const [first, ...others] = parseOme(upToNul(text), "the document").images;
    return first ? [noteOf(first), ...others.map(noteOfOther)] : [];
  }) ?? [];
}

function noteOf(image: XmlElement): OmeNote {
  const { calibrations, times } = readImage(image);
  return { calibrations, times };
}

/** That of an image behind the first, from which only the times are used. */
function noteOfOther(image: XmlElement): OmeNote {
  try {
    return noteOf(image);
  } catch (error) {
    if (error instanceof DecodeFailed) return { calibrations: {}, times: null };
    throw error;
  }
}
