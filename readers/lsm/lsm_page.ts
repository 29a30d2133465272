/**
 * An image page of an LSM file. Its samples are channels, usually each in strips of its own. PhotometricInterpretation and
 * ColorMap are meaningless, and RowsPerStrip is often missing or wrong.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import { isSampleType } from "../samples/to_float32.ts";
import type { Directory } from "../tiff/directory.ts";
import {
  inOneStrip,
  isPlanar,
  MAX_SEGMENTS,
  type PageLayout,
  pageSize,
  type SampleKind,
  UNCOMPRESSED,
  where,
} from "../tiff/page.ts";
import { TAG, tagName } from "../tiff/tags.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** Value of Compression for LZW, the only compression in use. */
export const LZW = 5;

/** An image page; `planar` if each channel has strips of its own. */
export interface LsmPage
  extends Pick<PageLayout, "directory" | "width" | "height" | "planar" | "compression" | "predictor"> {
  readonly samples: readonly (Pick<PageLayout, "kind" | "sampleType"> & { readonly bits: number })[];
  /** Number of strips: per channel if planar, else of all channels together. */
  readonly strips: number;
  readonly stripRows: number;
}

/** Reads an image page. @throws {DecodeFailed} a tag is missing, out of range or has a value that LSM does not use */
export function readLsmPage(tiff: TiffFile, directory: Directory): LsmPage {
  const { width, height, samples: count } = pageSize(directory);
  const compression = directory.number(TAG.Compression) ?? UNCOMPRESSED;
  if (compression !== UNCOMPRESSED && compression !== LZW) {
    throw new DecodeFailed(`${tagName(TAG.Compression)} is ${compression}; LSM uses only 1 and 5`);
  }
  const samples = samplesOf(tiff, directory, count);
  const planar = count > 1 && isPlanar(directory, count);
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
    // Some programs declare a predictor for raw samples but do not apply it.
    predictor: compression === LZW ? directory.number(TAG.Predictor) ?? 1 : 1,
    ...stripsOf(directory, { height, rowBytes, channels: planar ? count : 1 }),
  };
}

/** Values of SampleFormat (TIFF 6.0, section 19). */
const KINDS: Readonly<Record<number, SampleKind>> = { 1: "uint", 2: "int", 3: "float" };

function samplesOf(tiff: TiffFile, directory: Directory, count: number): LsmPage["samples"] {
  const widths = bitsOf(tiff, directory);
  const formats = directory.numbers(TAG.SampleFormat, MAX_CHANNELS);
  return Array.from({ length: count }, (_, i) => {
    const bits = widths[widths.length < count ? 0 : i];
    if (bits === undefined) throw new DecodeFailed(`${where(directory)} lacks ${tagName(TAG.BitsPerSample)}`);
    // The tag is usually missing; 32-bit samples are then floats.
    const format = formats[formats.length < count ? 0 : i] ?? (bits === 32 ? 3 : 1);
    const kind = KINDS[format];
    const sampleType = `${kind}${bits}`;
    if (kind === undefined || ![8, 16, 32].includes(bits) || !isSampleType(sampleType)) {
      const text = `${bits} bits, ${tagName(TAG.SampleFormat)} ${format}`;
      throw new DecodeFailed(`${where(directory)} has unsupported samples of ${text}`);
    }
    return { bits, kind, sampleType };
  });
}

/** Values of BitsPerSample. Two values would fit into the entry, but LSM stores their offset there. */
function bitsOf({ window }: TiffFile, directory: Directory): readonly number[] {
  const values = directory.numbers(TAG.BitsPerSample, MAX_CHANNELS);
  const [low = 0, high = 0] = values;
  const isShort = directory.entry(TAG.BitsPerSample)?.type === 3;
  if (!isShort || values.length !== 2 || values.every((bits) => [8, 12, 16, 32].includes(bits))) {
    return [...values];
  }
  const view = window.view(low + high * 0x1_0000, 4, `the value of ${tagName(TAG.BitsPerSample)}`);
  return [view.getUint16(0, true), view.getUint16(2, true)];
}

function stripsOf(
  directory: Directory,
  { height, rowBytes, channels }: Readonly<Record<"height" | "rowBytes" | "channels", number>>,
): Pick<LsmPage, "strips" | "stripRows"> {
  const all = directory.count(TAG.StripOffsets);
  const strips = all / channels;
  if (all === 0) throw new DecodeFailed(`${where(directory)} lacks ${tagName(TAG.StripOffsets)}`);
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
export const kindOf = ({ width, height, planar, samples }: LsmPage): string =>
  [width, height, planar, ...samples.map(({ sampleType }) => sampleType)].join();

/** The layout of one channel of a page, or of all interleaved channels (0). @param rows fewer than declared in a cut line scan */
export function layoutOf(page: LsmPage, channel: number, rows: number): PageLayout {
  const held = page.planar ? page.samples.slice(channel, channel + 1) : page.samples;
  const { kind, sampleType } = held[0] ?? { kind: "uint", sampleType: "uint8" };
  const stripRows = Math.min(page.stripRows, rows);
  const { directory, width, compression, predictor } = page;
  const bits = held.map((sample) => sample.bits);
  return {
    ...inOneStrip({ directory, width, height: rows, bits, kind, sampleType }),
    compression,
    predictor,
    segmentHeight: stripRows,
    down: Math.ceil(rows / stripRows),
  };
}
