/** The plan for some planes of TIFF pages: their strips and tiles, checked against the file, and how to decode them. */
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../limits.ts";
import { NO_WORKING_MEMORY, type WorkingMemory } from "../reader.ts";
import type { StopFlag } from "../stop_flag.ts";
import { MAX_SEGMENT_BYTES } from "./bounds.ts";
import type { Codec, Extent, Segment, StreamSettings } from "../codecs/segment.ts";
import { codecOf, settingsOf } from "./compression.ts";
import { type PageLayout, UNCOMPRESSED } from "./page.ts";
import { unpredict } from "./predictor.ts";
import { blockBits, rowBytes, unpack, type Wanted } from "./samples.ts";
import { partUnder } from "./structures.ts";
import { TAG, tagName } from "./tags.ts";
import type { TiffFile } from "./tiff_file.ts";

/** One plane of samples in a file. */
export interface PlaneSource {
  readonly tiff: TiffFile;
  readonly page: PageLayout;
  /**
   * Number of the plane in a run of uncompressed planes that begins at the page's first strip and has this one
   * directory; `null` where the page's own strips or tiles are meant.
   */
  readonly run: number | null;
  /** What is doubtful about this plane. */
  readonly warnings?: readonly string[];
}

/** A wanted sample of a plane, and the index of the float32 plane that it fills. */
export interface WantedSample {
  readonly sample: number;
  readonly target: number;
}

/** Where strips and tiles lie in the file. */
interface Ranges {
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** One source and how its wanted samples are decoded. */
export interface SourcePlan {
  readonly compressed: boolean;
  readonly warnings: readonly string[];
  readonly working: WorkingMemory;
  decode(planes: readonly Float32Array[]): Promise<void>;
}

/**
 * Checks every strip or tile of the wanted samples.
 *
 * @throws {DecodeFailed} one lies outside the file, or is too short for what it declares
 */
export async function planSource(
  source: PlaneSource,
  wanted: readonly WantedSample[],
  stop: StopFlag,
): Promise<SourcePlan> {
  const { page, tiff } = source;
  const kind = page.tiled ? "tile" : "strip";
  if (page.compression === UNCOMPRESSED) {
    const laid = source.run === null ? page : { ...page, segmentHeight: page.height, down: 1 };
    const ranges = source.run === null ? rangesOf(source, null) : runRange(source, source.run);
    checkAll(source, laid, ranges, wanted, 1, null);
    return {
      compressed: false,
      warnings: [...page.warnings, ...source.run === null ? surplus(page, ranges) : []],
      working: NO_WORKING_MEMORY,
      decode: (planes) => Promise.resolve(decodeRaw(source, laid, ranges, targets(wanted, planes), stop)),
    };
  }
  if (source.run !== null) {
    throw new DecodeFailed(
      `${tagName(TAG.Compression)} is ${page.compression} in a run of planes with one directory`,
    );
  }
  const codec = await codecOf(page.compression);
  if (codec.image && page.bits.some((bits) => bits !== page.bits[0] || bits === 1)) {
    throw new DecodeFailed(
      `${tagName(TAG.BitsPerSample)} is ${
        page.bits.join(", ")
      }; samples of ${codec.title} have one width above 1`,
    );
  }
  const ranges = rangesOf(source, codec);
  checkAll(source, page, ranges, wanted, codec.maxExpansion, codec);
  const settings = settingsOf(page);
  const largest = largestOf(page, codec, ranges, wanted);
  checkWebAssembly(codec, largest, kind);
  return {
    compressed: true,
    warnings: page.warnings,
    working: { bytes: codec.workingBytes(largest), endsWithWorker: codec.webAssembly !== undefined },
    decode: async (planes) => {
      const fill = targets(wanted, planes);
      for (const index of segmentsOf(page, wanted)) {
        stop.check();
        const offset = ranges.offsets[index]!;
        const length = ranges.lengths[index]!;
        const what = `${kind} ${index} at ${offset} + ${length}`;
        const input = tiff.file.read(offset, length, `${kind} ${index}`);
        await decodeSegment(
          page,
          codec,
          settings,
          input,
          index,
          what,
          fill,
          tiff.encoding.littleEndian,
          stop,
        );
      }
    },
  };
}

function targets(wanted: readonly WantedSample[], planes: readonly Float32Array[]): Wanted[] {
  return wanted.map(({ sample, target }) => ({ sample, plane: planes[target]! }));
}

/** Indices of the strips or tiles that hold the wanted samples. */
function* segmentsOf(page: PageLayout, wanted: readonly { sample: number }[]): Generator<number> {
  const each = page.across * page.down;
  const sets = page.planar ? new Set(wanted.map(({ sample }) => sample)) : [0];
  for (const set of sets) for (let i = 0; i < each; i += 1) yield set * each + i;
}

/** Rows that strip or tile `index` must give; a tile is always whole. */
function rowsOf(page: PageLayout, index: number): number {
  if (page.tiled) return page.segmentHeight;
  return Math.min(page.segmentHeight, page.height - (index % page.down) * page.segmentHeight);
}

function segmentRowBytes(page: PageLayout, index: number): number {
  return rowBytes(page.segmentWidth, blockBits(page, Math.floor(index / (page.across * page.down))));
}

function rangesOf({ page, tiff }: PlaneSource, codec: Codec | null): Ranges {
  const { directory } = page;
  const own = page.tiled && directory.has(TAG.TileOffsets);
  const offsetTag = own ? TAG.TileOffsets : TAG.StripOffsets;
  const lengthTag = own ? TAG.TileByteCounts : TAG.StripByteCounts;
  const segments = page.across * page.down * (page.planar ? page.samples : 1);
  // Surplus values mean nothing; those that are needed were counted when the page was judged.
  const offsets = directory.numbers(offsetTag, tiff.file.size).subarray(0, segments);
  if (directory.lists(lengthTag)) {
    const lengths = directory.numbers(lengthTag, tiff.file.size).subarray(0, segments);
    if (lengths.length < segments) {
      throw new DecodeFailed(`${tagName(lengthTag)} has ${lengths.length} values, ${segments} are needed`);
    }
    // Some writers leave the length of their only strip open.
    if (segments === 1 && lengths[0] === 0 && page.compression === UNCOMPRESSED) {
      return { offsets, lengths: Float64Array.of(segmentRowBytes(page, 0) * rowsOf(page, 0)) };
    }
    return { offsets, lengths };
  }
  if (codec !== null) throw new DecodeFailed(`${tagName(lengthTag)} is missing, which ${codec.title} needs`);
  return {
    offsets,
    lengths: Float64Array.from(offsets, (_, i) => segmentRowBytes(page, i) * rowsOf(page, i)),
  };
}

/** Writers round the length of an uncompressed strip up to words of so many bytes. */
const WORD = 4;

/** A warning where uncompressed strips or tiles are longer than their rows, as when their shape is damaged. */
function surplus(page: PageLayout, ranges: Ranges): string[] {
  const index = ranges.lengths.findIndex((length, i) => {
    const full = segmentRowBytes(page, i) * page.segmentHeight;
    return length > Math.ceil(full / WORD) * WORD;
  });
  if (index < 0) return [];
  const needed = segmentRowBytes(page, index) * rowsOf(page, index);
  const what = `${page.tiled ? "tile" : "strip"} ${index} at ${ranges.offsets[index]}`;
  return [`${what} claims ${ranges.lengths[index]} bytes, of which ${needed} are needed`];
}

/** Checks that every strip or tile of a page lies in its file. @throws {DecodeFailed} one does not */
export function requireStored(source: PlaneSource): void {
  const { page, tiff } = source;
  const ranges = rangesOf(source, null);
  const kind = page.tiled ? "tile" : "strip";
  const all = page.bits.map((_, sample) => ({ sample, target: sample }));
  if (page.compression === UNCOMPRESSED) return checkAll(source, page, ranges, all, 1, null);
  ranges.offsets.forEach((offset, i) => tiff.file.require(offset, ranges.lengths[i]!, `${kind} ${i}`));
}

/** Plane `run` of a run of planes that begins at the first strip. */
function runRange({ page }: PlaneSource, run: number): Ranges {
  if (page.tiled) throw new DecodeFailed(`a run of planes with one directory is stored in tiles`);
  const sets = page.planar ? page.samples : 1;
  const first = page.directory.number(TAG.StripOffsets) ?? 0;
  const lengths = Float64Array.from(
    { length: sets },
    (_, s) => rowBytes(page.width, blockBits(page, s)) * page.height,
  );
  const planeBytes = lengths.reduce((sum, length) => sum + length, 0);
  const offsets = new Float64Array(sets);
  for (let s = 0, at = first + run * planeBytes; s < sets; at += lengths[s]!, s += 1) offsets[s] = at;
  return { offsets, lengths };
}

function checkAll(
  { tiff }: PlaneSource,
  page: PageLayout,
  ranges: Ranges,
  wanted: readonly WantedSample[],
  maxExpansion: number,
  codec: Codec | null,
): void {
  const kind = page.tiled ? "tile" : "strip";
  const partAt = partUnder(tiff.structures, page.directory);
  for (const index of segmentsOf(page, wanted)) {
    const offset = ranges.offsets[index]!;
    const length = ranges.lengths[index]!;
    const needed = segmentRowBytes(page, index) * rowsOf(page, index);
    // What an uncompressed strip claims beyond its rows is never read.
    tiff.file.require(offset, codec ? length : Math.min(length, needed), `${kind} ${index}`);
    if (needed > length * maxExpansion) {
      throw new DecodeFailed(
        codec
          ? `${kind} ${index} at ${offset} + ${length} is too short for ${needed} bytes of ${codec.title}`
          : `${kind} ${index} at ${offset} holds ${length} bytes, ${needed} are needed`,
      );
    }
    if (codec && segmentRowBytes(page, index) * page.segmentHeight > MAX_SEGMENT_BYTES) {
      throw new DecodeFailed(`${kind} ${index} declares ${needed} bytes, more than ${MAX_SEGMENT_BYTES}`);
    }
    // Some writers round the length of a compressed strip up, into what follows it.
    const part = partAt(offset, codec ? 1 : needed);
    if (part !== null) throw new DecodeFailed(`${kind} ${index} at ${offset} lies over ${part}`);
  }
}

/** The largest of the wanted strips or tiles. */
function largestOf(
  page: PageLayout,
  codec: Codec,
  ranges: Ranges,
  wanted: readonly WantedSample[],
): Extent {
  let [stored, rowLength, samples] = [0, 0, 0];
  for (const index of segmentsOf(page, wanted)) {
    const bits = decodedBits(page, codec, Math.floor(index / (page.across * page.down)));
    stored = Math.max(stored, ranges.lengths[index]!);
    rowLength = Math.max(rowLength, rowBytes(page.segmentWidth, bits));
    samples = Math.max(samples, bits.length);
  }
  const rows = page.segmentHeight;
  return { stored, width: page.segmentWidth, rows, samples, bytes: rowLength * rows };
}

/** @throws {DecodeFailed} more than a decoder in WebAssembly gets in one call */
function checkWebAssembly(codec: Codec, { stored, width, rows, samples }: Extent, kind: string): void {
  if (codec.webAssembly === undefined) return;
  const { maxSamples, maxStored } = codec.webAssembly;
  const count = width * rows * samples;
  if (count > maxSamples || stored > maxStored) {
    throw new DecodeFailed(
      `a ${kind} of ${codec.title} has ${count} samples in ${stored} bytes; at most ${maxSamples} in ${maxStored} ` +
        "are decoded at once, since nothing can stop this decoder",
    );
  }
}

async function decodeSegment(
  page: PageLayout,
  codec: Codec,
  settings: Omit<StreamSettings, "bits">,
  input: Uint8Array,
  index: number,
  what: string,
  fill: readonly Wanted[],
  fileLittleEndian: boolean,
  stop: StopFlag,
): Promise<void> {
  const set = Math.floor(index / (page.across * page.down));
  const bits = decodedBits(page, codec, set);
  const row = rowBytes(page.segmentWidth, bits);
  const rows = rowsOf(page, index);
  const segment: Segment = {
    width: page.segmentWidth,
    rows,
    samples: bits.length,
    fullRows: page.segmentHeight,
    bytes: row * rows,
    mostBytes: row * page.segmentHeight,
    settings: { ...settings, bits: blockBits(page, set) },
    what,
    stop,
  };
  if (page.reversedBits && codec.bitOrder) reverseBits(input);
  const decoded = await codec.decode(input, segment);
  // Typed views need an aligned start.
  const output = decoded.byteOffset % 8 === 0 ? decoded : decoded.slice();
  // A few rows at a time, so that a plane in one strip can be stopped.
  const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / row));
  for (let first = 0; first < rows; first += atOnce) {
    stop.check();
    const count = Math.min(atOnce, rows - first);
    const bytes = output.subarray(first * row, (first + count) * row);
    let littleEndian = codec.image || fileLittleEndian;
    if (!codec.image) littleEndian = undoPredictor(page, bits, bytes, count, littleEndian);
    place(page, index, first, count, bytes, littleEndian, fill, bits);
  }
}

/** Undoes the page's predictor in some rows; gives whether they are little-endian then. */
function undoPredictor(
  page: PageLayout,
  bits: readonly number[],
  bytes: Uint8Array,
  rows: number,
  littleEndian: boolean,
): boolean {
  if (page.predictor === 1) return littleEndian;
  if (bits.some((width) => width !== bits[0])) {
    throw new DecodeFailed(
      `${tagName(TAG.Predictor)} is ${page.predictor} with samples of ${bits.join(", ")} bits, which differ`,
    );
  }
  unpredict(page.predictor, {
    bytes,
    rows,
    rowSamples: page.segmentWidth * bits.length,
    samples: bits.length,
    bits: bits[0]!,
    float: page.kind === "float",
    littleEndian,
  });
  return true;
}

/** Bits of each interleaved sample as a codec gives them. */
function decodedBits(page: PageLayout, codec: Codec, set: number): readonly number[] {
  const bits = blockBits(page, set);
  return codec.image ? bits.map(wholeBytes) : bits;
}

/** Codecs of samples give whole bytes: the next machine width. */
function wholeBytes(bits: number): number {
  return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

/** Writes `rows` decoded rows of strip or tile `index`, from its row `first` on, into the planes. */
function place(
  page: PageLayout,
  index: number,
  first: number,
  rows: number,
  bytes: Uint8Array,
  littleEndian: boolean,
  fill: readonly Wanted[],
  bits?: readonly number[],
): void {
  const each = page.across * page.down;
  const set = Math.floor(index / each);
  const top = Math.floor(index % each / page.across) * page.segmentHeight + first;
  const left = index % page.across * page.segmentWidth;
  if (top >= page.height) return;
  const wanted = page.planar
    ? fill.filter(({ sample }) => sample === set).map(({ plane }) => ({ sample: 0, plane }))
    : fill;
  unpack({
    bytes,
    littleEndian,
    width: page.segmentWidth,
    bits: bits ?? blockBits(page, set),
    kind: page.kind,
    rows: Math.min(rows, page.height - top),
    columns: Math.min(page.segmentWidth, page.width - left),
    at: top * page.width + left,
    stride: page.width,
  }, wanted);
}

/** Uncompressed strips and tiles: a few rows at a time through one buffer, so that no plane is held twice. */
function decodeRaw(
  { tiff }: PlaneSource,
  page: PageLayout,
  ranges: Ranges,
  fill: readonly Wanted[],
  stop: StopFlag,
): void {
  let scratch = new Uint8Array(0);
  const kind = page.tiled ? "tile" : "strip";
  for (const { index, rows } of adjoining(page, ranges, segmentsOf(page, fill))) {
    const row = segmentRowBytes(page, index);
    const atOnce = Math.max(1, Math.min(rows, Math.floor(MAX_READ_STEP / row)));
    if (scratch.length < atOnce * row) scratch = new Uint8Array(atOnce * row);
    for (let first = 0; first < rows; first += atOnce) {
      stop.check();
      const count = Math.min(atOnce, rows - first);
      const bytes = scratch.subarray(0, count * row);
      tiff.file.readInto(ranges.offsets[index]! + first * row, bytes, `${kind} ${index}`);
      if (page.reversedBits) reverseBits(bytes);
      const bits = blockBits(page, Math.floor(index / (page.across * page.down)));
      const littleEndian = undoPredictor(page, bits, bytes, count, tiff.encoding.littleEndian);
      place(page, index, first, count, bytes, littleEndian, fill);
    }
  }
}

/** Strips that follow each other in the file and in the plane are read as one: line scans have thousands of small ones. */
function* adjoining(
  page: PageLayout,
  ranges: Ranges,
  segments: Iterable<number>,
): Generator<{ readonly index: number; readonly rows: number }> {
  let run: { index: number; rows: number; last: number } | null = null;
  for (const index of segments) {
    const rows = rowsOf(page, index);
    const end = run && ranges.offsets[run.index]! + run.rows * segmentRowBytes(page, run.index);
    const goesOn = run && !page.tiled && index === run.last + 1 && index % page.down !== 0 &&
      ranges.offsets[index] === end;
    if (run && goesOn) run = { index: run.index, rows: run.rows + rows, last: index };
    else {
      if (run) yield run;
      run = { index, rows, last: index };
    }
  }
  if (run) yield run;
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let reversed = 0;
  for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) reversed |= 0x80 >> bit;
  return reversed;
});

/** Reverses the bits of each byte in place (FillOrder 2). */
function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = REVERSED[bytes[i]!]!;
}
