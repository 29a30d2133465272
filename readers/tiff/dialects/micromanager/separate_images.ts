/**
 * Micro-Manager acquisitions saved as separate image files: a folder for each position, with one TIFF file per plane.
 *
 *   img_000000000_DAPI_000.tif                          time, channel, slice (Micro-Manager 1)
 *   img_channel000_position000_time000000000_z000.tif   axes by name (Micro-Manager 2)
 *   metadata.txt                                        JSON: `Summary`, then an object per plane
 *
 * File names say where a plane belongs, and the records of `metadata.txt` must agree. The file is written plane by plane, so it is
 * read entry by entry up to where it is cut. Sibling folders of the same acquisition are the other positions.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../../errors.ts";
import { MAX_CHANNELS } from "../../../io/limits.ts";
import { selectCalibrations } from "../../../metadata/axes.ts";
import type { JsonObject } from "../../../metadata/json.ts";
import { chooseMoment, findMoment } from "../../../metadata/moment.ts";
import { decodeAnyText } from "../../../metadata/text.ts";
import { StatedNumbers } from "../../../metadata/stated_numbers.ts";
import type { DocumentList } from "../../../io/document_list.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { listed, missingFiles, unlessLost, warnIf, type Warning, warning } from "../../../warning.ts";
import { METADATA_NAME, SEPARATE_IMAGE } from "../../marks.ts";
import { type PageLayout, readPage } from "../../page.ts";
import { RecentFiles } from "../../plane_files.ts";
import {
  MAX_PLANES,
  type OpenedTiff,
  type SeriesList,
  type Stack,
  type StackSizes,
  tagMoment,
} from "../../stack.ts";
import { findPlanePage } from "../../stored_planes.ts";
import { TiffFile } from "../../tiff_file.ts";
import { findPixelSize, formatJavaColor, readDeclaredSizes, readElapsedTimes, summarySteps } from "./mod.ts";
import { findJsonText, readPageMetadata } from "./index_map.ts";
import { type MetadataFile, type PlaneRecord, readMetadataText, readSummaryBeside } from "./metadata_text.ts";

/** Largest number of sibling folders whose `metadata.txt` is looked at: those nearest by name. */
const MAX_SIBLINGS = 2000;

/** Indices of a plane, each from 0. */
type Indices = Readonly<Record<"t" | "channel" | "z", number>>;

/** The plane of a file by its name; a channel is a name in Micro-Manager 1, a number in 2. */
interface NamedPlane {
  readonly name: string;
  readonly position: number;
  readonly t: number;
  readonly channel: number | string;
  readonly z: number;
}

/** The positions of the acquisition that a file belongs to, or `null`. */
export function openSeparateImages(opened: OpenedTiff): SeriesList | null {
  const { path, files } = opened;
  const folder = dirname(path);
  if (parseImageName(basename(path)) === null) return null;
  const own = readMetadataText(files, folder);
  if (own === null) return null;
  const warnings: Warning[] = [];
  const positions = listPositionsIn(files.list(folder));
  if (positions.length > 1) {
    // Micro-Manager 2 puts positions without a name into one folder.
    return {
      count: positions.length,
      own: positions.indexOf(parseImageName(basename(path))!.position),
      warnings,
      entries: (most) =>
        positions.slice(0, most).map((position) => ({ name: `Position ${position}`, sizes: {} })),
      open: (index) => buildPositionStack(opened, folder, own, positions[index]!),
    };
  }
  const folders = listPositionFolders(files, folder, own.summary, warnings);
  return {
    count: folders.length,
    own: folders.indexOf(folder),
    warnings,
    entries: (most) =>
      folders.slice(0, most).map((one) => ({ name: folders.length > 1 ? basename(one) : null, sizes: {} })),
    open: (index) => {
      const one = folders[index]!;
      const metadata = one === folder ? own : readMetadataText(files, one);
      if (metadata === null) throw new DecodeFailed(`"${basename(one)}" lacks its "${METADATA_NAME}"`);
      return buildPositionStack(opened, one, metadata);
    },
  };
}

/** The positions that the file names in a folder state, ascending. */
const listPositionsIn = (names: readonly string[]): number[] =>
  [...new Set(names.flatMap((name) => parseImageName(name)?.position ?? []))].sort((a, b) => a - b);

/** The plane that a file name states, or `null` for other names. */
function parseImageName(name: string): NamedPlane | null {
  const [, time, channel, slice, axes] = SEPARATE_IMAGE.exec(name) ?? [];
  if (time !== undefined) return { name, position: 0, t: Number(time), channel: channel!, z: Number(slice) };
  if (axes === undefined) return null;
  const numbers = new Map(
    [...axes.matchAll(/_([a-z]+)(\d+)/gi)].map(([, axis, digits]) => [axis, Number(digits)]),
  );
  const along = (axis: string) => numbers.get(axis) ?? 0;
  return {
    name,
    position: along("position"),
    t: along("time"),
    channel: along("channel"),
    z: along("z"),
  };
}

/** The folders of the acquisition: those beside `folder` whose summary has the same UUID, or else the same prefix. */
function listPositionFolders(
  files: FileAccess,
  folder: string,
  summary: JsonObject,
  warnings: Warning[],
): string[] {
  const parent = dirname(folder);
  const [uuid, prefix] = [findJsonText(summary.UUID), findJsonText(summary.Prefix)];
  if (uuid === "" && prefix === "") return [folder];
  const isBeside = (other: string): boolean => {
    if (other === folder) return true;
    const path = join(other, METADATA_NAME);
    const what = `"${METADATA_NAME}" of "${basename(other)}"`;
    const summary = unlessLost(warnings, what, () => readSummaryBeside(files, path)) ?? {};
    const otherUuid = findJsonText(summary.UUID);
    return uuid !== "" && otherUuid !== ""
      ? uuid === otherUuid
      : prefix !== "" && prefix === findJsonText(summary.Prefix);
  };
  const what = `The folder "${basename(parent)}", in which other positions are looked for,`;
  const names =
    unlessLost(warnings, what, () => files.list(parent), "scenes_left_out")?.sort(compareByNumber) ?? [];
  const left = Math.max(0, names.length - MAX_SIBLINGS);
  const start = Math.min(left, Math.max(0, names.indexOf(basename(folder)) - MAX_SIBLINGS / 2));
  const text = `"${
    basename(parent)
  }" has ${names.length} entries, and positions are looked for in ${MAX_SIBLINGS}`;
  warnings.push(...warnIf(left > 0, "scenes_left_out", text));
  const near = names.slice(start, start + MAX_SIBLINGS);
  const folders = near.map((name) => join(parent, name)).filter(isBeside);
  return folders.includes(folder) ? folders : [folder, ...folders];
}

const compareByNumber = (a: string, b: string) =>
  a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : 1);

/** The images of one position in a folder, by their names. */
class PositionImages {
  /** Names of all files in the folder. */
  readonly listing: readonly string[];
  /** The position, and others that the folder holds. */
  readonly served: number | undefined;
  readonly others: readonly number[];
  readonly named: readonly NamedPlane[];
  readonly channels: FileChannels;
  readonly places: readonly (Indices & { readonly name: string })[];
  readonly sizes: StackSizes;
  /** Number of planes that the sizes have. */
  readonly room: number;
  /** Bytes of metadata and images. */
  readonly fileSize: number;
  /** Names of the served files, in the order of planes. */
  readonly ordered: readonly string[];
  readonly #names = new Map<number, string>();

  /** @throws {DecodeFailed} the folder has no images of the position, or too many channels or planes */
  constructor(files: FileAccess, folder: string, metadata: MetadataFile, position?: number) {
    // A link that leaves the roots counts as missing.
    this.listing = files.list(folder);
    [this.served = position, ...this.others] = position === undefined
      ? listPositionsIn(this.listing)
      : [position];
    let fileSize = metadata.size;
    this.named = this.listing.flatMap((name) => {
      const found = parseImageName(name);
      const plane = found?.position === this.served ? found : null;
      const size = plane && files.sizeOf(join(folder, name));
      fileSize += size ?? 0;
      return plane === null || size === null ? [] : [plane];
    });
    this.fileSize = fileSize;
    if (this.named.length === 0) throw new DecodeFailed(`"${basename(folder)}" holds no image`);
    this.channels = numberChannels(this.named, metadata);
    this.places = this.named.map(({ t, channel, z, name }) => ({
      t,
      channel: typeof channel === "number" ? channel : this.channels.numbers.get(channel)!,
      z,
      name,
    }));
    this.sizes = this.#measure(readDeclaredSizes(metadata.summary));
    this.room = this.sizes.T * this.sizes.C * this.sizes.Z;
    if (this.sizes.C > MAX_CHANNELS) {
      throw new DecodeFailed(`its names count ${this.sizes.C} channels, more than ${MAX_CHANNELS}`);
    }
    if (this.room > MAX_PLANES) {
      throw new DecodeFailed(`its names count ${this.room} planes, more than ${MAX_PLANES}`);
    }
    for (const place of this.places) this.#names.getOrInsert(this.#numberOf(place), place.name);
    this.ordered = [...this.#names].sort(([a], [b]) => a - b).map(([, name]) => name);
  }

  /** Number of planes that have a file. */
  get count(): number {
    return this.#names.size;
  }

  nameAt(index: Indices): string | undefined {
    return this.#names.get(this.#numberOf(index));
  }

  /** Declared sizes, or larger ones if names need them. */
  #measure(declared: StackSizes): StackSizes {
    const most = (of: keyof Indices) => 1 + this.places.reduce((last, place) => Math.max(last, place[of]), 0);
    return {
      T: Math.max(declared.T, most("t")),
      C: Math.max(declared.C, this.channels.names.length, most("channel")),
      Z: Math.max(declared.Z, most("z")),
    };
  }

  #numberOf({ t, channel, z }: Indices): number {
    return (t * this.sizes.C + channel) * this.sizes.Z + z;
  }
}

/**
 * The stack of one position of a folder.
 *
 * @param position by default the first one in the folder
 * @throws {DecodeFailed} the folder has no images of the position, or too many channels or planes
 */
function buildPositionStack(
  opened: OpenedTiff,
  folder: string,
  metadata: MetadataFile,
  position?: number,
): Stack {
  const { files } = opened;
  const { summary, records } = metadata;
  const images = new PositionImages(files, folder, metadata, position);
  const { sizes, ordered } = images;
  const open = (path: string) => new TiffFile(files.open(path), files);
  const pool = new RecentFiles(opened.path, opened.tiff, open);
  const layout = findFirstLayout(pool, ordered.map((name) => join(folder, name)));
  const first = records.get(ordered[0]!);
  const page = readPageMetadata(layout.directory);
  const { calibrations, warnings: doubts } = readFolderSteps(summary, first, page);
  const colors: unknown[] = Array.isArray(summary.ChColors) ? summary.ChColors : [];
  const written = [summary.StartTime, summary.Time, first?.time, page.Time].map((text) =>
    findMoment(findJsonText(text))
  );
  return {
    sizes,
    layout,
    calibrations,
    names: Array.from({ length: sizes.C }, (_, i) => images.channels.names[i] || null),
    colors: colors.map(formatJavaColor),
    stamps: readElapsedTimes(sizes.T, (t) => {
      const name = images.nameAt({ t, channel: 0, z: 0 });
      const milliseconds = name === undefined ? undefined : records.get(name)?.milliseconds;
      return milliseconds === undefined ? null : { "ElapsedTime-ms": milliseconds };
    }),
    moment: chooseMoment(...written, tagMoment(layout.directory)),
    fileSize: images.fileSize,
    files: () => listFolderFiles(files, folder, images),
    documents: (list) => addMetadataFile(list, files, folder),
    warnings: [
      ...metadata.warnings,
      ...warnAboutImages(folder, images, records),
      ...doubts,
      ...warnAboutIndices(images.places, records, images.channels.names),
      ...warnIf(
        layout.directory.next !== 0,
        "content_left_out",
        "The files have further pages, of which the names say nothing; the first page is served",
      ),
    ],
    indexBytes: images.places.length * PLACE_BYTES + records.size * RECORD_BYTES,
    holds: (index) => images.nameAt(index) !== undefined,
    plane: (index) => {
      const name = images.nameAt(index);
      const what = `the plane T=${index.t} C=${index.channel} Z=${index.z}`;
      if (name === undefined) throw new PlaneNotFound(`${what} has no file in "${basename(folder)}"`);
      const tiff = pool.get(join(folder, name));
      return { name, tiff, page: findPlanePage(tiff.first, layout, what) };
    },
  };
}

function addMetadataFile(list: DocumentList, files: FileAccess, folder: string): void {
  using file = files.openNeighbour(join(folder, METADATA_NAME));
  const whole = file !== null && file.size <= list.left;
  const text = whole ? decodeAnyText(file.read(0, file.size, METADATA_NAME)) : null;
  list.add(METADATA_NAME, "application/json", text);
}

/** Steps by the summary, the record of the first plane and the metadata of its page. */
function readFolderSteps(
  summary: JsonObject,
  first: PlaneRecord | undefined,
  page: JsonObject,
): Pick<Stack, "calibrations"> & { readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const numbers = new StatedNumbers("The metadata of Micro-Manager");
  const own = first?.pixel ?? numbers.value("PixelSizeUm", page.PixelSizeUm);
  const pixel = findPixelSize(summary, own, warnings, numbers);
  const steps = { X: [pixel, "um"], Y: [pixel, "um"], ...summarySteps(summary, numbers) } as const;
  const calibrations = selectCalibrations(steps, warnings);
  return { calibrations, warnings: [...warnings, ...numbers.warnings] };
}

/** All files of a folder's acquisition: also those of other positions, and those that repeat a plane, are not acquisitions of their own. */
function listFolderFiles(
  files: FileAccess,
  folder: string,
  { listing, named, ordered }: PositionImages,
): string[] {
  const stored = new Set(named.map(({ name }) => name));
  const isServed = new Set(ordered);
  const rest = listing.filter((name) => parseImageName(name) !== null && !stored.has(name));
  const repeats = named.flatMap(({ name }) => isServed.has(name) ? [] : [name]);
  const more = rest.map((name) => join(folder, name)).filter((path) => files.sizeOf(path) !== null);
  return [...[...ordered, ...repeats].map((name) => join(folder, name)), ...more];
}

/** Warns about images that are missing, that repeat a plane, or that belong to other positions. */
function warnAboutImages(
  folder: string,
  images: PositionImages,
  records: MetadataFile["records"],
): Warning[] {
  const { named, served, places, others, room, count } = images;
  const stored = new Set(named.map(({ name }) => name));
  const gone = [...records.keys()].filter((name) =>
    parseImageName(name)?.position === served && !stored.has(name)
  );
  const repeated = places.flatMap((place) => {
    const other = images.nameAt(place)!;
    return other === place.name ? [] : [`"${place.name}" (as "${other}")`];
  });
  const text = `The acquisition declares ${room} planes, but ${count} are there`;
  const same = `Files state the same plane as others, which are served: ${listed(repeated)}`;
  const beside = `"${basename(folder)}" holds other positions, to be opened by their files: ${
    listed(others.map(String))
  }`;
  return [
    ...missingFiles(gone),
    ...warnIf(count !== room, "planes_missing", text),
    ...warnIf(repeated.length > 0, "planes_repeated", same),
    ...warnIf(others.length > 0, "content_left_out", beside),
  ];
}

/** Memory of a plane's name and place, and of its record. */
const [PLACE_BYTES, RECORD_BYTES] = [400, 400];

/** The channels: their names, and the number of each name that files have. */
interface FileChannels {
  readonly names: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;
}

/** Name that Micro-Manager gives the channel of an acquisition without channels. */
const PLACEHOLDER = "Default";

/**
 * The number of a channel is its place in the summary, else the one in a record, since names of files lack characters that file
 * systems forbid; other names follow in alphabetical order.
 */
function numberChannels(named: readonly NamedPlane[], { summary, records }: MetadataFile): FileChannels {
  const names = (Array.isArray(summary.ChNames) ? summary.ChNames : []).map(findJsonText);
  const numbers = new Map<string, number>();
  const unknown: string[] = [];
  const files = new Map(named.map(({ channel, name }) => [channel, name]));
  if (files.size > MAX_CHANNELS) {
    throw new DecodeFailed(`its names count ${files.size} channels, more than ${MAX_CHANNELS}`);
  }
  for (const [channel, file] of files) {
    const record = records.get(file);
    if (typeof channel === "number") {
      if (record && channel < MAX_CHANNELS) names[channel] ||= record.channelName;
      continue;
    }
    const place = channel.trim() === "" ? -1 : names.indexOf(channel);
    const number = place >= 0 ? place : record?.channel ?? -1;
    if (number < 0 || number >= MAX_CHANNELS || numbers.values().some((other) => other === number)) {
      unknown.push(channel);
    } else numbers.set(channel, number);
  }
  for (const channel of unknown.sort()) numbers.set(channel, Math.max(-1, ...numbers.values()) + 1);
  for (const [channel, number] of numbers) names[number] ||= channel;
  return { names: Array.from(names, (name) => name === PLACEHOLDER ? "" : name ?? ""), numbers };
}

/** The layout of the first readable file. @throws {DecodeFailed} none is readable */
function findFirstLayout(files: RecentFiles<TiffFile>, paths: readonly string[]): PageLayout {
  let failure: DecodeFailed | null = null;
  for (const path of paths.slice(0, MAX_TRIED)) {
    try {
      return readPage(files.get(path).first);
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? new DecodeFailed("it has no images");
}

/** Number of files that are tried for the layout. */
const MAX_TRIED = 64;

/** Warns about records that give other indices than the names of their files, which count. */
function warnAboutIndices(
  places: readonly (Indices & { readonly name: string })[],
  records: ReadonlyMap<string, PlaneRecord>,
  channels: readonly string[],
): Warning[] {
  const differ = (stated: number | null, index: number) => stated !== null && stated !== index;
  const others = places.filter(({ name, t, channel, z }) => {
    const record = records.get(name);
    if (record === undefined) return false;
    const otherName = record.channelName !== "" && channels.includes(record.channelName) &&
      record.channelName !== channels[channel];
    return differ(record.t, t) || differ(record.z, z) || differ(record.channel, channel) || otherName;
  }).map(({ name }) => `"${name}"`);
  if (others.length === 0) return [];
  const text = `"${METADATA_NAME}" gives other indices than the names of ${others.length} files`;
  return [warning("metadata_disagree", `${text}, which count: ${listed(others)}`)];
}
