/** The layout and location of the samples of one directory, checked before anything is read. */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import type { Directory } from "./directory.ts";
import { TAG, tagName } from "./tags.ts";

/** Largest number of strips or tiles per page: a strip per row and channel of the largest plane; 16 bytes of heap each. */
export const MAX_SEGMENTS = 1 << 22;

/** Number format of a sample. */
export type SampleKind = "uint" | "int" | "float";

/** The layout of a page's samples. */
export interface PageLayout {
  readonly directory: Directory;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly bits: readonly number[];
  readonly kind: SampleKind;
  /** Served type, for the widest sample. */
  readonly sampleType: SampleType;
  /** Whether each sample has strips or tiles of its own. */
  readonly planar: boolean;
  readonly compression: number;
  /** Predictor (317); 1 means none. */
  readonly predictor: number;
  /** Whether the lowest bit of each byte comes first (FillOrder 2). */
  readonly reversedBits: boolean;
  readonly photometric: number;
  /** Values of ExtraSamples; 1 and 2 declare alpha. */
  readonly extraSamples: readonly number[];
  readonly segmentWidth: number;
  readonly segmentHeight: number;
  readonly tiled: boolean;
  /** Numbers of strips or tiles; in planar pages, per sample. */
  readonly across: number;
  readonly down: number;
}

/** Value of Compression (259) that means no compression. */
export const UNCOMPRESSED = 1;

/** Values of PhotometricInterpretation (TIFF 6.0, section 8 and supplements). */
export const PHOTOMETRIC = { whiteIsZero: 0, blackIsZero: 1, rgb: 2, separated: 5, ycbcr: 6 } as const;

/** Value of Compression (259) for JPEG, whose decoder converts YCbCr to RGB. */
export const JPEG_COMPRESSION = 7;

/** Size of a page and its samples per pixel. @throws {DecodeFailed} a value is missing or out of range */
export function readPageSize(directory: Directory): Pick<PageLayout, "width" | "height" | "samples"> {
  const width = readCount(directory, TAG.ImageWidth);
  const height = readCount(directory, TAG.ImageLength);
  if (width * height > MAX_PLANE_SAMPLES) {
    const declared = `${nameDirectory(directory)} declares ${width} x ${height} pixels`;
    throw new DecodeFailed(`${declared}, more than ${MAX_PLANE_SAMPLES}`);
  }
  const samples = readCount(directory, TAG.SamplesPerPixel, 1);
  if (samples > MAX_CHANNELS) {
    throw new DecodeFailed(`${tagName(TAG.SamplesPerPixel)} is ${samples}, more than ${MAX_CHANNELS}`);
  }
  return { width, height, samples };
}

/** Whether each sample of a page has strips of its own. @throws {DecodeFailed} PlanarConfiguration is unknown */
export function isPlanar(directory: Directory, samples: number): boolean {
  const value = directory.number(TAG.PlanarConfiguration) ?? 1;
  if (value !== 1 && value !== 2) {
    throw new DecodeFailed(`${tagName(TAG.PlanarConfiguration)} is ${value}, neither 1 nor 2`);
  }
  return value === 2 && samples > 1;
}

function readCount(directory: Directory, tag: number, missing?: number): number {
  const value = directory.number(tag) ?? missing;
  if (value === undefined) throw new DecodeFailed(`${nameDirectory(directory)} lacks ${tagName(tag)}`);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new DecodeFailed(`${nameDirectory(directory)} has ${tagName(tag)} of ${value}`);
  }
  return value;
}

/** The layout of an uncompressed plane in one strip that is described by another structure than its directory. */
export function layOutInOneStrip(
  page: Pick<PageLayout, "directory" | "width" | "height" | "bits" | "kind" | "sampleType">,
): PageLayout {
  const samples = page.bits.length;
  return {
    ...page,
    samples,
    planar: false,
    compression: UNCOMPRESSED,
    predictor: 1,
    reversedBits: false,
    photometric: samples === 3 ? PHOTOMETRIC.rgb : PHOTOMETRIC.blackIsZero,
    extraSamples: [],
    segmentWidth: page.width,
    segmentHeight: page.height,
    tiled: false,
    across: 1,
    down: 1,
  };
}

/** Name of a directory in messages. */
export const nameDirectory = ({ offset }: Directory): string => `the directory at ${offset}`;

/** Reads the layout of one directory. @throws {DecodeFailed} a tag is missing, out of range or unsupported */
export function readPage(directory: Directory): PageLayout {
  const { width, height, samples } = readPageSize(directory);
  const depth = directory.number(TAG.ImageDepth) ?? 1;
  if (depth !== 1) throw new DecodeFailed(`${tagName(TAG.ImageDepth)} is ${depth}; only 1 is read`);
  const bits = readPerSample(directory, TAG.BitsPerSample, samples);
  const kind = sampleKind(directory, samples, bits);
  const planar = isPlanar(directory, samples);
  const compression = directory.number(TAG.Compression) ?? UNCOMPRESSED;
  const photometric = directory.number(TAG.PhotometricInterpretation) ??
    // As in libjpeg, three components of JPEG are YCbCr unless the file states otherwise.
    (compression === JPEG_COMPRESSION && samples === 3 ? PHOTOMETRIC.ycbcr : PHOTOMETRIC.blackIsZero);
  // JPEG streams carry their own subsampling factors.
  const isRawYCbCr = photometric === PHOTOMETRIC.ycbcr && compression !== JPEG_COMPRESSION;
  const factors = isRawYCbCr ? directory.numbers(TAG.YCbCrSubSampling, 2) : [];
  if (factors.some((factor) => factor !== 1)) {
    const value = `${tagName(TAG.YCbCrSubSampling)} is ${factors.join(", ")}`;
    throw new DecodeFailed(`${value} without JPEG compression; only 1, 1 is read`);
  }
  return {
    directory,
    width,
    height,
    samples,
    bits,
    kind,
    sampleType: chooseServedType(kind, Math.max(...bits)),
    planar,
    compression,
    predictor: directory.number(TAG.Predictor) ?? 1,
    reversedBits: directory.number(TAG.FillOrder) === 2,
    photometric,
    extraSamples: [...directory.numbers(TAG.ExtraSamples, MAX_CHANNELS)],
    ...readSegments(directory, width, height, planar ? samples : 1),
  };
}

/** One value per sample; 1 by default, and a single value applies to all. */
function readPerSample(directory: Directory, tag: number, samples: number): number[] {
  const values = directory.numbers(tag, MAX_CHANNELS);
  const [first = 1] = values;
  return values.length < samples ? Array<number>(samples).fill(first) : [...values.subarray(0, samples)];
}

/** Number formats by SampleFormat. 4 is "void", and 0 is undefined: readers treat both as unsigned integers. */
const KINDS: readonly (SampleKind | undefined)[] = ["uint", "uint", "int", "float", "uint"];

function sampleKind(directory: Directory, samples: number, bits: readonly number[]): SampleKind {
  const formats = readPerSample(directory, TAG.SampleFormat, samples);
  const [kind] = formats.map((format) => KINDS[format]);
  if (kind === undefined || formats.some((format) => KINDS[format] !== kind)) {
    const stated = `${tagName(TAG.SampleFormat)} is ${formats.join(", ")}`;
    throw new DecodeFailed(`${stated}; integers and floats are read, all samples alike`);
  }
  // Signed samples of one bit mean that BitsPerSample is missing; its default is 1.
  const least = kind === "int" ? 2 : 1;
  const isRead = (width: number) =>
    kind === "float"
      ? [16, 24, 32, 64].includes(width)
      : Number.isInteger(width) && width >= least && width <= 64;
  if (!bits.every(isRead)) {
    const readable = kind === "float" ? "floats of 16, 24, 32 and 64" : `integers of ${least} to 64`;
    throw new DecodeFailed(`${tagName(TAG.BitsPerSample)} is ${bits.join(", ")}; ${readable} bits are read`);
  }
  return kind;
}

function chooseServedType(kind: SampleKind, bits: number): SampleType {
  if (kind === "float") return bits === 16 ? "float16" : bits <= 32 ? "float32" : "float64";
  if (kind === "uint" && bits === 1) return "bool";
  const width = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  return `${kind}${width}`;
}

function readSegments(
  directory: Directory,
  width: number,
  height: number,
  sets: number,
): Pick<PageLayout, "segmentWidth" | "segmentHeight" | "tiled" | "across" | "down"> {
  const tiled = directory.has(TAG.TileWidth) || directory.has(TAG.TileOffsets);
  const offsets = directory.has(TAG.TileOffsets) ? TAG.TileOffsets : TAG.StripOffsets;
  const segmentWidth = tiled ? readCount(directory, TAG.TileWidth) : width;
  // There is one strip if RowsPerStrip is absent, or by convention if it is 2^32 - 1.
  const segmentHeight = tiled
    ? readCount(directory, TAG.TileLength)
    : Math.min(readCount(directory, TAG.RowsPerStrip, height), height);
  const across = Math.ceil(width / segmentWidth);
  const down = Math.ceil(height / segmentHeight);
  const present = directory.count(offsets);
  if (present === 0) throw new DecodeFailed(`${nameDirectory(directory)} lacks ${tagName(offsets)}`);
  // Some writers state a wrong RowsPerStrip for a single strip.
  if (!tiled && present === sets && down > 1) {
    return { segmentWidth, segmentHeight: height, tiled, across, down: 1 };
  }
  const needed = across * down * sets;
  if (present < needed || needed > MAX_SEGMENTS) {
    const why = present < needed
      ? `${present} values; ${needed} are needed for ${width} x ${height} pixels`
      : `${needed} values, more than ${MAX_SEGMENTS}`;
    throw new DecodeFailed(`${tagName(offsets)} has ${why}`);
  }
  return { segmentWidth, segmentHeight, tiled, across, down };
}
