/**
 * JPEG (compression 7; TIFF Technical Note 2): baseline, extended, progressive and lossless. Tables that strips or
 * tiles share stand in JPEGTables. Of photometric YCbCr, samples come out as RGB.
 */
import { type Codec, damaged, type Extent, type Segment } from "../segment.ts";
import { type Coefficients, coefficientsOf, decodeScan } from "./coefficients.ts";
import { interleave, toRgb, upsample } from "./color.ts";
import { transform } from "./dct.ts";
import { decodeLossless } from "./lossless.ts";
import { type Frame, noTables, readStream, type Tables } from "./stream.ts";

const LOSSLESS = 0xc3;

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  try {
    return decodeStream(input, segment);
  } catch (cause) {
    throw damaged(segment, "JPEG", cause);
  }
}

function decodeStream(input: Uint8Array, segment: Segment): Uint8Array {
  const tables = noTables();
  const shared = segment.settings.jpegTables;
  if (shared && shared.length > 2) readStream(shared, tables, null);
  const picture: Picture = { frame: null, coefficients: [], lossless: new Uint16Array(0), seen: new Set() };
  readStream(input, tables, {
    frame: (frame) => {
      judge(frame, segment);
      picture.frame = frame;
      if (frame.kind === LOSSLESS) {
        picture.lossless = new Uint16Array(frame.width * frame.height * frame.components.length);
      } else {
        picture.coefficients = coefficientsOf(frame);
      }
    },
    scan: (scan, frame) => {
      for (const { index } of scan.components) picture.seen.add(index);
      return frame.kind === LOSSLESS
        ? decodeLossless(input, scan, frame, picture.lossless, segment.stop)
        : decodeScan(input, scan, frame, picture.coefficients, segment.stop);
    },
  });
  const frame = picture.frame!;
  if (picture.seen.size < frame.components.length) {
    throw new Error(`${frame.components.length - picture.seen.size} of its components have no scan`);
  }
  const samples = frame.kind === LOSSLESS
    ? lossless(picture.lossless, frame)
    : planes(input, picture, frame, tables, segment);
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

interface Picture {
  frame: Frame | null;
  coefficients: Coefficients[];
  lossless: Uint16Array;
  /** Components that had a scan. */
  readonly seen: Set<number>;
}

/** The frame must be the strip or tile that the page declares, before anything is allocated for it. */
function judge(frame: Frame, segment: Segment): void {
  const { width, height, precision, components } = frame;
  const fits = frame.kind === LOSSLESS
    // Raw camera files fold columns into components.
    ? width * components.length === segment.width * segment.samples
    : width === segment.width && components.length === segment.samples;
  if (!fits || height < segment.rows || height > Math.max(segment.fullRows, segment.rows)) {
    throw new Error(
      `it is ${width} x ${height} x ${components.length}, not ${segment.width} x ${segment.rows} x ${segment.samples}`,
    );
  }
  const declared = segment.settings.bits[0]!;
  const allowed = frame.kind === LOSSLESS
    ? precision >= 2 && precision <= 16
    : precision === 8 || precision === 12;
  if (!allowed || (declared <= 8) !== (precision <= 8) || declared > 16) {
    throw new Error(`it has ${precision} bits per sample, the page ${declared}`);
  }
}

function lossless(samples: Uint16Array, frame: Frame): Uint8Array | Uint16Array {
  return frame.precision <= 8 ? Uint8Array.from(samples) : samples;
}

function planes(
  input: Uint8Array,
  picture: Picture,
  frame: Frame,
  tables: Tables,
  segment: Segment,
): Uint8Array | Uint16Array {
  const h = Math.max(...frame.components.map((component) => component.h));
  const v = Math.max(...frame.components.map((component) => component.v));
  const full = picture.coefficients.map((own) => {
    const plane = transform(own, tables.quantization[own.component.quantization], frame, segment.stop);
    return upsample(plane, frame.width, frame.height, h / own.component.h, v / own.component.v);
  });
  const samples = interleave(full, frame.width, frame.height);
  if (frame.components.length === 3 && codesChroma(input, segment)) toRgb(samples, frame.precision);
  return samples;
}

/** A JFIF header says YCbCr even where the container says RGB. */
function codesChroma(input: Uint8Array, { settings: { colours } }: Segment): boolean {
  const jfif = String.fromCharCode(...input.subarray(6, 10)) === "JFIF";
  return colours === "ycbcr" || (colours === "rgb" && jfif);
}

/** Sides of the largest MCU: 4 blocks of 8. */
const MCU = 32;

/** Of each sample a coefficient and three steps, two bytes each: transformed, brought to full size, interleaved. */
function workingBytes({ stored, width, rows, samples }: Extent): number {
  return stored + 8 * samples * Math.ceil(width / MCU) * Math.ceil(rows / MCU) * MCU * MCU;
}

/** JPEG; a block of 64 samples takes at least one bit, three scans of long runs less. */
export const jpeg: Codec = {
  title: "JPEG",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 13,
  workingBytes,
  decode,
};
