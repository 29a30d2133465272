/**
 * The pages of an LSM file, and the planes in them by scene, time, focus and channel. Offsets have 32 bits and wrap around in files
 * above 4 GB. In the order in which pages were written, each offset is greater than the one before, or 2^32 must be added.
 */
import { lzwToLength } from "../codecs/lzw.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { isSampleType } from "../samples/to_float32.ts";
import type { Directory } from "../tiff/directory.ts";
import {
  isPlanar,
  layOutInOneStrip,
  MAX_SEGMENTS,
  nameDirectory,
  type PageLayout,
  readPageSize,
  type SampleKind,
  UNCOMPRESSED,
} from "../tiff/page.ts";
import { countRowBytes } from "../tiff/segment_table.ts";
import type { PlaneSource, StripPlaces } from "../tiff/stack.ts";
import { warnAboutChain } from "../tiff/stored_planes.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import type { Warning } from "../warning.ts";
import { type Dimensions, numberPlane, type PlaceOfPlane } from "./info_record.ts";

/** Value of Compression for LZW, the only compression in use. */
const LZW = 5;

/**
 * An image page. Its samples are channels, usually each in strips of its own (`planar`). PhotometricInterpretation and ColorMap are
 * meaningless, and RowsPerStrip is often missing or wrong.
 */
export interface LsmPage
  extends Pick<PageLayout, "directory" | "width" | "height" | "planar" | "compression" | "predictor"> {
  readonly samples: readonly (Pick<PageLayout, "kind" | "sampleType"> & { readonly bits: number })[];
  /** Number of strips: per channel if planar, else of all channels together. */
  readonly strips: number;
  readonly stripRows: number;
}

/** Reads an image page. @throws {DecodeFailed} a tag is missing, out of range or has a value that LSM does not use */
export function readLsmPage(tiff: TiffFile, directory: Directory): LsmPage {
  const { width, height, samples: count } = readPageSize(directory);
  const compression = directory.number(TAG.Compression) ?? UNCOMPRESSED;
  if (compression !== UNCOMPRESSED && compression !== LZW) {
    throw new DecodeFailed(`${tagName(TAG.Compression)} is ${compression}; LSM uses only 1 and 5`);
  }
  const samples = readSampleLayout(tiff, directory, count);
  const planar = count > 1 && isPlanar(directory, count);
  const [first] = samples;
  if (!planar && samples.some(({ bits, kind }) => bits !== first?.bits || kind !== first.kind)) {
    throw new DecodeFailed(`${nameDirectory(directory)} has interleaved samples of several types`);
  }
  const bytesInRow = width * (first?.bits ?? 8) / 8 * (planar ? 1 : count);
  return {
    directory,
    width,
    height,
    samples,
    planar,
    compression,
    // Some programs declare a predictor for raw samples but do not apply it.
    predictor: compression === LZW ? directory.number(TAG.Predictor) ?? 1 : 1,
    ...locateStrips(directory, { height, rowBytes: bytesInRow, channels: planar ? count : 1 }),
  };
}

/** Values of SampleFormat (TIFF 6.0, section 19). */
const KINDS: Readonly<Record<number, SampleKind>> = { 1: "uint", 2: "int", 3: "float" };

function readSampleLayout(tiff: TiffFile, directory: Directory, count: number): LsmPage["samples"] {
  const widths = readBits(tiff, directory);
  const formats = directory.numbers(TAG.SampleFormat, MAX_CHANNELS);
  return Array.from({ length: count }, (_, i) => {
    const bits = widths[widths.length < count ? 0 : i];
    if (bits === undefined) {
      throw new DecodeFailed(`${nameDirectory(directory)} lacks ${tagName(TAG.BitsPerSample)}`);
    }
    // The tag is usually missing; 32-bit samples are then floats.
    const format = formats[formats.length < count ? 0 : i] ?? (bits === 32 ? 3 : 1);
    const kind = KINDS[format];
    const sampleType = `${kind}${bits}`;
    if (kind === undefined || ![8, 16, 32].includes(bits) || !isSampleType(sampleType)) {
      const text = `${bits} bits, ${tagName(TAG.SampleFormat)} ${format}`;
      throw new DecodeFailed(`${nameDirectory(directory)} has unsupported samples of ${text}`);
    }
    return { bits, kind, sampleType };
  });
}

/** Values of BitsPerSample. Two values would fit into the entry, but LSM stores their offset there. */
function readBits({ window }: TiffFile, directory: Directory): readonly number[] {
  const values = directory.numbers(TAG.BitsPerSample, MAX_CHANNELS);
  const [low = 0, high = 0] = values;
  const isShort = directory.entry(TAG.BitsPerSample)?.type === 3;
  if (!isShort || values.length !== 2 || values.every((bits) => [8, 12, 16, 32].includes(bits))) {
    return [...values];
  }
  const view = window.view(low + high * 0x1_0000, 4, `the value of ${tagName(TAG.BitsPerSample)}`);
  return [view.getUint16(0, true), view.getUint16(2, true)];
}

function locateStrips(
  directory: Directory,
  { height, rowBytes, channels }: Readonly<Record<"height" | "rowBytes" | "channels", number>>,
): Pick<LsmPage, "strips" | "stripRows"> {
  const all = directory.count(TAG.StripOffsets);
  const strips = all / channels;
  if (all === 0) throw new DecodeFailed(`${nameDirectory(directory)} lacks ${tagName(TAG.StripOffsets)}`);
  if (!Number.isInteger(strips) || all > MAX_SEGMENTS) {
    throw new DecodeFailed(`${tagName(TAG.StripOffsets)} has ${all} values for ${channels} channels`);
  }
  if (strips === 1) return { strips, stripRows: height };
  // Even for compressed strips, the lengths are those of raw samples.
  const candidates = [
    (directory.noteNumber(TAG.StripByteCounts) ?? 0) / rowBytes,
    directory.noteNumber(TAG.RowsPerStrip) ?? 0,
    Math.ceil(height / strips),
  ];
  const stripRows = candidates.find((rows) =>
    Number.isInteger(rows) && rows > 0 && Math.ceil(height / rows) === strips
  );
  if (stripRows === undefined) {
    throw new DecodeFailed(
      `${tagName(TAG.StripOffsets)} has ${strips} strips of a channel for ${height} rows`,
    );
  }
  return { strips, stripRows };
}

/** True if each channel of a page has strips of its own. */
export const hasOwnStrips = ({ planar, samples }: LsmPage): boolean => planar || samples.length === 1;

/** Size and types of the planes of a page, as one text. */
const describePlaneKind = ({ width, height, planar, samples }: LsmPage): string =>
  [width, height, planar, ...samples.map(({ sampleType }) => sampleType)].join();

/** The layout of one channel of a page, or of all interleaved channels (0). @param rows fewer than declared in a cut line scan */
function layOutPage(page: LsmPage, channel: number, rows: number): PageLayout {
  const held = page.planar ? page.samples.slice(channel, channel + 1) : page.samples;
  const { kind, sampleType } = held[0] ?? { kind: "uint", sampleType: "uint8" };
  const stripRows = Math.min(page.stripRows, rows);
  const { directory, width, compression, predictor } = page;
  const bits = held.map((sample) => sample.bits);
  return {
    ...layOutInOneStrip({ directory, width, height: rows, bits, kind, sampleType }),
    compression,
    predictor,
    segmentHeight: stripRows,
    down: Math.ceil(rows / stripRows),
  };
}

/** Bit of NewSubfileType (TIFF 6.0) for a reduced image, here a thumbnail. */
const REDUCED = 1;

const ROUND = 2 ** 32;

/** Pages by page number in the chain, and the offsets of their strips. */
export class PageList {
  readonly offsets: number[] = [];
  readonly planes: number[] = [];
  readonly warnings: readonly Warning[];
  readonly #tiff: TiffFile;
  /** For each page, the full offset that precedes its first strip; `null` in files up to 4 GB. */
  #before: Float64Array | null = null;

  /** Walks the chain up to one plane more than `most`. @throws {DecodeFailed} the first directory is damaged */
  constructor(tiff: TiffFile, most: number) {
    this.#tiff = tiff;
    for (let page = 0; this.planes.length <= most; page += 1) {
      const directory = tiff.directory(page);
      if (directory === null) break;
      this.offsets.push(directory.offset);
      const isThumbnail = ((directory.noteNumber(TAG.NewSubfileType) ?? 0) & REDUCED) !== 0;
      if (page === 0 || !isThumbnail) this.planes.push(page);
    }
    this.warnings = warnAboutChain(tiff, this.offsets.length);
  }

  /** Finds the full offsets in a file above 4 GB. @param order numbers of the planes in the order of writing */
  unwrap(order: Iterable<number>, stop: StopFlag): void {
    if (this.#tiff.file.size <= ROUND) return;
    const before = new Float64Array(this.offsets.length).fill(NaN);
    let last = 0;
    for (const page of this.#written(order)) {
      stop.check();
      const strips = this.strips(page);
      // The recording was interrupted here.
      if (strips === null) break;
      before[page] = last;
      last = unwrapOffsets(strips, last).at(-1) ?? last;
    }
    this.#before = before;
  }

  /** The pages of planes and thumbnails in the order of writing: each pair is in the order of the first pair. */
  *#written(order: Iterable<number>): Generator<number> {
    const [plane = 0, thumbnail = Infinity] = this.#pair(0).map((page) => this.strips(page)?.[0] ?? 0);
    for (const number of order) {
      const pair = this.#pair(number);
      yield* plane > thumbnail ? pair.reverse() : pair;
    }
  }

  /** The page of a plane and, if there is one, the page of its thumbnail. */
  #pair(plane: number): number[] {
    const page = this.planes[plane];
    if (page === undefined) return [];
    const hasThumbnail = page + 1 < this.offsets.length && this.planes[plane + 1] !== page + 1;
    return hasThumbnail ? [page, page + 1] : [page];
  }

  /** Offsets of the strips of a page; `null` if they were never written. @throws {DecodeFailed} the page is damaged */
  strips(page: number): Float64Array | null {
    const stored = this.#tiff.directoryAt(this.offsets[page]!).numbers(TAG.StripOffsets, MAX_SEGMENTS);
    if (stored.every((at) => at === 0)) return null;
    if (this.#before === null) return stored;
    const before = this.#before[page] ?? NaN;
    return Number.isNaN(before) ? null : unwrapOffsets(stored, before);
  }

  get indexBytes(): number {
    return (this.offsets.length + this.planes.length) * 16 + (this.#before?.byteLength ?? 0);
  }
}

/** Full offsets of strips. @throws {DecodeFailed} only some strips of a page were written */
function unwrapOffsets(offsets: Float64Array, before: number): Float64Array {
  let last = before;
  return offsets.map((offset) => {
    if (offset === 0) throw new DecodeFailed(`${tagName(TAG.StripOffsets)} is 0 for some strips of a page`);
    const round = last - last % ROUND;
    return last = offset < last % ROUND ? round + ROUND + offset : round + offset;
  });
}

/** The planes in the pages of a file. */
export class LsmPlanes {
  readonly #tiff: TiffFile;
  readonly #pages: PageList;
  readonly #first: LsmPage;
  readonly #dimensions: Dimensions;
  /** The file of an uncompressed line scan may end before the last line. */
  readonly #mayBeCut: boolean;

  /** @param first the first page of the file */
  constructor(tiff: TiffFile, pages: PageList, first: LsmPage, dimensions: Dimensions) {
    this.#tiff = tiff;
    this.#pages = pages;
    this.#first = first;
    this.#dimensions = dimensions;
    this.#mayBeCut = dimensions.rows === "T" && first.compression === UNCOMPRESSED;
  }

  /** Layout of the planes of a scene, with the rows of its longest channel. @throws {DecodeFailed} the page of a line scan is damaged */
  layout(scene: number): PageLayout {
    const first = this.#first;
    if (!this.#mayBeCut) return layOutPage(first, 0, first.height);
    const channels = hasOwnStrips(first) ? first.samples : [0];
    const rows = channels.map((_, channel) => this.plane({ scene, t: 0, z: 0 }, channel).page.height);
    return layOutPage(first, 0, Math.max(...rows));
  }

  /**
   * A plane of a channel, or of all interleaved channels. A plane of a line scan has the rows that the file holds.
   *
   * @throws {PlaneNotFound} the plane was never written
   * @throws {DecodeFailed} its page is damaged
   */
  plane(place: PlaceOfPlane, channel: number): PlaneSource {
    const tiff = this.#tiff;
    const { planes, offsets } = this.#pages;
    const number = numberPlane(this.#dimensions, place);
    const index = planes[number];
    if (index === undefined) {
      throw new PlaneNotFound(`plane ${number} is missing: the file holds ${planes.length} planes`);
    }
    const page = readLsmPage(tiff, tiff.directoryAt(offsets[index]!));
    if (describePlaneKind(page) !== describePlaneKind(this.#first)) {
      throw new DecodeFailed(
        `plane ${number} in ${nameDirectory(page.directory)} differs from the first plane`,
      );
    }
    const starts = this.#pages.strips(index);
    if (starts === null) throw new PlaneNotFound(`plane ${number} was never written`);
    const rows = this.#mayBeCut ? countRowsInFile(page, starts, channel, tiff.file.size) : page.height;
    const layout = layOutPage(page, channel, rows);
    return { tiff, page: layout, strips: locateChannel(page, starts, layout, channel, tiff.file.size) };
  }
}

/** The offsets of the first strips of a channel (0 if channels are interleaved), as many as the layout has. */
function selectOffsets(page: LsmPage, starts: Float64Array, { down }: PageLayout, channel: number) {
  const from = page.planar ? channel * page.strips : 0;
  return { from, offsets: starts.slice(from, from + down) };
}

/** The strips of a channel. @param size of the file */
function locateChannel(
  page: LsmPage,
  starts: Float64Array,
  layout: PageLayout,
  channel: number,
  size: number,
): StripPlaces {
  const { from, offsets } = selectOffsets(page, starts, layout, channel);
  const row = countRowBytes(layout.width, layout.bits);
  const neededBy = (strip: number) =>
    row * Math.min(layout.segmentHeight, layout.height - strip * layout.segmentHeight);
  if (page.compression === LZW) {
    // StripByteCounts are those of raw samples; the decoder stops after the last sample. LZW takes at most 12 bits per byte,
    // and some for its codes.
    const lengths = offsets.map((offset, i) => Math.max(0, Math.min(size - offset, 2 * neededBy(i) + 16)));
    return { offsets, lengths, codec: lzwToLength };
  }
  if (!page.directory.has(TAG.StripByteCounts)) {
    return { offsets, lengths: offsets.map((_, i) => neededBy(i)) };
  }
  const counts = page.directory.numbers(TAG.StripByteCounts, size);
  if (counts.length < starts.length) {
    throw new DecodeFailed(
      `${tagName(TAG.StripByteCounts)} has ${counts.length} values instead of ${starts.length}`,
    );
  }
  return { offsets, lengths: counts.slice(from, from + layout.down) };
}

/** Number of rows that a file of some size holds. If it holds no row, returns all rows, which the plan then refuses. */
function countRowsInFile(page: LsmPage, starts: Float64Array, channel: number, size: number): number {
  const { height, width } = page;
  const layout = layOutPage(page, channel, height);
  const row = countRowBytes(width, layout.bits);
  let rows = 0;
  for (const [i, offset] of selectOffsets(page, starts, layout, channel).offsets.entries()) {
    const whole = Math.min(layout.segmentHeight, height - i * layout.segmentHeight);
    // At 0 lies the header: the lines were not written.
    const held = offset === 0 ? 0 : Math.max(0, Math.floor((size - offset) / row));
    rows += Math.min(whole, held);
    if (held < whole) break;
  }
  return rows || height;
}
