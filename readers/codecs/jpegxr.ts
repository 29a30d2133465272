/**
 * JPEG XR, one file (ITU-T T.832, annex A) per picture, through jxrlib. Sizes are judged in the container and in the
 * codestream before the decoder allocates. Samples come out in the order red, green, blue whatever the file has.
 */
import process from "node:process";
import makeJpegXr from "jpegxr";
import {
  type Codec,
  damagedSegment,
  measureSegment,
  type Segment,
  type WebAssemblyBounds,
} from "./segment.ts";
import { memoryRefused, WasmDecoder } from "./wasm_decoder.ts";

/** The functions of the decoder's module that are used. */
interface JpegXr {
  decode(bytes: Uint8Array): JpegXrImage;
}

interface JpegXrImage {
  readonly width: number;
  readonly height: number;
  readonly pixelInfo: {
    readonly channels: number;
    readonly bitDepth: string;
    readonly bitsPerPixel: number;
    readonly bgr: boolean;
    readonly hasAlpha: boolean;
  };
  readonly bytes: Uint8Array;
}

/** Encoders may round a picture up to whole macroblocks (T.832, section 3.70); what lies beyond the wanted size is dropped. */
const MACROBLOCK = 16;

/** The module takes over what the process does about faults of any kind; that is taken back. */
const JXRLIB = new WasmDecoder(async () => {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = events.map((event) => new Set<unknown>(process.listeners(event as "uncaughtException")));
  const made = await (makeJpegXr as unknown as (options: object) => Promise<JpegXr>)({
    print: ignore,
    printErr: ignore,
  });
  for (const [i, event] of events.entries()) {
    for (const listener of process.listeners(event as "uncaughtException")) {
      if (!before[i]!.has(listener)) process.removeListener(event, listener as () => void);
    }
  }
  return made;
});

function ignore(): void {}

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  try {
    checkSizes(readStatedSizes(input), segment);
  } catch (cause) {
    throw damagedSegment(segment, "JPEG XR", cause);
  }
  const decoder = await JXRLIB.instance(BOUNDS.memoryBytes(measureSegment(input, segment)));
  let picture: JpegXrImage;
  try {
    picture = decoder.decode(input);
  } catch {
    JXRLIB.drop();
    throw damagedSegment(segment, "JPEG XR", memoryRefused() ?? "its decoder refuses it");
  }
  try {
    return cropToSegment(picture, segment);
  } catch (cause) {
    throw damagedSegment(segment, "JPEG XR", cause);
  }
}

/** Rows and columns of the segment, in red, green and blue. */
function cropToSegment({ width, height, pixelInfo, bytes }: JpegXrImage, segment: Segment): Uint8Array {
  const { channels, bitDepth, bitsPerPixel, bgr, hasAlpha } = pixelInfo;
  const { bits, kind } = segment.settings;
  const expected = `${bits[0]}${kind === "float" ? "Float" : ""}`;
  if (
    channels !== segment.samples || bitDepth !== expected || hasAlpha ||
    bitsPerPixel !== segment.samples * bits[0]!
  ) {
    throw new Error(`it has ${channels} samples of ${bitDepth} bits, not ${segment.samples} of ${expected}`);
  }
  const pixel = bitsPerPixel / 8;
  const row = segment.width * pixel;
  if (width < segment.width || height < segment.rows || bytes.length < width * height * pixel) {
    throw new Error(`it gives ${width} x ${height} pixels in ${bytes.length} bytes`);
  }
  const swapped = bgr && channels >= 3;
  if (width === segment.width && !swapped) return bytes.subarray(0, segment.rows * row);
  const output = new Uint8Array(segment.rows * row);
  for (let y = 0; y < segment.rows; y += 1) {
    output.set(bytes.subarray(y * width * pixel, y * width * pixel + row), y * row);
  }
  if (swapped) swapRedAndBlue(output, pixel / channels, channels);
  return output;
}

function swapRedAndBlue(bytes: Uint8Array, width: number, samples: number): void {
  for (let at = 0; at < bytes.length; at += width * samples) {
    for (let b = at; b < at + width; b += 1) {
      const blue = bytes[b]!;
      bytes[b] = bytes[b + 2 * width]!;
      bytes[b + 2 * width] = blue;
    }
  }
}

/** Width and height that the container states, and those of the codestream. */
interface StatedSizes {
  readonly container: readonly [number, number];
  readonly stream: readonly [number, number];
}

function checkSizes({ container, stream }: StatedSizes, segment: Segment): void {
  for (const [width, height] of [container, stream]) {
    const fits = width >= segment.width && width < segment.width + MACROBLOCK &&
      height >= segment.rows && height < segment.fullRows + MACROBLOCK;
    if (!fits) throw new Error(`it is ${width} x ${height}, not ${segment.width} x ${segment.rows}`);
  }
  if (container[0] !== stream[0] || container[1] !== stream[1]) {
    throw new Error(`it is ${container.join(" x ")} and its codestream ${stream.join(" x ")}`);
  }
}

/** Pixel formats that are read: those of this family with these last bytes, for 8 and 16 bits, gray and colour, and gray floats. */
const FORMAT_FAMILY = "24c3dd6f034efe4bb1853d77768dc9";
const FORMATS: ReadonlySet<string> = new Set(["08", "0b", "0c", "0d", "11", "15"]);

/** Tags of the container (T.832, annex A.7). */
const TAG = {
  format: 0xbc01,
  width: 0xbc80,
  height: 0xbc81,
  imageOffset: 0xbcc0,
  alphaOffset: 0xbcc2,
} as const;

/** Reads the directory of the container and the start of the codestream. @throws {Error} they are damaged */
function readStatedSizes(input: Uint8Array): StatedSizes {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  // The last of the four bytes is the version.
  if (input.length < 8 || view.getUint16(0) !== 0x4949 || input[2] !== 0xbc || input[3]! > 1) {
    throw new Error("it does not start as JPEG XR");
  }
  const directory = view.getUint32(4, true);
  if (directory + 2 > input.length) throw new Error("its directory lies outside of it");
  const count = view.getUint16(directory, true);
  if (directory + 2 + 12 * count > input.length) throw new Error("its directory is cut");
  const values = new Map<number, number>();
  for (let at = directory + 2, i = 0; i < count; i += 1, at += 12) {
    const tag = view.getUint16(at, true);
    const [type, length] = [view.getUint16(at + 2, true), view.getUint32(at + 4, true)];
    const own = Object.values<number>(TAG).includes(tag);
    if (
      own && (tag === TAG.format ? type !== 1 || length !== 16 : ![1, 3, 4].includes(type) || length !== 1)
    ) {
      throw new Error(`its tag ${tag.toString(16)} has ${length} values of type ${type}`);
    }
    // Types are bytes, words and double words; the 16 bytes of a format stand elsewhere.
    values.set(
      tag,
      tag === TAG.format || type === 4
        ? view.getUint32(at + 8, true)
        : type === 3
        ? view.getUint16(at + 8, true)
        : view.getUint8(at + 8),
    );
  }
  const [width, height, offset] = [
    values.get(TAG.width),
    values.get(TAG.height),
    values.get(TAG.imageOffset),
  ];
  if (width === undefined || height === undefined || offset === undefined) {
    throw new Error("its directory states no size or no image");
  }
  if (values.has(TAG.alphaOffset)) throw new Error("it has an alpha plane, which is not supported");
  const format = values.get(TAG.format) ?? input.length;
  const guid = input.subarray(format, format + 16).toHex();
  if (!guid.startsWith(FORMAT_FAMILY) || !FORMATS.has(guid.slice(-2))) {
    throw new Error(`its pixel format is ${guid || "missing"}, which is not supported`);
  }
  return { container: [width, height], stream: streamSize(view, offset) };
}

/** Size in the header of the codestream (T.832, section 8.3). */
function streamSize(view: DataView, offset: number): readonly [number, number] {
  if (offset + 20 > view.byteLength) throw new Error("its codestream lies outside of it");
  const signature = new Uint8Array(view.buffer, view.byteOffset + offset, 8);
  if (new TextDecoder().decode(signature) !== "WMPHOTO\0") throw new Error("its codestream has no signature");
  // SHORT_HEADER_FLAG is the first bit of the third byte after the signature.
  const short = (view.getUint8(offset + 10) & 0x80) !== 0;
  return short
    ? [view.getUint16(offset + 12) + 1, view.getUint16(offset + 14) + 1]
    : [view.getUint32(offset + 12) + 1, view.getUint32(offset + 16) + 1];
}

/** Noise of 16 bits takes 0.08 microseconds a sample. Memory: picture, stored bytes, rows of macroblocks, 16 MiB at its start. */
const BOUNDS: WebAssemblyBounds = {
  maxSamples: 1 << 26,
  maxStored: 1 << 28,
  memoryBytes: ({ stored, width, rows, samples, bytes }) => {
    const pixels = (width + MACROBLOCK) * (rows + MACROBLOCK);
    const pixel = bytes / Math.max(width * rows, 1);
    return (32 << 20) + 1.5 * (stored + pixels * pixel) + 512 * samples * (width + MACROBLOCK);
  },
};

/** JPEG XR; a macroblock of one colour takes some three bits. */
export const jpegXr: Codec = {
  title: "JPEG XR",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 15,
  workingBytes: (extent) => BOUNDS.memoryBytes(extent) + extent.stored + 3 * extent.bytes,
  webAssembly: BOUNDS,
  decode,
};
