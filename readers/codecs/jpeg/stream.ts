/** Markers of a JPEG stream: tables, the frame and its scans (ITU-T T.81, annex B). */

/** Number of codes of each length from 1 to 16, then their values in the order of the codes (ITU-T T.81, annex C). */
export type HuffmanTable = Uint8Array;

/** Checks a table. @throws {Error} its counts do not form a code */
function huffmanTable(coded: Uint8Array): HuffmanTable {
  let code = 0;
  for (let length = 1; length <= 16; length += 1) {
    code += coded[length - 1]!;
    if (code > 1 << length) throw new Error("a Huffman table has too many codes");
    code <<= 1;
  }
  return coded;
}

/** One component of a frame. */
export interface Component {
  /** By which scans name it. */
  readonly id: number;
  /** Horizontal sampling factor. */
  readonly h: number;
  /** Vertical sampling factor. */
  readonly v: number;
  /** Number of its quantization table. */
  readonly quantization: number;
}

/** A frame header. */
export interface Frame {
  /** Low byte of its marker: 0xc0 baseline, 0xc1 extended, 0xc2 progressive, 0xc3 lossless. */
  readonly kind: number;
  /** Bits of a sample. */
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  /** Largest horizontal sampling factor of its components. */
  readonly h: number;
  /** Largest vertical sampling factor. */
  readonly v: number;
  /** In the order of the samples. */
  readonly components: readonly Component[];
}

/** A scan header with the tables that it uses. */
export interface Scan {
  /** Components of the scan by their index in the frame. */
  readonly components: readonly {
    readonly index: number;
    readonly dc: HuffmanTable | undefined;
    readonly ac: HuffmanTable | undefined;
  }[];
  /** First coefficient, or the predictor of a lossless scan. */
  readonly start: number;
  /** Last coefficient. */
  readonly end: number;
  /** Bits by which earlier scans shifted the coefficients; 0 for their first scan. */
  readonly high: number;
  /** Bits by which coefficients, or samples, are shifted. */
  readonly low: number;
  /** MCUs between restart markers; 0 for none. */
  readonly restart: number;
  /** Offset of the entropy-coded data. */
  readonly at: number;
}

/** Tables that hold for what follows, within one stream or from JPEGTables on. */
export interface Tables {
  /** In the order of the zigzag. */
  readonly quantization: (Uint16Array | undefined)[];
  /** Huffman tables of differences. */
  readonly dc: (HuffmanTable | undefined)[];
  /** Huffman tables of the other coefficients. */
  readonly ac: (HuffmanTable | undefined)[];
  /** MCUs between restart markers; 0 for none. */
  restart: number;
}

/** No tables yet. */
export const noTables = (): Tables => ({ quantization: [], dc: [], ac: [], restart: 0 });

/** A picture while its scans are decoded. */
export interface Picture {
  /** Decodes a scan; returns the offset at which its data end. @throws {Error} it is damaged */
  scan(scan: Scan): number;
}

/** A progressive picture needs ten scans; more than this is made to take time. */
const MAX_SCANS = 500;

/** Reads a stream that holds tables only. @throws {Error} it is damaged */
export function readTables(bytes: Uint8Array, tables: Tables): void {
  readSegments(bytes, tables, null);
}

/**
 * Reads a stream from marker to marker, up to its end or the end of the bytes after a scan.
 *
 * @param tables those of JPEGTables; takes those of the stream
 * @param begin makes the picture of a frame, which then takes the scans
 * @throws {Error} it is damaged, or ends without a scan
 */
export function readPicture<P extends Picture>(
  bytes: Uint8Array,
  tables: Tables,
  begin: (frame: Frame) => P,
): P {
  const picture = readSegments(bytes, tables, begin);
  if (picture === null) throw new Error("it ends without a scan");
  return picture;
}

/** The picture once it had a scan, or `null`. Without `begin`, scans are skipped. */
function readSegments<P extends Picture>(
  bytes: Uint8Array,
  tables: Tables,
  begin: ((frame: Frame) => P) | null,
): P | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw new Error("it does not start with a JPEG marker");
  let frame: Frame | null = null;
  let picture: P | null = null;
  let scans = 0;
  for (let at = 2;;) {
    at = nextMarker(bytes, at);
    const marker = bytes[at];
    at += 1;
    if (marker === undefined || marker === 0xd9) return scans > 0 ? picture : null;
    if (marker === 0xd8) throw new Error("it starts twice");
    if (marker === 1 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    // Reserved (ITU-T T.81, table B.1).
    if (marker < 0xc0) throw new Error(`it has the marker ${marker.toString(16)}, which is reserved`);
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (length < 2 || at + length > bytes.length) {
      throw new Error(`the segment of marker ${marker.toString(16)} ends early`);
    }
    const body = new DataView(bytes.buffer, bytes.byteOffset + at + 2, length - 2);
    at += length;
    if (marker === 0xdb) readQuantization(body, tables);
    else if (marker === 0xc4) readHuffman(body, tables);
    else if (marker === 0xdd) tables.restart = restartInterval(body);
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) {
      if (marker > 0xc3) throw new Error(`its coding ${marker.toString(16)} is not supported`);
      if (frame) throw new Error("it has two frames");
      frame = readFrame(marker, body);
      picture = begin?.(frame) ?? null;
    } else if (marker === 0xda && begin) {
      if (!frame || !picture) throw new Error("a scan comes before its frame");
      scans += 1;
      if (scans > MAX_SCANS) throw new Error(`it has more than ${MAX_SCANS} scans`);
      at = picture.scan(readScan(body, frame, tables, at));
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

function readQuantization(body: DataView, tables: Tables): void {
  for (let at = 0; at < body.byteLength;) {
    const head = body.getUint8(at);
    const id = head & 15;
    const wide = head >> 4 ? 2 : 1;
    at += 1;
    if (id > 3 || at + 64 * wide > body.byteLength) throw new Error("a quantization table is damaged");
    const start = at;
    const table = tables.quantization[id] = new Uint16Array(64);
    for (let i = 0; i < 64; i += 1) {
      table[i] = wide === 2 ? body.getUint16(start + 2 * i) : body.getUint8(start + i);
    }
    at += 64 * wide;
  }
}

function readHuffman(body: DataView, tables: Tables): void {
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < bytes.length;) {
    const head = body.getUint8(at);
    const id = head & 15;
    const direct = head >> 4 === 0;
    const list = direct ? tables.dc : tables.ac;
    const counts = bytes.slice(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (id > 3 || counts.length < 16 || at + 17 + total > bytes.length) {
      throw new Error("a Huffman table is damaged");
    }
    const symbols = bytes.subarray(at + 17, at + 17 + total);
    // Symbols for differences are numbers of bits: 16 at most, in lossless coding (ITU-T T.81, table H.2).
    if (direct && symbols.some((symbol) => symbol > 16)) throw new Error("a Huffman table is damaged");
    list[id] = huffmanTable(bytes.slice(at + 1, at + 17 + total));
    at += 17 + total;
  }
}

function restartInterval(body: DataView): number {
  if (body.byteLength !== 2) throw new Error("its restart interval is damaged");
  return body.getUint16(0);
}

function readFrame(kind: number, body: DataView): Frame {
  const count = body.byteLength < 6 ? 0 : body.getUint8(5);
  if (body.byteLength !== 6 + 3 * count || count === 0) throw new Error("its frame header is damaged");
  const components = Array.from({ length: count }, (_, i): Component => {
    const at = 6 + 3 * i;
    const factors = body.getUint8(at + 1);
    const [h, v] = [factors >> 4, factors & 15];
    if (h < 1 || h > 4 || v < 1 || v > 4) throw new Error(`its sampling factors are ${h} and ${v}`);
    return { id: body.getUint8(at), h, v, quantization: body.getUint8(at + 2) };
  });
  return {
    kind,
    precision: body.getUint8(0),
    height: body.getUint16(1),
    width: body.getUint16(3),
    h: Math.max(...components.map(({ h }) => h)),
    v: Math.max(...components.map(({ v }) => v)),
    components,
  };
}

function readScan(body: DataView, frame: Frame, tables: Tables, at: number): Scan {
  const count = body.byteLength === 0 ? 0 : body.getUint8(0);
  if (count < 1 || count > 4 || body.byteLength !== 4 + 2 * count) {
    throw new Error("a scan header is damaged");
  }
  const components = Array.from({ length: count }, (_, i) => {
    const id = body.getUint8(1 + 2 * i);
    const selected = body.getUint8(2 + 2 * i);
    const index = frame.components.findIndex((component) => component.id === id);
    if (index < 0) throw new Error(`a scan names component ${id}, which the frame lacks`);
    return { index, dc: tables.dc[selected >> 4], ac: tables.ac[selected & 15] };
  });
  const [start, end] = [body.getUint8(1 + 2 * count), body.getUint8(2 + 2 * count)];
  const approximation = body.getUint8(3 + 2 * count);
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
