/**
 * JPEG (compression 7; TIFF Technical Note 2) of 8 bits through libjpeg-turbo: baseline, extended, progressive and lossless. Tables
 * that strips or tiles share stand in JPEGTables. Of YCbCr, samples come out as RGB.
 *
 * The markers are judged before the decoder sees them (ITU-T T.81, annex B): it would allocate for any size, fill components without
 * a scan with gray, and guess the colours of a stream that does not name them.
 */
import makeTurbo from "@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs";
import { DecodeFailed, ReaderError } from "../errors.ts";
import {
  type Codec,
  damagedSegment,
  type LargestSegment,
  measureSegment,
  type Segment,
  shortSegment,
} from "./segment.ts";
import { memoryRefused, WasmDecoder } from "./wasm_decoder.ts";

/** The functions of the decoder's module that are used. */
interface Turbo {
  JPEGDecoder: new () => JpegDecoder;
}

interface JpegDecoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  getFrameInfo(): { width: number; height: number; componentCount: number };
  decode(): void;
  delete(): void;
}

const TURBO = new WasmDecoder(() =>
  (makeTurbo as unknown as (options: object) => Promise<Turbo>)({ print() {}, printErr() {} })
);

async function decode(input: Uint8Array, segment: Segment): Promise<Uint8Array> {
  const { width, samples } = segment;
  let stream: Uint8Array[];
  let rows: number;
  try {
    const { header, frame } = checkStream(input, segment);
    stream = [SOI, ...colourMarker(input, segment), ...header];
    rows = frame.height;
  } catch (cause) {
    throw damagedSegment(segment, "JPEG", cause);
  }
  const { JPEGDecoder } = await TURBO.instance(memoryBytes(measureSegment(input, segment)));
  let decoder: JpegDecoder | null = null;
  try {
    decoder = new JPEGDecoder();
    const room = decoder.getEncodedBuffer(stream.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of stream) {
      room.set(part, at);
      at += part.length;
    }
    decoder.decode();
    const info = decoder.getFrameInfo();
    const decoded = decoder.getDecodedBuffer();
    const bytes = width * rows * samples;
    if (info.width !== width || info.height !== rows || info.componentCount !== samples) throw new Error();
    if (decoded.length < bytes) throw shortSegment(segment, "JPEG", decoded.length);
    return decoded.subarray(0, bytes);
  } catch (cause) {
    if (cause instanceof ReaderError) throw cause;
    // The decoder throws numbers, and keeps the memory of the stream that it gave up.
    TURBO.drop();
    decoder = null;
    throw damagedSegment(segment, "JPEG", memoryRefused() ?? "its decoder finds the data damaged");
  } finally {
    decoder?.delete();
  }
}

const SOI = Uint8Array.of(0xff, 0xd8);

const MARKER = { sof0: 0xc0, lossless: 0xc3, jfif: 0xe0, adobe: 0xee, eoi: 0xd9, sos: 0xda } as const;

/** The frame header of a stream. */
interface JpegFrame {
  readonly marker: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  /** Identifiers of the components. */
  readonly ids: readonly number[];
}

/** A marker segment: its code, its body, and where it starts and ends in the stream. */
interface Marked {
  readonly code: number;
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Samples times scans. The decoder passes over the whole picture in each scan, in 10 ns a sample, and cannot be stopped. A progressive
 * picture needs about ten scans.
 */
const MAX_PASSES = 1 << 29;

/**
 * Checks that a stream is the strip or tile that the page declares, ends with its end marker, and codes each component.
 *
 * @returns the stream without its start, with the tables of JPEGTables before it, and with markers that name colours only if they decide
 * @throws {Error | DecodeFailed} it is not, or is of a kind that is not read
 */
function checkStream(input: Uint8Array, segment: Segment): { header: Uint8Array[]; frame: JpegFrame } {
  const { jpegTables, colours } = segment.settings;
  const header: Uint8Array[] = [];
  const keep = (bytes: Uint8Array, { code, start, end }: Marked) => {
    const namesColours = code === MARKER.jfif || code === MARKER.adobe;
    if (!namesColours || colours === "stream") header.push(bytes.subarray(start, end));
  };
  if (jpegTables && jpegTables.length > 2) {
    for (const marked of listMarkers(jpegTables)) {
      if (marked.code === MARKER.eoi) break;
      keep(jpegTables, marked);
    }
  }
  let frame: JpegFrame | null = null;
  const coded = new Set<number>();
  let scans = 0;
  for (const marked of listMarkers(input)) {
    const { code, body, start } = marked;
    if (code === MARKER.eoi) {
      if (frame === null || scans === 0) throw new Error("it ends without a scan");
      const missing = frame.ids.filter((id) => !coded.has(id)).length;
      if (missing > 0) throw new Error(`${missing} of its components have no scan`);
      return { header, frame };
    }
    if (isFrame(code)) {
      if (frame !== null) throw new Error("it has two frames");
      frame = readFrameHeader(code, body);
      requireFrame(frame, segment);
    }
    if (code === MARKER.sos) {
      if (frame === null) throw new Error("a scan comes before its frame");
      scans += 1;
      if (scans * frame.width * frame.height * frame.ids.length > MAX_PASSES) {
        throw new Error(`its decoder cannot be stopped, so at most ${scans - 1} scans of this size are read`);
      }
      for (let i = 0; i < (body[0] ?? 0); i += 1) coded.add(body[1 + 2 * i] ?? -1);
      // What follows the first scan is kept as it is.
      if (scans === 1) header.push(input.subarray(start));
    } else if (scans === 0) keep(input, marked);
  }
  throw new Error("it has no end marker");
}

/** The markers of a stream after its start; entropy-coded data are skipped. @throws {Error} a segment does not fit */
function* listMarkers(bytes: Uint8Array): Generator<Marked> {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw new Error("it does not start with a JPEG marker");
  let at = 2;
  for (;;) {
    // 0 stands for a sample of 255, d0 to d7 restart the coding, further 255 fill.
    while (at < bytes.length && !(bytes[at] === 0xff && isMarker(bytes[at + 1] ?? 0))) at += 1;
    if (at >= bytes.length) return;
    const code = bytes[at + 1]!;
    if (code === MARKER.eoi) {
      yield { code, body: bytes.subarray(at, at), start: at, end: at + 2 };
      return;
    }
    if (code === 0xd8) throw new Error("it starts twice");
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) {
      throw new Error(`the segment of marker ${code.toString(16)} ends early`);
    }
    yield { code, body: bytes.subarray(at + 4, end), start: at, end };
    at = end;
  }
}

const isMarker = (code: number) => code > 1 && code < 0xff && (code < 0xd0 || code > 0xd7);

/** True for SOF0 to SOF15: all between, but for tables (c4), an extension (c8) and conditions (cc). */
const isFrame = (code: number) =>
  code >= MARKER.sof0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;

function readFrameHeader(marker: number, body: Uint8Array): JpegFrame {
  const count = body[5] ?? 0;
  if (count === 0 || body.length !== 6 + 3 * count) throw new Error("its frame header is damaged");
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return {
    marker,
    precision: view.getUint8(0),
    height: view.getUint16(1),
    width: view.getUint16(3),
    ids: Array.from({ length: count }, (_, i) => view.getUint8(6 + 3 * i)),
  };
}

function requireFrame({ marker, precision, width, height, ids }: JpegFrame, segment: Segment): void {
  const { what, rows, fullRows, samples, settings: { bits } } = segment;
  const refused = (kind: string) => new DecodeFailed(`${what} is ${kind}, which is not read${SEE}`);
  if (marker > MARKER.lossless) throw refused(`JPEG of coding ${marker.toString(16)}`);
  if (precision !== 8) throw refused(`JPEG of ${precision} bits a sample`);
  if (bits[0]! > 8) throw new Error(`it has ${precision} bits per sample, the page ${bits[0]}`);
  if (
    width !== segment.width || ids.length !== samples || height < rows || height > Math.max(fullRows, rows)
  ) {
    throw new Error(
      `it is ${width} x ${height} x ${ids.length}, not ${segment.width} x ${rows} x ${samples}`,
    );
  }
  if (samples !== 1 && samples !== 3) throw refused(`JPEG of ${samples} components`);
}

const SEE = " (docs/formats/tiff.md#what-is-refused)";

/**
 * The marker that tells the decoder whether three components are YCbCr: APP14, with transform 1 or 0 (Adobe Technical Note 5116).
 * Without it the decoder goes by their identifiers, which writers choose freely. A JFIF header says YCbCr even where the container
 * says RGB.
 */
function colourMarker(input: Uint8Array, { samples, settings: { colours } }: Segment): Uint8Array[] {
  if (samples !== 3 || colours === "stream") return [];
  const jfif = String.fromCharCode(...input.subarray(6, 10)) === "JFIF";
  const transform = Number(colours === "ycbcr" || (colours === "rgb" && jfif));
  const name = [..."Adobe"].map((letter) => letter.charCodeAt(0));
  return [Uint8Array.of(0xff, MARKER.adobe, 0, 14, ...name, 0, 100, 0, 0, 0, 0, transform)];
}

/** Sides of the largest MCU: 4 blocks of 8. */
const MCU = 32;

/** The module starts with 50 MiB. A progressive picture holds a coefficient of two bytes a sample beside the result. */
function memoryBytes({ stored, width, rows, samples }: LargestSegment): number {
  const padded = samples * Math.ceil(width / MCU) * Math.ceil(rows / MCU) * MCU * MCU;
  return (64 << 20) + 3 * stored + 5 * padded;
}

/** JPEG; a block of 64 samples takes at least one bit, three scans of long runs less. */
export const jpeg: Codec = {
  title: "JPEG",
  image: true,
  bitOrder: false,
  maxExpansion: 1 << 13,
  workingBytes: (extent) => memoryBytes(extent) + extent.stored,
  webAssembly: { maxSamples: 1 << 27, maxStored: 1 << 27, memoryBytes },
  decode,
};
