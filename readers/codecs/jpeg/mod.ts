/**
 * JPEG (compression 7; TIFF Technical Note 2): baseline, extended, progressive and lossless. Tables that strips or
 * tiles share stand in JPEGTables. Of photometric YCbCr, samples come out as RGB.
 */
import * as kernel from "../kernels/jpeg.wasm";
import { type Codec, damaged, type Extent, type Segment } from "../segment.ts";
import { DctPicture } from "./coefficients.ts";
import { blankSamples, type Samples } from "./dct.ts";
import { LosslessPicture } from "./lossless.ts";
import { type Frame, noTables, readPicture, readTables } from "./stream.ts";

const LOSSLESS = 0xc3;

function decode(input: Uint8Array, segment: Segment): Uint8Array {
  try {
    return decodeStream(input, segment);
  } catch (cause) {
    throw damaged(segment, "JPEG", cause);
  }
}

function decodeStream(input: Uint8Array, segment: Segment): Uint8Array {
  const { settings: { jpegTables }, stop, room = null } = segment;
  const kind = { chroma: codesChroma(input, segment), room };
  const tables = noTables();
  if (jpegTables && jpegTables.length > 2) readTables(jpegTables, tables);
  const seen = new Set<number>();
  const { picture, frame } = readPicture(input, tables, (frame) => {
    judge(frame, segment);
    const picture = frame.kind === LOSSLESS
      ? new LosslessPicture(input, frame, { stop, room })
      : new DctPicture(input, frame, { tables, stop, ...kind });
    return {
      picture,
      frame,
      scan(scan) {
        for (const { index } of scan.components) seen.add(index);
        return picture.scan(scan);
      },
    };
  });
  if (seen.size < frame.components.length) {
    throw new Error(`${frame.components.length - seen.size} of its components have no scan`);
  }
  const samples = picture instanceof LosslessPicture
    ? lossless(picture.samples, frame, room)
    : picture.samples();
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
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

function lossless(samples: Uint16Array, { precision }: Frame, room: Uint8Array | null): Samples {
  if (precision > 8) return samples;
  const bytes = blankSamples(samples.length, precision, room);
  bytes.set(samples);
  return bytes;
}

/** A JFIF header says YCbCr even where the container says RGB. */
function codesChroma(input: Uint8Array, { settings: { colours } }: Segment): boolean {
  const jfif = String.fromCharCode(...input.subarray(6, 10)) === "JFIF";
  return colours === "ycbcr" || (colours === "rgb" && jfif);
}

/** Sides of the largest MCU: 4 blocks of 8. */
const MCU = 32;

/**
 * Of each sample a coefficient and three steps, two bytes each: transformed, interleaved, and the result of the picture before. The
 * memory of the module is the same for each picture, so that its worker need not end.
 */
function workingBytes({ stored, width, rows, samples }: Extent): number {
  const blocks = 8 * samples * Math.ceil(width / MCU) * Math.ceil(rows / MCU) * MCU * MCU;
  return stored + blocks + kernel.memory.buffer.byteLength;
}

/** JPEG; a block of 64 samples takes at least one bit, three scans of long runs less. */
export const jpeg: Codec = {
  title: "JPEG",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 13,
  refills: true,
  workingBytes,
  decode,
};
