/**
 * Micro-Manager image stacks (`_MMStack`). An index map locates each plane (`micromanager_index.ts`), so the chain of
 * directories is not walked. If the map is damaged, or the acquisition ended before it was written, the metadata of the pages
 * (tag 51123) replace it. Large acquisitions continue in files named `_1`, `_2`, and may have a file per position (`_Pos0`,
 * `_Pos1`). Each position is a scene.
 */
import { basename } from "node:path";
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../../../errors.ts";
import { buildAxes, selectCalibrations } from "../../../metadata/axes.ts";
import { formatHexColor } from "../../../metadata/channels.ts";
import { isJsonObject, type JsonObject } from "../../../metadata/json.ts";
import type { DocumentList } from "../../../io/document_list.ts";
import { chooseMoment, findMoment } from "../../../metadata/moment.ts";
import { differsByPercent } from "../../../metadata/text.ts";
import { MAX_TIME_RECORDS, scaleStamps } from "../../../metadata/time_stamps.ts";
import { type SceneEntry, sizesOf, type TimeStamps } from "../../../reader.ts";
import { listed, MAX_LISTED, unlessLost, warnIf, type Warning, warning } from "../../../warning.ts";
import { StatedNumbers } from "../../../metadata/stated_numbers.ts";
import type { Directory } from "../../directory.ts";
import { readNumberAt, SUMMARY_MARK } from "../../marks.ts";
import { readPage } from "../../page.ts";
import type { OpenedTiff, PlaneIndex, SeriesList, Stack, StackSizes } from "../../stack.ts";
import { MAX_PLANES, readOrWarn, tagMoment } from "../../stack.ts";
import { findPlanePage } from "../../stored_planes.ts";
import { TAG, tagName } from "../../tags.ts";
import { RecentFiles } from "../../plane_files.ts";
import { TiffFile } from "../../tiff_file.ts";
import {
  findMissingPart,
  listAcquisitionFiles,
  openIndexedFile,
  readFilesSummary,
  readOmeImages,
} from "./files.ts";
import type { IndexedFile } from "./files.ts";
import {
  findJsonNumber,
  readIndexMap,
  readPageMetadata,
  readPlaneMetadata,
  readSummary,
} from "./index_map.ts";
import { findJsonText, readSummaryText } from "./index_map.ts";

/** The positions of a Micro-Manager acquisition, or `null`. */
export function openMicroManager(opened: OpenedTiff): SeriesList | null {
  const { tiff, path } = opened;
  const file = openIndexedFile(path, tiff);
  if (file !== null) return new IndexedAcquisition(opened, file).series();
  readOrWarn(opened.warnings, "The index map of Micro-Manager", () => readIndexMap(tiff));
  return null;
}

/** The files of an acquisition with their index maps, and its positions. */
class IndexedAcquisition {
  readonly #opened: OpenedTiff;
  /** The opened file. */
  readonly #file: IndexedFile;
  readonly #indexed: readonly IndexedFile[];
  /** Whether the acquisition has several positions, as far as its files tell. */
  readonly #several: boolean;
  readonly #warnings: Warning[];
  readonly #pool: RecentFiles<TiffFile>;
  readonly #summary: JsonObject;
  readonly #ome: ReturnType<typeof readOmeImages>;
  /** Sizes of each position with planes. */
  readonly #found: ReadonlyMap<number, StackSizes>;
  /** Positions with planes, ascending. */
  readonly #numbers: readonly number[];
  /** Directory of the first plane of the first position, and its metadata. */
  readonly #firstPage: Directory;
  readonly #plane: JsonObject;

  constructor(opened: OpenedTiff, file: IndexedFile) {
    const { tiff, path, files } = opened;
    const named = unlessDamaged(() => readSummary(tiff), null);
    this.#opened = opened;
    this.#file = file;
    this.#several = named === null || readDeclared(named.Positions) > 1;
    const { indexed, warnings } = listAcquisitionFiles(opened, file, this.#several, named);
    this.#indexed = indexed;
    const main = indexed[0]!.path;
    this.#summary = readFilesSummary(opened, main);
    this.#ome = readOmeImages(opened, main);
    this.#pool = new RecentFiles(path, tiff, (other) => new TiffFile(files.open(other), files));
    this.#found = computePositionSizes(indexed, readDeclaredSizes(this.#summary));
    this.#numbers = [...this.#found.keys()].sort((a, b) => a - b);
    this.#firstPage = unlessDamaged(
      () => this.#directoryAt(findFirstPlane(indexed, this.#numbers[0]!)),
      opened.first,
    );
    this.#warnings = damagedMaps(indexed);
    const plane = () => readPlaneMetadata(this.#firstPage);
    this.#plane = unlessLost(this.#warnings, "The metadata of the first plane", plane) ?? {};
    this.#warnings.push(...warnings);
  }

  /** All positions as scenes. */
  series(): SeriesList {
    const numbers = this.#numbers;
    const least = this.#file.index.reduce((least, { position }) => Math.min(least, position), Infinity);
    return {
      count: numbers.length,
      own: numbers.indexOf(least),
      warnings: this.#leftOut(),
      entries: (most) => this.#entries(most),
      open: (index) => {
        // Only their order identifies the images, so every position must have one.
        const stamps = numbers.length === this.#ome.length ? this.#ome[index]!.stamps : null;
        return this.#stackAt(numbers[index]!, stamps);
      },
    };
  }

  #directoryAt({ path, offset }: DirectoryLocation): Directory {
    return this.#pool.get(path).directoryAt(offset);
  }

  /** Warns about declared positions without planes. */
  #leftOut(): Warning[] {
    const count = readDeclared(this.#summary.Positions);
    const left: string[] = [];
    for (let position = 0; position < count && left.length < MAX_LISTED; position += 1) {
      if (this.#found.has(position)) continue;
      left.push(`"${findPositionLabel(this.#summary, position) ?? `Position ${position}`}"`);
    }
    const empty = count - this.#numbers.filter((position) => position < count).length;
    const text = `Positions without planes in the files that are here are left out: ${listed(left, empty)}`;
    return warnIf(left.length > 0, "scenes_left_out", text);
  }

  /** Names and sizes of the first positions; names that only pages have are read of the first {@linkcode MAX_READ_NAMES}. */
  #entries(most: number): SceneEntry[] {
    const { samples, width, height } = readPage(this.#opened.first);
    const firstPlaces = new Map<number, DirectoryLocation>();
    for (const { path, index } of this.#indexed) {
      for (const { position, offset } of index) firstPlaces.getOrInsert(position, { path, offset });
    }
    const nameIn = (position: number): string | null => {
      const place = firstPlaces.get(position);
      const name = () => readPageMetadata(this.#directoryAt(place!)).PositionName;
      return place ? findJsonText(unlessDamaged(name, null)) || null : null;
    };
    return this.#numbers.slice(0, most).map((position, i) => {
      const { T, C, Z } = this.#found.get(position)!;
      return {
        name: findPositionLabel(this.#summary, position) ?? (i < MAX_READ_NAMES ? nameIn(position) : null),
        sizes: sizesOf(buildAxes({ T, Z, C: C * samples, Y: height, X: width }, {})),
      };
    });
  }

  /** @throws {DecodeFailed} the position declares too many planes, or its first page is damaged */
  #stackAt(position: number, stamps: Stack["stamps"]): Stack {
    const sizes = this.#found.get(position)!;
    const planes = new PositionPlanes(position, sizes, this.#indexed, this.#file);
    const { room, start } = planes;
    const layout = readPage(start ? this.#directoryAt(start) : this.#opened.first);
    const missing = start === undefined ? null : findMissingPart(start.path, this.#indexed, this.#several);
    const gone = missing === null ? "" : `; "${missing}" is missing`;
    const text = `The acquisition declares ${room} planes, but ${planes.count} are there${gone}`;
    const repeated =
      `Some planes have several entries in the index maps, of which one is served: ${planes.repeats}`;
    const first = (t: number) => {
      const place = planes.at({ t, channel: 0, z: 0 });
      return place === undefined ? null : readPageMetadata(this.#directoryAt(place));
    };
    const { warnings: doubts, ...described } = this.#description();
    return {
      ...described,
      sizes,
      layout,
      stamps: stamps ?? readElapsedTimes(sizes.T, first),
      fileSize: this.#indexed.reduce((sum, { size }) => sum + size, 0),
      files: () => this.#indexed.map(({ path }) => path),
      documents: (list) => this.#addDocuments(list),
      warnings: [
        ...this.#warnings,
        ...doubts,
        ...warnIf(planes.count !== room, "planes_missing", text),
        ...warnIf(planes.repeats > 0, "planes_repeated", repeated),
      ],
      indexBytes: this.#indexed.reduce((sum, { index }) => sum + index.length * ENTRY_BYTES, 0),
      holds: (at) => planes.at(at) !== undefined,
      plane: (at) => {
        const what = `the plane T=${at.t} C=${at.channel} Z=${at.z}`;
        const place = planes.at(at);
        if (!place) throw new PlaneNotFound(`${what} is in no index map of this acquisition${gone}`);
        const tiff = this.#pool.get(place.path);
        return { tiff, page: findPlanePage(tiff.directoryAt(place.offset, what), layout, what) };
      },
    };
  }

  /** What summary, first plane and OME-XML say of every position. */
  #description(): Pick<Stack, "calibrations" | "names" | "colors" | "moment"> & { warnings: Warning[] } {
    const [summary, plane] = [this.#summary, this.#plane];
    const warnings: Warning[] = [];
    const numbers = new StatedNumbers("The metadata of Micro-Manager");
    const pixel = findPixelSize(summary, numbers.value("PixelSizeUm", plane.PixelSizeUm), warnings, numbers);
    const steps = selectCalibrations(
      { X: [pixel, "um"], Y: [pixel, "um"], ...summarySteps(summary, numbers) },
      warnings,
    );
    warnings.push(...numbers.warnings);
    const names: unknown[] = Array.isArray(summary.ChNames) ? summary.ChNames : [];
    const colors: unknown[] = Array.isArray(summary.ChColors) ? summary.ChColors : [];
    const written = [summary.StartTime, summary.Time, plane.Time].map((text) =>
      findMoment(findJsonText(text))
    );
    return {
      calibrations: { ...steps, ...this.#ome[0]?.calibrations },
      names: names.map((name) => findJsonText(name) || null),
      colors: colors.map(formatJavaColor),
      moment: chooseMoment(...written, tagMoment(this.#firstPage)),
      warnings,
    };
  }

  #addDocuments(list: DocumentList): void {
    const { tiff, first } = this.#opened;
    if (readNumberAt(tiff, 32) === SUMMARY_MARK) {
      list.add("Micro-Manager summary", "application/json", readSummaryText(tiff, list.left));
    }
    const tag = TAG.MicroManagerMetadata;
    list.add(tagName(tag), "application/json", first.note(tag, list.left));
  }
}

/** Warns about files whose index map is damaged. */
const damagedMaps = (indexed: readonly IndexedFile[]): Warning[] =>
  indexed.filter(({ damage }) => damage !== null).map(({ path, damage }) => {
    const text = `The index map of "${basename(path)}" cannot be read: ${damage}`;
    return warning("metadata_damaged", `${text}; the metadata of its pages replace it`);
  });

/** The planes of a position. Of several entries for one plane, the last one counts; of several files, the opened one, then the first. */
class PositionPlanes {
  /** Number of planes that the sizes have. */
  readonly room: number;
  /** Number of entries beyond the first of each plane. */
  readonly repeats: number;
  readonly #sizes: StackSizes;
  readonly #places = new Map<number, DirectoryLocation>();

  /** @throws {DecodeFailed} the sizes have too many planes */
  constructor(position: number, sizes: StackSizes, indexed: readonly IndexedFile[], opened: IndexedFile) {
    this.#sizes = sizes;
    this.room = sizes.T * sizes.C * sizes.Z;
    if (this.room > MAX_PLANES) {
      throw new DecodeFailed(`the acquisition declares ${this.room} planes, more than ${MAX_PLANES}`);
    }
    let entries = 0;
    for (const { path, index } of [...indexed.filter((one) => one !== opened).reverse(), opened]) {
      for (const { channel, slice, frame, position: own, offset } of index) {
        if (own !== position) continue;
        entries += 1;
        this.#places.set(this.#numberOf({ t: frame, channel, z: slice }), { path, offset });
      }
    }
    this.repeats = entries - this.#places.size;
  }

  /** Number of planes that are there. */
  get count(): number {
    return this.#places.size;
  }

  /** The first plane that is there. */
  get start(): DirectoryLocation | undefined {
    return this.#places.get(
      this.#places.keys().reduce((least, number) => Math.min(least, number), Infinity),
    );
  }

  at(index: Omit<PlaneIndex, "l">): DirectoryLocation | undefined {
    return this.#places.get(this.#numberOf(index));
  }

  #numberOf({ t, channel, z }: Omit<PlaneIndex, "l">): number {
    return (t * this.#sizes.C + channel) * this.#sizes.Z + z;
  }
}

/**
 * The pixel size in micrometres, or `null`: that of the summary, else of the first plane. A contradiction is warned about.
 *
 * @param plane size in the metadata of the first plane
 */
export function findPixelSize(
  summary: JsonObject,
  plane: number | null,
  warnings: Warning[],
  numbers: StatedNumbers,
): number | null {
  const declared = numbers.value("PixelSize_um", summary.PixelSize_um);
  if (declared && plane && differsByPercent(declared, plane)) {
    const text = `A pixel has ${declared} um in the summary, ${plane} um in the metadata of the first plane`;
    warnings.push(warning("metadata_disagree", `${text}; the summary counts`));
  }
  return declared || (plane ?? declared);
}

/** The stated steps of slices and time points in a summary. */
export const summarySteps = (
  summary: JsonObject,
  numbers: StatedNumbers,
): Readonly<Record<"Z" | "T", readonly [step: number | null, unit: string]>> => ({
  Z: [numbers.value("z-step_um", summary["z-step_um"]), "um"],
  T: [
    numbers.value("Interval_ms", summary.Interval_ms) || numbers.value("WaitInterval", summary.WaitInterval),
    "ms",
  ],
});

/** The times of the time points in the metadata of their first planes, at most of the first {@linkcode MAX_TIME_RECORDS}. */
export function readElapsedTimes(count: number, first: (t: number) => JsonObject | null): TimeStamps | null {
  const length = count < 2 ? 0 : Math.min(count, MAX_TIME_RECORDS);
  const milliseconds = Array.from(
    { length },
    (_, t) => findJsonNumber(unlessDamaged(() => first(t), null)?.["ElapsedTime-ms"]) ?? NaN,
  );
  // Some programs write the time of the first plane only.
  return milliseconds.filter(Number.isFinite).length < 2
    ? null
    : scaleStamps(milliseconds, 1000, length < count);
}

/** File and offset of the directory of a plane. */
type DirectoryLocation = Readonly<{ path: string; offset: number }>;

/** Sizes in a summary. */
export const readDeclaredSizes = ({ Frames, Channels, Slices }: JsonObject): StackSizes => ({
  T: readDeclared(Frames),
  C: readDeclared(Channels),
  Z: readDeclared(Slices),
});

/** The first plane of a position, in the order of time, slices and channels. */
function findFirstPlane(indexed: readonly IndexedFile[], position: number): DirectoryLocation {
  let least: (DirectoryLocation & { readonly at: readonly number[] }) | null = null;
  for (const { path, index } of indexed) {
    for (const { position: own, frame, slice, channel, offset } of index) {
      if (own !== position) continue;
      const at = [frame, slice, channel];
      const differs = least === null ? 0 : at.findIndex((number, i) => number !== least!.at[i]);
      if (least === null || differs >= 0 && at[differs]! < least.at[differs]!) least = { path, offset, at };
    }
  }
  return least!;
}

/** Largest number of positions in an acquisition: a plate of 1,536 wells with fifty fields each is below it. */
const MAX_POSITIONS = 100_000;

/** Sizes of each position with planes: declared, or larger if its planes need it. @throws {DecodeFailed} too many positions */
function computePositionSizes(files: readonly IndexedFile[], declared: StackSizes): Map<number, StackSizes> {
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

/** Number of positions whose names are read from their first pages if the summary has no names. */
const MAX_READ_NAMES = 64;

/** Name of a position in the summary; in older versions the key is capitalised. */
function findPositionLabel(
  { StagePositions, InitialPositionList }: JsonObject,
  position: number,
): string | null {
  for (const list of [StagePositions, InitialPositionList]) {
    const one = Array.isArray(list) ? list[position] : null;
    const label = isJsonObject(one) ? one.label ?? one.Label : null;
    if (typeof label === "string" && label !== "") return label;
  }
  return null;
}

/** Memory of an entry of an index map, and of its plane in the map of a position. */
const ENTRY_BYTES = 80 + 128;

/** A count in a summary: 1 unless it is a positive number. */
export const readDeclared = (value: unknown): number =>
  Number.isSafeInteger(value) ? Math.max(1, Number(value)) : 1;

/** Adds the metadata of the first page (tag 51123) to plain pages: of a file per plane, or of a set that lacks its index map. */
export function withPlaneMetadata(stack: Stack, first: Directory, index: number): Stack {
  const own = index === 0 ? first : stack.layout.directory;
  if (!own.has(TAG.MicroManagerMetadata)) return stack;
  const plane = readPageMetadata(own);
  const numbers = new StatedNumbers("The metadata of Micro-Manager");
  const pixel = numbers.value("PixelSizeUm", plane.PixelSizeUm);
  const doubts: Warning[] = [];
  const steps = selectCalibrations({ X: [pixel, "um"], Y: [pixel, "um"] }, doubts);
  const text = `The metadata of Micro-Manager in ${tagName(TAG.MicroManagerMetadata)} cannot be read`;
  const isDamaged = Object.keys(plane).length === 0;
  return {
    ...stack,
    warnings: [
      ...stack.warnings,
      ...warnIf(isDamaged, "metadata_damaged", text),
      ...numbers.warnings,
      ...doubts,
    ],
    calibrations: { ...stack.calibrations, ...steps },
    names: stack.sizes.C === 1 ? [findJsonText(plane.Channel) || null] : stack.names,
    moment: chooseMoment(findMoment(findJsonText(plane.Time)), stack.moment),
  };
}

/** `#rrggbb` of a Java colour, a signed number whose bytes are opacity, red, green and blue. */
export function formatJavaColor(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isInteger(value) || Math.abs(value) >= 2 ** 32) return null;
  return formatHexColor(value >> 16, value >> 8, value);
}
