/**
 * JPEG 2000 (compressions 34712, 33003, 33004, 33005), a codestream or a JP2 file per strip or tile, through OpenJPEG. The size
 * marker is judged before the decoder allocates (ITU-T T.800, annex A.5.1). The decoder's JavaScript side gives one or
 * three components and clips negative values of 8 bits to 0: other counts are refused, signed 8 bits decoded as unsigned.
 */
import makeOpenJpeg from "@cornerstonejs/codec-openjpeg/decodewasmjs";
import { DecodeFailed, ReaderError } from "../errors.ts";
import {
  type Codec,
  damagedSegment,
  measureSegment,
  type Segment,
  shortSegment,
  type WebAssemblyBounds,
} from "./segment.ts";
import { memoryRefused, WasmDecoder } from "./wasm_decoder.ts";

/** The functions of the decoder's module that are used. */
interface OpenJpeg {
  J2KDecoder: new () => Jpeg2000Decoder;
}

interface Jpeg2000Decoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  decode(): void;
  delete(): void;
}

const OPENJPEG = new WasmDecoder(() =>
  (makeOpenJpeg as unknown as (options: object) => Promise<OpenJpeg>)({
    print: noteDecoderError,
    printErr: noteDecoderError,
  })
);

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  const { J2KDecoder } = await OPENJPEG.instance(BOUNDS.memoryBytes(measureSegment(input, segment)));
  const { start, signedBits } = readCodestreamStart(input, segment);
  complaint = "";
  let decoder: Jpeg2000Decoder | null = null;
  try {
    decoder = new J2KDecoder();
    // The header of a JP2 file states the sign of the samples once more, so only the codestream is given.
    const stored = signedBits > 0 ? unsigned(input.subarray(start)) : input;
    decoder.getEncodedBuffer(stored.length).set(stored);
    decoder.decode();
    // The decoder goes on when it is refused memory.
    if (memoryRefused() !== null) throw new Error();
    const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
    const bytes = decoder.getDecodedBuffer();
    const expected = width * height * componentCount * (bitsPerSample > 8 ? 2 : 1);
    if (bytes.length < expected || expected < segment.bytes) {
      throw shortSegment(segment, "JPEG 2000", bytes.length);
    }
    const samples = new Uint8Array(bytes.buffer, bytes.byteOffset, expected);
    const middle = signedBits > 0 ? 2 ** (signedBits - 1) : 0;
    // The decoder's array clips, an array of bytes wraps.
    if (middle === 0) return samples;
    return Uint8Array.from(samples, (sample) => sample - middle & 0xff);
  } catch (cause) {
    if (cause instanceof ReaderError) throw cause;
    OPENJPEG.drop();
    decoder = null;
    throw damagedSegment(
      segment,
      "JPEG 2000",
      memoryRefused() ?? (complaint || "its decoder refuses it"),
    );
  } finally {
    decoder?.delete();
  }
}

/** The last error message of the decoder; the exceptions that it throws are numbers. */
let complaint = "";

function noteDecoderError(text: string): void {
  const found = /\[ERROR\] (.*)/.exec(text)?.[1]?.trim();
  if (found) complaint = found;
}

/** A codestream whose components count as unsigned: the decoder then adds half of their range. */
function unsigned(codestream: Uint8Array): Uint8Array {
  const copy = codestream.slice();
  const components = new DataView(copy.buffer).getUint16(40);
  for (let c = 0; c < components; c += 1) copy[42 + 3 * c]! &= 0x7f;
  return copy;
}

/** Start of a codestream: the markers SOC and SIZ. */
const START = [0xff, 0x4f, 0xff, 0x51];

/** Bytes of a JP2 file in which its codestream is searched for. */
const SEARCHED = 1 << 16;

/** Where the codestream begins, and how many bits its samples have when they are signed and at most 8; else 0. */
function readCodestreamStart(input: Uint8Array, segment: Segment): { start: number; signedBits: number } {
  const end = Math.min(input.length, SEARCHED);
  let at = 0;
  while (at < end && !START.every((byte, i) => input[at + i] === byte)) at += 1;
  const fail = (reason: string) => damagedSegment(segment, "JPEG 2000", reason);
  // SIZ: length, capabilities, x and y size and offset, four of tiles, then the number of components.
  if (at >= end || at + 45 > input.length) throw fail("it holds no codestream");
  const view = new DataView(input.buffer, input.byteOffset + at + 4);
  const width = view.getUint32(4) - view.getUint32(12);
  const height = view.getUint32(8) - view.getUint32(16);
  const components = view.getUint16(36);
  if (
    width !== segment.width || height < segment.rows || height > segment.fullRows ||
    components !== segment.samples
  ) {
    throw fail(
      `it is ${width} x ${height} x ${components}, not ${segment.width} x ${segment.rows} x ${segment.samples}`,
    );
  }
  if (components !== 1 && components !== 3) {
    throw new DecodeFailed(`${segment.what} is JPEG 2000 of ${components} components; 1 and 3 are supported`);
  }
  const declared = segment.settings.bits[0]!;
  let signedBits = 0;
  for (let c = 0; c < components; c += 1) {
    if (at + 4 + 38 + 3 * c + 3 > input.length) throw fail("it ends early");
    const bits = (view.getUint8(38 + 3 * c) & 0x7f) + 1;
    const [dx, dy] = [view.getUint8(39 + 3 * c), view.getUint8(40 + 3 * c)];
    if (dx !== 1 || dy !== 1) {
      throw fail(`component ${c} has one sample for ${dx} x ${dy} pixels, which is not supported`);
    }
    const signed = (view.getUint8(38 + 3 * c) & 0x80) !== 0;
    if (segment.settings.kind !== (signed ? "int" : "uint")) {
      throw fail(`component ${c} is ${signed ? "signed" : "unsigned"}, the page's samples are not`);
    }
    if (
      bits > 16 || c > 0 && signedBits > 0 && bits !== signedBits || (bits <= 8) !== (declared <= 8) ||
      declared > 16
    ) {
      throw fail(`component ${c} has ${bits} bits, the page ${declared}`);
    }
    if (signed && bits <= 8) signedBits = bits;
  }
  return { start: at, signedBits };
}

/**
 * Noise of 16 bits takes 0.15 to 0.3 microseconds a sample. Memory: 4 bytes a sample for the picture and as many for a tile,
 * 2 for the result, the stored bytes twice, and 50 MiB at its start.
 */
const BOUNDS: WebAssemblyBounds = {
  maxSamples: 1 << 25,
  maxStored: 48 << 20,
  memoryBytes: ({ stored, width, rows, samples }) => (80 << 20) + 3 * stored + 12 * width * rows * samples,
};

/** JPEG 2000; an empty code block costs a fraction of a bit. */
export const jpeg2000: Codec = {
  title: "JPEG 2000",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 20,
  workingBytes: (extent) => BOUNDS.memoryBytes(extent) + extent.stored + 2 * extent.bytes,
  webAssembly: BOUNDS,
  decode,
};
