/**
 * Micro-Manager image stacks (`_MMStack`). An index map locates each plane (`micromanager_index.ts`), so the chain of
 * directories is not walked. If the map is damaged, or the acquisition ended before it was written, the metadata of the pages
 * (tag 51123) replace it. Large acquisitions continue in files named `_1`, `_2`, and may have a file per position (`_Pos0`,
 * `_Pos1`). Each position is a scene.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../../errors.ts";
import { axesOf, calibrationsOf } from "../../metadata/axes.ts";
import { hexColor } from "../../metadata/channels.ts";
import { isJsonObject, type JsonObject } from "../../metadata/json.ts";
import { firstMoment, momentOf } from "../../metadata/moment.ts";
import { type SceneEntry, sizesOf } from "../../reader.ts";
import { listed, MAX_LISTED, warnIf, type Warning, warning } from "../../warning.ts";
import { type Directory, upToNul } from "../directory.ts";
import { isOmeXml, MICRO_MANAGER, numberAt, SUMMARY_MARK } from "../marks.ts";
import { readPage } from "../page.ts";
import type { Opened, PlaneIndex, SeriesList, Stack, StackSizes } from "../stack.ts";
import { MAX_PLANES, noted, tagMoment } from "../stack.ts";
import { planePage } from "../stored_planes.ts";
import { TAG, tagName } from "../tags.ts";
import { readOther, RecentFiles } from "../plane_files.ts";
import { TiffFile } from "../tiff_file.ts";
import { type IndexEntry, pageIndices, planeMetadata, readIndexMap } from "./micromanager_index.ts";
import { numberIn, readSummary, summaryText, textIn } from "./micromanager_index.ts";
import { type OmeImage, parseOme, readImage } from "./ome_xml.ts";

type IndexedFile = Readonly<{ path: string; index: readonly IndexEntry[] }>;

/** The positions of a Micro-Manager acquisition, or `null`. */
export function openMicroManager(opened: Opened): SeriesList | null {
  const { tiff, path, files } = opened;
  const summary = noted(opened.warnings, "The summary of Micro-Manager", () => readSummary(tiff)) ?? {};
  const index = noted(opened.warnings, "The index map of Micro-Manager", () => readIndexMap(tiff)) ??
    pageIndices(tiff);
  if (index === null) return null;
  const sizes = { T: declared(summary.Frames), C: declared(summary.Channels), Z: declared(summary.Slices) };
  const { others, missing } = partNames(opened, declared(summary.Positions) > 1);
  const indexed: IndexedFile[] = [{ path, index }];
  const own = positionSizes(indexed, sizes);
  const first = own.keys().reduce((least, position) => Math.min(least, position));
  const { T, C, Z } = own.get(first)!;
  const isComplete = index.length >= T * C * Z * declared(summary.Positions);
  const warnings: Warning[] = [];
  let fileSize = tiff.file.size;
  for (const name of isComplete ? [] : others) {
    const other = join(dirname(path), name);
    const read = readOther(files, other, (tiff) => ({ index: readIndexMap(tiff), size: tiff.file.size }));
    if (typeof read === "string") {
      warnings.push(warning("file_unreadable", `"${name}" of this acquisition is left out: ${read}`));
    } else {
      indexed.push({ path: other, index: read.index });
      fileSize += read.size;
    }
  }
  const ome = omeNotes(opened);
  const pool = new RecentFiles(path, tiff, (other) => new TiffFile(files.open(other), files));
  const gone = missing === null ? "" : `; "${missing}" is missing`;
  /** Name of a position in the metadata of its first page, or `null`. */
  const nameIn = (position: number): string | null => {
    for (const { path, index } of indexed) {
      const entry = index.find((one) => one.position === position);
      if (entry === undefined) continue;
      const read = () => planeMetadata(pool.get(path).directoryAt(entry.offset)).PositionName;
      return textIn(unlessDamaged(read, null)) || null;
    }
    return null;
  };
  const stackOf = (position: number, sizes: StackSizes, stamps: Stack["stamps"]): Stack => {
    const { T, C, Z } = sizes;
    const room = T * C * Z;
    if (room > MAX_PLANES) {
      throw new DecodeFailed(`the acquisition declares ${room} planes, more than ${MAX_PLANES}`);
    }
    const numberOfPlane = ({ t, channel, z }: Omit<PlaneIndex, "l">) => (t * C + channel) * Z + z;
    // If two entries name the same plane, the last one counts.
    const places = new Map<number, { readonly path: string; readonly offset: number }>();
    for (const { path, index } of indexed) {
      for (const { channel, slice, frame, position: own, offset } of index) {
        if (own === position) places.set(numberOfPlane({ t: frame, channel, z: slice }), { path, offset });
      }
    }
    const [start] = places.values();
    const layout = readPage(start ? pool.get(start.path).directoryAt(start.offset) : opened.first);
    const plane = planeMetadata(opened.first);
    const pixel = numberIn(summary.PixelSize_um) || numberIn(plane.PixelSizeUm);
    const depth = Z > 1 ? Math.abs(numberIn(summary["z-step_um"]) ?? 0) : null;
    const interval = numberIn(summary.Interval_ms) || numberIn(summary.WaitInterval);
    const names: unknown[] = Array.isArray(summary.ChNames) ? summary.ChNames : [];
    const colors: unknown[] = Array.isArray(summary.ChColors) ? summary.ChColors : [];
    const written = [summary.StartTime, summary.Time, plane.Time].map((text) => momentOf(textIn(text)));
    const steps = calibrationsOf({
      X: [pixel, "um"],
      Y: [pixel, "um"],
      Z: [depth, "um"],
      T: [interval, "ms"],
    });
    const text = `The acquisition declares ${room} planes, but ${places.size} are there${gone}`;
    return {
      sizes,
      layout,
      calibrations: { ...steps, ...ome[0]?.calibrations },
      names: names.map((name) => textIn(name) || null),
      colors: colors.map(colorOf),
      stamps: stamps ?? null,
      moment: firstMoment(...written, tagMoment(opened.first)),
      fileSize,
      files: () => indexed.map(({ path }) => path),
      documents: (list) => {
        if (numberAt(tiff, 32) === SUMMARY_MARK) {
          list.add("Micro-Manager summary", "application/json", summaryText(tiff, list.left));
        }
        const tag = TAG.MicroManagerMetadata;
        list.add(tagName(tag), "application/json", opened.first.note(tag, list.left));
      },
      warnings: [...warnings, ...warnIf(places.size !== room, "planes_missing", text)],
      indexBytes: indexed.reduce((sum, { index }) => sum + index.length * ENTRY_BYTES, 0),
      holds: (at) => places.has(numberOfPlane(at)),
      plane: (at) => {
        const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
        const place = places.get(numberOfPlane(at));
        if (!place) throw new PlaneNotFound(`${what} is in no index map of this acquisition${gone}`);
        const tiff = pool.get(place.path);
        return { tiff, page: planePage(tiff.directoryAt(place.offset, what), layout, what) };
      },
    };
  };
  const found = positionSizes(indexed, sizes);
  const numbers = [...found.keys()].sort((a, b) => a - b);
  const { samples, width, height } = readPage(opened.first);
  const count = declared(summary.Positions);
  const left: string[] = [];
  for (let position = 0; position < count && left.length < MAX_LISTED; position += 1) {
    if (!found.has(position)) left.push(`"${labelOf(summary, position) ?? `Position ${position}`}"`);
  }
  const empty = count - numbers.filter((position) => position < count).length;
  const text = `Positions that hold no planes are left out: ${listed(left, empty)}`;
  return {
    count: numbers.length,
    own: numbers.indexOf(first),
    warnings: warnIf(left.length > 0, "scenes_left_out", text),
    entries: (most) =>
      numbers.slice(0, most).map((position, i): SceneEntry => {
        const { T, C, Z } = found.get(position)!;
        return {
          name: labelOf(summary, position) ?? (i < MAX_READ_NAMES ? nameIn(position) : null),
          sizes: sizesOf(axesOf({ T, Z, C: C * samples, Y: height, X: width }, {})),
        };
      }),
    open: (index) => {
      const position = numbers[index]!;
      // Only their order identifies the images, so every position must have one.
      const stamps = numbers.length === ome.length ? ome[index]!.stamps : null;
      return stackOf(position, found.get(position)!, stamps);
    },
  };
}

/**
 * The other files of an acquisition, with the same name up to `_MMStack`; with `several`, positions may have files of their own,
 * named between `_MMStack` and the number. `missing` is the first missing continuation: a gap, or the one after the last.
 */
function partNames({ path, files }: Opened, several: boolean): { others: string[]; missing: string | null } {
  const name = basename(path);
  const [, stem, ending] = /^(.*?_MMStack[^.]*?)(?:_\d+)?(\.ome\.tiff?)$/i.exec(name) ?? [];
  if (stem === undefined) return { others: [], missing: null };
  const [acquisition = stem] = MICRO_MANAGER.exec(stem) ?? [];
  const numbers = new Set<number>();
  const others = files.list(dirname(path)).filter((other) => {
    const part = other.startsWith(stem) ? /^(?:_(\d+))?\.ome\.tiff?$/i.exec(other.slice(stem.length)) : null;
    if (part) numbers.add(Number(part[1] ?? 0));
    const isPosition = several && other.startsWith(acquisition) &&
      /^[^.]*\.ome\.tiff?$/i.test(other.slice(acquisition.length));
    return (part !== null || isPosition) && other !== name;
  });
  let first = 0;
  while (numbers.has(first)) first += 1;
  return { others, missing: `${stem}${first === 0 ? "" : `_${first}`}${ending}` };
}

/** Largest number of positions in an acquisition: a plate of 1,536 wells with fifty fields each is below it. */
const MAX_POSITIONS = 100_000;

/** Sizes of each position with planes: declared, or larger if its planes need it. @throws {DecodeFailed} too many positions */
function positionSizes(files: readonly IndexedFile[], declared: StackSizes): Map<number, StackSizes> {
  const found = new Map<number, { T: number; C: number; Z: number }>();
  for (const entry of files.values().flatMap(({ index }) => index)) {
    const sizes = found.getOrInsertComputed(entry.position, () => ({ ...declared }));
    if (found.size > MAX_POSITIONS) {
      throw new DecodeFailed(`the index map has more than ${MAX_POSITIONS} positions`);
    }
    sizes.T = Math.max(sizes.T, entry.frame + 1);
    sizes.C = Math.max(sizes.C, entry.channel + 1);
    sizes.Z = Math.max(sizes.Z, entry.slice + 1);
  }
  return found;
}

/** The positions in OME-XML. Planes do not need it: if it is damaged, only calibration and time stamps are lost. */
function omeNotes({ descriptions, warnings }: Opened): Pick<OmeImage, "calibrations" | "stamps">[] {
  const text = descriptions.find(isOmeXml);
  if (text === undefined) return [];
  const images = () => parseOme(upToNul(text), "the document").images.map((image) => readImage(image));
  const found = noted(warnings, "The calibration in OME-XML", images) ?? [];
  return found.map(({ calibrations, stamps }) => ({ calibrations, stamps }));
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

/** Memory of an entry of an index map, and of its plane in the map of a position. */
const ENTRY_BYTES = 80 + 128;

const declared = (value: unknown): number => Number.isSafeInteger(value) ? Math.max(1, Number(value)) : 1;

/** Adds the metadata of the first page (tag 51123) to plain pages: of a file per plane, or of a set that lacks its index map. */
export function withPlaneMetadata(stack: Stack, first: Directory, index: number): Stack {
  const own = index === 0 ? first : stack.layout.directory;
  if (!own.has(TAG.MicroManagerMetadata)) return stack;
  const plane = planeMetadata(own);
  const pixel = numberIn(plane.PixelSizeUm);
  const text = `The metadata of Micro-Manager in ${tagName(TAG.MicroManagerMetadata)} cannot be read`;
  const isDamaged = Object.keys(plane).length === 0;
  return {
    ...stack,
    warnings: [...stack.warnings, ...warnIf(isDamaged, "metadata_damaged", text)],
    calibrations: { ...stack.calibrations, ...calibrationsOf({ X: [pixel, "um"], Y: [pixel, "um"] }) },
    names: stack.sizes.C === 1 ? [textIn(plane.Channel) || null] : stack.names,
    moment: firstMoment(momentOf(textIn(plane.Time)), stack.moment),
  };
}

/** `#rrggbb` of a Java colour, a signed number whose bytes are opacity, red, green and blue. */
function colorOf(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isInteger(value) || Math.abs(value) >= 2 ** 32) return null;
  return hexColor(value >> 16, value >> 8, value);
}
