/**
 * One image page of an LSM file. Its samples are channels, most often each in strips of its own; PhotometricInterpretation
 * and ColorMap mean nothing, and RowsPerStrip is often missing or wrong.
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

/** Compression of LZW, the only one beside none. */
export const LZW = 5;

/** What one channel of a page is. */
export interface LsmSample {
  /** Stored bits. */
  readonly bits: number;
  /** What its samples are. */
  readonly kind: SampleKind;
  /** Served type. */
  readonly sampleType: SampleType;
}

/** An image page. */
export interface LsmPage {
  /** Where it is described. */
  readonly directory: Directory;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Its channels. */
  readonly samples: readonly LsmSample[];
  /** True where each channel has strips of its own. */
  readonly planar: boolean;
  /** 1 or {@linkcode LZW}. */
  readonly compression: number;
  /** 1 for none. */
  readonly predictor: number;
  /** Strips of each channel, or of all together. */
  readonly strips: number;
  /** Rows of each strip but the last. */
  readonly stripRows: number;
}

/** Judges an image page. @throws {DecodeFailed} a tag is missing, out of bounds or asks for what LSM has not */
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
  // Programs of Zeiss always write these; what they are by default would make other samples of a damaged file.
  for (const tag of [TAG.BitsPerSample, TAG.Compression, ...count > 1 ? [TAG.PlanarConfiguration] : []]) {
    if (!directory.has(tag)) throw new DecodeFailed(`${where(directory)} lacks ${tagName(tag)}`);
  }
  const compression = directory.number(TAG.Compression);
  if (compression !== UNCOMPRESSED && compression !== LZW) {
    throw new DecodeFailed(`${tagName(TAG.Compression)} is ${compression}; LSM has 1 and ${LZW} alone`);
  }
  const samples = samplesOf(tiff, directory, count);
  const configuration = count > 1 ? directory.number(TAG.PlanarConfiguration) ?? 0 : 1;
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
    // Some programs state one for samples as they are, where it is not applied.
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

/** What SampleFormat stands for (TIFF 6.0, section 19). */
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
      throw new DecodeFailed(
        `${where(directory)} has samples of ${bits} bits and ${tagName(TAG.SampleFormat)} ${
          formats[i] ?? "none"
        }; LSM ` +
          "has integers of 8 and 16 and floats of 32 bits",
      );
    }
    return { bits, kind, sampleType };
  });
}

const POSSIBLE_BITS = new Set([8, 12, 16, 32]);

/** BitsPerSample. Two values would fit into the entry; LSM puts them elsewhere and has their offset there. */
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
    throw new DecodeFailed(`${where(directory)} has tiles, which LSM has not`);
  }
  const all = directory.count(TAG.StripOffsets);
  const strips = all / channels;
  if (all === 0) throw new DecodeFailed(`${where(directory)} lacks ${tagName(TAG.StripOffsets)}`);
  if (!Number.isInteger(strips) || all > MAX_SEGMENTS) {
    throw new DecodeFailed(`${tagName(TAG.StripOffsets)} has ${all} values for ${channels} channels`);
  }
  if (strips === 1) return { strips, stripRows: height };
  // Lengths are those of samples as they are, also of compressed ones.
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

/** True when two pages hold planes of one kind. */
export function sameKind(a: LsmPage, b: LsmPage): boolean {
  return a.width === b.width && a.height === b.height && a.planar === b.planar &&
    a.samples.length === b.samples.length &&
    a.samples.every(({ sampleType }, i) => sampleType === b.samples[i]?.sampleType);
}

/**
 * How the TIFF reader sees one channel of a page, or all channels where they are interleaved.
 *
 * @param channel index of the channel; 0 where they are interleaved
 * @param rows complete ones: fewer than the page declares where a line scan was interrupted
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
