/**
 * One image page of an LSM file. Its samples are channels, usually each in its own strips; PhotometricInterpretation and
 * ColorMap mean nothing, and RowsPerStrip is often missing or wrong.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import { isSampleType } from "../samples/to_float32.ts";
import { MAX_SEGMENTS } from "../tiff/bounds.ts";
import type { Directory } from "../tiff/directory.ts";
import { type PageLayout, PHOTOMETRIC, type SampleKind, UNCOMPRESSED, where } from "../tiff/page.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** Compression of LZW, the only one in use. */
export const LZW = 5;

/** One channel of a page. */
export interface LsmSample {
  /** Stored bits. */
  readonly bits: number;
  /** Kind of its samples. */
  readonly kind: SampleKind;
  /** Served type. */
  readonly sampleType: SampleType;
}

/** An image page. */
export interface LsmPage {
  /** Its directory. */
  readonly directory: Directory;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Its channels. */
  readonly samples: readonly LsmSample[];
  /** True if each channel has its own strips. */
  readonly planar: boolean;
  /** 1 or {@linkcode LZW}. */
  readonly compression: number;
  /** 1 without a predictor. */
  readonly predictor: number;
  /** Number of strips of each channel, or of all together. */
  readonly strips: number;
  /** Rows of each strip but the last. */
  readonly stripRows: number;
}

/** Reads an image page. @throws {DecodeFailed} a tag is missing, out of bounds or of a value that LSM does not use */
export function readLsmPage(tiff: TiffFile, directory: Directory): LsmPage {
  const width = countOf(directory, TAG.ImageWidth);
  const height = countOf(directory, TAG.ImageLength);
  if (width * height > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(
      `${where(directory)} declares ${width} x ${height} pixels, more than ${MAX_PLANE_SAMPLES}`,
    );
  }
  const count = countOf(directory, TAG.SamplesPerPixel, 1);
  if (count > MAX_CHANNELS) {
    throw new DecodeFailed(`${tagName(TAG.SamplesPerPixel)} is ${count}, more than ${MAX_CHANNELS}`);
  }
  const compression = directory.number(TAG.Compression) ?? UNCOMPRESSED;
  if (compression !== UNCOMPRESSED && compression !== LZW) {
    throw new DecodeFailed(
      `${tagName(TAG.Compression)} is ${compression}; LSM uses only ${UNCOMPRESSED} and ${LZW}`,
    );
  }
  const samples = samplesOf(tiff, directory, count);
  const configuration = count > 1 ? directory.number(TAG.PlanarConfiguration) ?? 1 : 1;
  if (configuration !== 1 && configuration !== 2) {
    throw new DecodeFailed(`${tagName(TAG.PlanarConfiguration)} is ${configuration}, neither 1 nor 2`);
  }
  const planar = configuration === 2;
  const [first] = samples;
  if (!planar && samples.some(({ bits, kind }) => bits !== first?.bits || kind !== first.kind)) {
    throw new DecodeFailed(`${where(directory)} has interleaved samples of several types`);
  }
  const rowBytes = width * (first?.bits ?? 8) / 8 * (planar ? 1 : count);
  return {
    directory,
    width,
    height,
    samples,
    planar,
    compression,
    // Some programs declare one for raw samples, where it is not applied.
    predictor: compression === LZW ? directory.number(TAG.Predictor) ?? 1 : 1,
    ...stripsOf(directory, { height, rowBytes }, planar ? count : 1),
  };
}

function countOf(directory: Directory, tag: number, missing?: number): number {
  const value = directory.number(tag) ?? missing;
  if (value === undefined) throw new DecodeFailed(`${where(directory)} lacks ${tagName(tag)}`);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new DecodeFailed(`${where(directory)} has ${tagName(tag)} of ${value}`);
  }
  return value;
}

/** Values of SampleFormat (TIFF 6.0, section 19). */
const KINDS: Readonly<Record<number, SampleKind>> = { 1: "uint", 2: "int", 3: "float" };

function samplesOf(tiff: TiffFile, directory: Directory, count: number): LsmSample[] {
  const widths = bitsOf(tiff, directory);
  const formats = directory.numbers(TAG.SampleFormat, MAX_CHANNELS);
  return Array.from({ length: count }, (_, i) => {
    const bits = widths[widths.length < count ? 0 : i] ?? 8;
    // The tag is mostly missing; samples of 32 bits are floats then.
    const kind = KINDS[formats[formats.length < count ? 0 : i] ?? (bits === 32 ? 3 : 1)];
    const sampleType = `${kind}${bits}`;
    if (kind === undefined || ![8, 16, 32].includes(bits) || !isSampleType(sampleType)) {
      const format = `${tagName(TAG.SampleFormat)} ${formats[i] ?? "missing"}`;
      throw new DecodeFailed(`${where(directory)} has unsupported samples of ${bits} bits, ${format}`);
    }
    return { bits, kind, sampleType };
  });
}

const POSSIBLE_BITS = new Set([8, 12, 16, 32]);

/** BitsPerSample. Two values would fit into the entry, but LSM stores their offset there. */
function bitsOf({ window }: TiffFile, directory: Directory): readonly number[] {
  const values = directory.numbers(TAG.BitsPerSample, MAX_CHANNELS);
  const [low = 0, high = 0] = values;
  if (directory.entry(TAG.BitsPerSample)?.type !== 3 || values.length !== 2) return [...values];
  if (POSSIBLE_BITS.has(low) && POSSIBLE_BITS.has(high)) return [low, high];
  const view = window.view(low + high * 0x1_0000, 4, `the value of ${tagName(TAG.BitsPerSample)}`);
  return [view.getUint16(0, true), view.getUint16(2, true)];
}

function stripsOf(
  directory: Directory,
  { height, rowBytes }: { readonly height: number; readonly rowBytes: number },
  channels: number,
): Pick<LsmPage, "strips" | "stripRows"> {
  if (directory.has(TAG.TileOffsets) || directory.has(TAG.TileWidth)) {
    throw new DecodeFailed(`${where(directory)} has tiles, which LSM does not use`);
  }
  const all = directory.count(TAG.StripOffsets);
  const strips = all / channels;
  if (all === 0) throw new DecodeFailed(`${where(directory)} lacks ${tagName(TAG.StripOffsets)}`);
  if (!Number.isInteger(strips) || all > MAX_SEGMENTS) {
    throw new DecodeFailed(`${tagName(TAG.StripOffsets)} has ${all} values for ${channels} channels`);
  }
  if (strips === 1) return { strips, stripRows: height };
  // Lengths are those of raw samples, even where they are compressed.
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

/** True if two pages hold planes of the same size and type. */
export function sameKind(a: LsmPage, b: LsmPage): boolean {
  return a.width === b.width && a.height === b.height && a.planar === b.planar &&
    a.samples.length === b.samples.length &&
    a.samples.every(({ sampleType }, i) => sampleType === b.samples[i]?.sampleType);
}

/**
 * The layout for the TIFF reader of one channel of a page, or of all interleaved channels.
 *
 * @param channel index of the channel; 0 if they are interleaved
 * @param rows complete ones: fewer than the page declares if a line scan was interrupted
 */
export function layoutOf(page: LsmPage, channel: number, rows: number): PageLayout {
  const held = page.planar ? page.samples.slice(channel, channel + 1) : page.samples;
  const { kind, sampleType } = held[0] ?? { kind: "uint", sampleType: "uint8" };
  const stripRows = Math.min(page.stripRows, rows);
  return {
    directory: page.directory,
    width: page.width,
    height: rows,
    samples: held.length,
    bits: held.map(({ bits }) => bits),
    kind,
    sampleType,
    planar: false,
    compression: page.compression,
    predictor: page.predictor,
    reversedBits: false,
    photometric: PHOTOMETRIC.blackIsZero,
    extraSamples: [],
    segmentWidth: page.width,
    segmentHeight: stripRows,
    tiled: false,
    across: 1,
    down: Math.ceil(rows / stripRows),
  };
}
