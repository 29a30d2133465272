/** What one directory says about its samples and where they are, judged before anything is read. */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { MAX_BITS, MAX_SEGMENTS } from "./bounds.ts";
import type { Directory } from "./directory.ts";
import { strayTag, TAG, tagName } from "./tags.ts";

/** Kind of number of a sample. */
export type SampleKind = "uint" | "int" | "float";

/** How a page stores its samples. */
export interface PageLayout {
  /** Where the page is described. */
  readonly directory: Directory;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Samples per pixel. */
  readonly samples: number;
  /** Stored bits of each sample. */
  readonly bits: readonly number[];
  /** What the samples are. */
  readonly kind: SampleKind;
  /** Served type of the widest sample. */
  readonly sampleType: SampleType;
  /** True when each sample has strips or tiles of its own. */
  readonly planar: boolean;
  /** Compression (259). */
  readonly compression: number;
  /** Predictor (317), 1 for none. */
  readonly predictor: number;
  /** True when the lowest bit of each byte comes first (FillOrder 2). */
  readonly reversedBits: boolean;
  /** PhotometricInterpretation (262). */
  readonly photometric: number;
  /** Values of ExtraSamples; 1 and 2 declare alpha. */
  readonly extraSamples: readonly number[];
  /** Columns and rows of a full strip or tile. */
  readonly segmentWidth: number;
  /** Rows of a full strip or tile. */
  readonly segmentHeight: number;
  /** True for tiles. */
  readonly tiled: boolean;
  /** Strips or tiles across and down, of each sample when planar. */
  readonly across: number;
  /** Strips or tiles down. */
  readonly down: number;
  /** What in the directory contradicts itself. */
  readonly warnings: readonly Warning[];
}

/** Compression 1: samples as they are. */
export const UNCOMPRESSED = 1;

/** PhotometricInterpretation (TIFF 6.0, section 8 and supplements). */
export const PHOTOMETRIC = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  separated: 5,
  ycbcr: 6,
} as const;

/** Values of PhotometricInterpretation: TIFF 6.0 and supplements, DNG, LogLuv, CFA, depth maps, semantic masks. */
const PHOTOMETRICS = new Set([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 32803, 32844, 32845, 34892, 51177, 52527]);

/** Fewest and most samples of a pixel where the colours need so many; extra ones may follow those of true colour. */
const SAMPLES_OF_COLOURS: Readonly<Record<number, readonly [number, number]>> = {
  [PHOTOMETRIC.rgb]: [3, MAX_CHANNELS],
  [PHOTOMETRIC.palette]: [1, 2],
  4: [1, 1],
  [PHOTOMETRIC.ycbcr]: [3, MAX_CHANNELS],
};

/** Tags that every reader takes as numbers, and the types that TIFF 6.0 and BigTIFF give them. */
const COUNTS = [
  TAG.ImageWidth,
  TAG.ImageLength,
  TAG.BitsPerSample,
  TAG.SamplesPerPixel,
  TAG.RowsPerStrip,
] as const;
const COUNT_TYPES: ReadonlySet<number> = new Set([3, 4, 16]);

/** Compression 7, whose decoder turns YCbCr into RGB. */
export const JPEG_COMPRESSION = 7;

function count(directory: Directory, tag: number, missing?: number): number {
  const value = directory.number(tag) ?? missing;
  if (value === undefined) throw new DecodeFailed(`${where(directory)} lacks ${tagName(tag)}`);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new DecodeFailed(`${where(directory)} has ${tagName(tag)} of ${value}`);
  }
  return value;
}

/** Names a directory in messages. */
export function where(directory: Directory): string {
  return `the directory at ${directory.offset}`;
}

/**
 * Judges one directory.
 *
 * @throws {DecodeFailed} a tag is missing, out of bounds or asks for what is not read; it names the tag and its value
 */
export function readPage(directory: Directory): PageLayout {
  const width = count(directory, TAG.ImageWidth);
  const height = count(directory, TAG.ImageLength);
  if (width * height > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(
      `${where(directory)} declares ${width} x ${height} pixels, more than ${MAX_PLANE_SAMPLES}`,
    );
  }
  const depth = directory.number(TAG.ImageDepth) ?? 1;
  if (depth !== 1) throw new DecodeFailed(`${tagName(TAG.ImageDepth)} is ${depth}; only 1 is read`);
  const samples = count(directory, TAG.SamplesPerPixel, 1);
  if (samples > MAX_CHANNELS) {
    throw new DecodeFailed(`${tagName(TAG.SamplesPerPixel)} is ${samples}, more than ${MAX_CHANNELS}`);
  }
  const bits = perSample(directory, TAG.BitsPerSample, samples, 1);
  const kind = sampleKind(directory, samples, bits);
  const planarValue = directory.number(TAG.PlanarConfiguration) ?? 1;
  if (planarValue !== 1 && planarValue !== 2) {
    throw new DecodeFailed(`${tagName(TAG.PlanarConfiguration)} is ${planarValue}, neither 1 nor 2`);
  }
  const planar = planarValue === 2 && samples > 1;
  const compression = directory.number(TAG.Compression) ?? UNCOMPRESSED;
  const photometric = directory.number(TAG.PhotometricInterpretation) ?? PHOTOMETRIC.blackIsZero;
  refuseSubsampling(directory, compression, photometric);
  const parts = segments(directory, width, height, planar ? samples : 1);
  return {
    directory,
    width,
    height,
    samples,
    bits,
    kind,
    sampleType: servedType(kind, Math.max(...bits)),
    planar,
    compression,
    predictor: directory.number(TAG.Predictor) ?? 1,
    reversedBits: directory.number(TAG.FillOrder) === 2,
    photometric,
    extraSamples: [...directory.numbers(TAG.ExtraSamples, MAX_CHANNELS)],
    ...parts,
    warnings: doubts(directory, samples, photometric, parts.across * parts.down * (planar ? samples : 1)),
  };
}

/** Counts and values that no writer means. */
function doubts(directory: Directory, samples: number, photometric: number, needed: number): Warning[] {
  const warnings: Warning[] = [];
  const stray = strayTag(directory.tags());
  if (stray !== undefined) {
    warnings.push(
      warning("metadata_damaged", `${where(directory)} has the unknown tag ${stray} in place of another one`),
    );
  }
  for (const tag of COUNTS) {
    const type = directory.entry(tag)?.type;
    if (type !== undefined && !COUNT_TYPES.has(type)) {
      warnings.push(
        warning(
          "metadata_damaged",
          `${where(directory)} has ${tagName(tag)} of type ${type}, which counts never have`,
        ),
      );
    }
  }
  const [fewest, most] = SAMPLES_OF_COLOURS[photometric] ?? [1, MAX_CHANNELS];
  if (samples < fewest || samples > most) {
    warnings.push(
      warning(
        "samples_doubtful",
        `${tagName(TAG.PhotometricInterpretation)} is ${photometric} with ${samples} samples per pixel`,
      ),
    );
  }
  if (!PHOTOMETRICS.has(photometric)) {
    warnings.push(
      warning(
        "samples_doubtful",
        `${tagName(TAG.PhotometricInterpretation)} is ${photometric}, which is undefined`,
      ),
    );
  }
  if (directory.number(TAG.SampleFormat) === 0) {
    warnings.push(
      warning(
        "samples_doubtful",
        `${tagName(TAG.SampleFormat)} is 0, which is undefined; samples are read as unsigned integers`,
      ),
    );
  }
  // One wrong value makes such integers of unsigned ones, or of floats of 24 bits.
  const bits = directory.number(TAG.BitsPerSample) ?? 1;
  if (directory.number(TAG.SampleFormat) === 2 && ![8, 16, 32, 64].includes(bits)) {
    warnings.push(
      warning(
        "samples_doubtful",
        `${tagName(TAG.SampleFormat)} is 2; signed integers of ${bits} bits are rare`,
      ),
    );
  }
  for (const tag of [TAG.BitsPerSample, TAG.SampleFormat]) {
    const values = directory.count(tag);
    if (values > 1 && values !== samples) {
      warnings.push(
        warning("metadata_disagree", `${tagName(tag)} has ${values} values for ${samples} samples`),
      );
    }
  }
  const tiled = directory.has(TAG.TileOffsets);
  const offsets = tiled ? TAG.TileOffsets : TAG.StripOffsets;
  const lengths = tiled ? TAG.TileByteCounts : TAG.StripByteCounts;
  // Some writers leave Compression out where there is none, but then no predictor either.
  const predicted = (directory.number(TAG.Predictor) ?? 1) !== 1;
  for (const tag of [TAG.PhotometricInterpretation, lengths, ...predicted ? [TAG.Compression] : []]) {
    if (!directory.lists(tag)) {
      warnings.push(warning("metadata_missing", `${where(directory)} lacks ${tagName(tag)}`));
    }
  }
  if (directory.count(offsets) > needed) {
    warnings.push(
      warning(
        "metadata_disagree",
        `${tagName(offsets)} has ${directory.count(offsets)} values, of which ${needed} are needed`,
      ),
    );
  }
  return warnings;
}

/** One value per sample; a single one stands for all. */
function perSample(directory: Directory, tag: number, samples: number, missing: number): number[] {
  const values = directory.numbers(tag, MAX_CHANNELS);
  const [first = missing] = values;
  if (values.length < samples) return new Array<number>(samples).fill(first);
  return [...values.subarray(0, samples)];
}

/** SampleFormat in words, for messages (TIFF 6.0, section 19; 5 and 6 by the GeoTIFF community). */
const FORMAT_NAMES: Readonly<Record<number, string>> = { 5: "complex integer", 6: "complex float" };

function sampleKind(directory: Directory, samples: number, bits: readonly number[]): SampleKind {
  const formats = perSample(directory, TAG.SampleFormat, samples, 1);
  // 4 is "void": data of no stated kind, which readers take as unsigned integers.
  const kinds = formats.map((format): SampleKind => {
    if (format === 1 || format === 4 || format === 0) return "uint";
    if (format === 2) return "int";
    if (format === 3) return "float";
    const name = FORMAT_NAMES[format];
    throw new DecodeFailed(
      `${tagName(TAG.SampleFormat)} is ${format}${name ? ` (${name})` : ""}; integers and floats are read`,
    );
  });
  const kind = kinds[0]!;
  if (kinds.some((other) => other !== kind)) {
    throw new DecodeFailed(`${tagName(TAG.SampleFormat)} differs between samples: ${formats.join(", ")}`);
  }
  for (const width of bits) {
    const read = kind === "float"
      ? [16, 24, 32, 64].includes(width)
      : Number.isInteger(width) && width >= 1 && width <= MAX_BITS;
    if (!read) {
      const readable = kind === "float" ? "floats of 16, 24, 32 and 64" : `integers of 1 to ${MAX_BITS}`;
      throw new DecodeFailed(
        `${tagName(TAG.BitsPerSample)} is ${bits.join(", ")}; ${readable} bits are read`,
      );
    }
  }
  return kind;
}

/** The next wider served type. */
function servedType(kind: SampleKind, bits: number): SampleType {
  if (kind === "float") return bits === 16 ? "float16" : bits <= 32 ? "float32" : "float64";
  if (kind === "uint" && bits === 1) return "bool";
  const width = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  return `${kind}${width}`;
}

/** Chroma with fewer samples than pixels exists in JPEG streams, which carry their own factors, and as raw YCbCr. */
function refuseSubsampling(directory: Directory, compression: number, photometric: number): void {
  if (photometric !== PHOTOMETRIC.ycbcr || compression === JPEG_COMPRESSION) return;
  const factors = directory.numbers(TAG.YCbCrSubSampling, 2);
  if (factors.some((factor) => factor !== 1)) {
    throw new DecodeFailed(
      `${tagName(TAG.YCbCrSubSampling)} is ${factors.join(", ")} without JPEG compression; only 1, 1 is read`,
    );
  }
}

type Segments = Pick<PageLayout, "segmentWidth" | "segmentHeight" | "tiled" | "across" | "down">;

/** Geometry of strips or tiles, and whether the tables hold enough of them. */
function segments(directory: Directory, width: number, height: number, sets: number): Segments {
  const tiled = directory.has(TAG.TileWidth) || directory.has(TAG.TileOffsets);
  const offsets = tiled ? TAG.TileOffsets : TAG.StripOffsets;
  const segmentWidth = tiled ? count(directory, TAG.TileWidth) : width;
  // Absent, or 2^32 - 1 by convention, stands for one strip.
  const segmentHeight = tiled
    ? count(directory, TAG.TileLength)
    : Math.min(count(directory, TAG.RowsPerStrip, height), height);
  const across = Math.ceil(width / segmentWidth);
  const down = Math.ceil(height / segmentHeight);
  const present = directory.count(
    offsets === TAG.TileOffsets && !directory.has(offsets) ? TAG.StripOffsets : offsets,
  );
  if (present === 0) throw new DecodeFailed(`${where(directory)} lacks ${tagName(offsets)}`);
  // Some writers state a RowsPerStrip that is not theirs, over a single strip.
  if (!tiled && present === sets && down > 1) {
    return { segmentWidth, segmentHeight: height, tiled, across, down: 1 };
  }
  const needed = across * down * sets;
  if (present < needed || needed > MAX_SEGMENTS) {
    throw new DecodeFailed(
      present < needed
        ? `${tagName(offsets)} has ${present} values; ${needed} are needed for ${width} x ${height} pixels`
        : `${tagName(offsets)} has ${needed} values, more than ${MAX_SEGMENTS}`,
    );
  }
  return { segmentWidth, segmentHeight, tiled, across, down };
}
