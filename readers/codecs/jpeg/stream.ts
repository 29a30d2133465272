/** Markers of a JPEG stream: tables, the frame and its scans (ITU-T T.81, annex B). */
import { type HuffmanTable, huffmanTable } from "./bits.ts";

/** One component of a frame. */
export interface Component {
  readonly id: number;
  /** Sampling factors. */
  readonly h: number;
  readonly v: number;
  readonly quantization: number;
}

/** A frame header. */
export interface Frame {
  /** Low byte of its marker: 0xc0 baseline, 0xc1 extended, 0xc2 progressive, 0xc3 lossless. */
  readonly kind: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

/** A scan header with the tables that it uses. */
export interface Scan {
  readonly components: readonly {
    readonly index: number;
    readonly dc: HuffmanTable | undefined;
    readonly ac: HuffmanTable | undefined;
  }[];
  /** First and last coefficient, or the predictor of a lossless scan. */
  readonly start: number;
  readonly end: number;
  readonly high: number;
  readonly low: number;
  /** MCUs between restart markers; 0 for none. */
  readonly restart: number;
  /** Offset of the entropy-coded data. */
  readonly at: number;
}

/** Tables that hold for what follows, within one stream or from JPEGTables on. */
export interface Tables {
  readonly quantization: (Uint16Array | undefined)[];
  readonly dc: (HuffmanTable | undefined)[];
  readonly ac: (HuffmanTable | undefined)[];
  restart: number;
}

/** No tables yet. */
export const noTables = (): Tables => ({ quantization: [], dc: [], ac: [], restart: 0 });

/** What is done with the frame and with each scan; a scan gives the offset at which its data end. */
export interface Visitor {
  frame(frame: Frame): void;
  scan(scan: Scan, frame: Frame): number;
}

/** A progressive picture needs ten scans; more than this is made to take time. */
const MAX_SCANS = 500;

/**
 * Reads a stream from marker to marker.
 *
 * @throws {Error} it is damaged; without a frame when only tables are expected it just ends
 */
export function readStream(bytes: Uint8Array, tables: Tables, visitor: Visitor | null): void {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw new Error("it does not start with a JPEG marker");
  let frame: Frame | null = null;
  let scans = 0;
  for (let at = 2;;) {
    at = nextMarker(bytes, at);
    const marker = bytes[at];
    at += 1;
    if (marker === undefined) {
      if (visitor === null || scans > 0) return;
      throw new Error("it ends without a scan");
    }
    if (marker === 0xd9) {
      if (visitor !== null && scans === 0) throw new Error("it ends without a scan");
      return;
    }
    if (marker === 0xd8) throw new Error("it starts twice");
    if (marker === 1 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    // Reserved (ITU-T T.81, table B.1).
    if (marker < 0xc0) throw new Error(`it has the marker ${marker.toString(16)}, which means nothing`);
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (length < 2 || at + length > bytes.length) {
      throw new Error(`the segment of marker ${marker.toString(16)} ends early`);
    }
    const body = bytes.subarray(at + 2, at + length);
    at += length;
    if (marker === 0xdb) readQuantization(body, tables);
    else if (marker === 0xc4) readHuffman(body, tables);
    else if (marker === 0xdd) tables.restart = restartInterval(body);
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) {
      if (marker > 0xc3) throw new Error(`its coding ${marker.toString(16)} is not read`);
      if (frame) throw new Error("it has two frames");
      frame = readFrame(marker, body);
      visitor?.frame(frame);
    } else if (marker === 0xda && visitor) {
      if (!frame) throw new Error("a scan comes before its frame");
      scans += 1;
      if (scans > MAX_SCANS) throw new Error(`it has more than ${MAX_SCANS} scans`);
      at = visitor.scan(readScan(body, frame, tables, at), frame);
    }
  }
}

/** Offset of the code of the next marker; entropy-coded data that are left over are skipped. */
function nextMarker(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const next = bytes[at + 1];
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff) return at + 1;
    at += 1;
  }
  return bytes.length;
}

function readQuantization(body: Uint8Array, tables: Tables): void {
  for (let at = 0; at < body.length;) {
    const wide = body[at]! >> 4 ? 2 : 1;
    const id = body[at]! & 15;
    at += 1;
    if (id > 3 || at + 64 * wide > body.length) throw new Error("a quantization table is damaged");
    const table = new Uint16Array(64);
    for (let i = 0; i < 64; i += 1, at += wide) {
      table[i] = wide === 2 ? (body[at]! << 8) | body[at + 1]! : body[at]!;
    }
    tables.quantization[id] = table;
  }
}

function readHuffman(body: Uint8Array, tables: Tables): void {
  for (let at = 0; at < body.length;) {
    const id = body[at]! & 15;
    const direct = body[at]! >> 4 === 0;
    const list = direct ? tables.dc : tables.ac;
    const counts = body.slice(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (id > 3 || counts.length < 16 || at + 17 + total > body.length) {
      throw new Error("a Huffman table is damaged");
    }
    const symbols = body.slice(at + 17, at + 17 + total);
    // Of a difference they are its bits: 16 at most, in lossless coding (ITU-T T.81, table H.2).
    if (direct && symbols.some((symbol) => symbol > 16)) throw new Error("a Huffman table is damaged");
    list[id] = huffmanTable(counts, symbols);
    at += 17 + total;
  }
}

function restartInterval(body: Uint8Array): number {
  const [high, low] = body;
  if (body.length !== 2 || high === undefined || low === undefined) {
    throw new Error("its restart interval is damaged");
  }
  return (high << 8) | low;
}

function readFrame(kind: number, body: Uint8Array): Frame {
  const count = body[5] ?? 0;
  if (body.length !== 6 + 3 * count || count === 0) throw new Error("its frame header is damaged");
  const components = Array.from({ length: count }, (_, i) => {
    const [id, factors, quantization] = body.subarray(6 + 3 * i);
    const component = { id: id!, h: factors! >> 4, v: factors! & 15, quantization: quantization! };
    if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4) {
      throw new Error(`its sampling factors are ${component.h} and ${component.v}`);
    }
    return component;
  });
  return {
    kind,
    precision: body[0]!,
    height: (body[1]! << 8) | body[2]!,
    width: (body[3]! << 8) | body[4]!,
    components,
  };
}

function readScan(body: Uint8Array, frame: Frame, tables: Tables, at: number): Scan {
  const count = body[0] ?? 0;
  if (count < 1 || count > 4 || body.length !== 4 + 2 * count) throw new Error("a scan header is damaged");
  const components = Array.from({ length: count }, (_, i) => {
    const id = body[1 + 2 * i]!;
    const selected = body[2 + 2 * i]!;
    const index = frame.components.findIndex((component) => component.id === id);
    if (index < 0) throw new Error(`a scan names component ${id}, which the frame lacks`);
    return { index, dc: tables.dc[selected >> 4], ac: tables.ac[selected & 15] };
  });
  const [start, end, approximation] = body.subarray(1 + 2 * count) as unknown as [number, number, number];
  const high = approximation >> 4;
  const low = approximation & 15;
  // ITU-T T.81, table B.3; of a sequential scan the values are fixed, and decoders ignore them.
  const lossless = start >= 1 && start <= 7 && end === 0 && high === 0 && low < frame.precision;
  const progressive = end <= 63 && (start === 0 ? end === 0 : start <= end && count === 1) && low <= 13 &&
    (high === 0 || high === low + 1);
  if (frame.kind === 0xc3 && !lossless || frame.kind === 0xc2 && !progressive) {
    throw new Error(`a scan has the parameters ${start}, ${end}, ${high} and ${low}`);
  }
  return {
    components,
    start,
    end,
    high,
    low,
    restart: tables.restart,
    at,
  };
}
