/**
 * The byte-wise compressors inside a Blosc chunk and the `lz4` codec. Both decoders write exactly the expected
 * number of bytes or say why not.
 *
 * Facts: LZ4 block format (lz4/doc/lz4_Block_format.md); BloscLZ as in `blosclz.c` of c-blosc 1.
 */
import { DecodeFailed } from "../errors.ts";
import * as kernel from "./kernels/blosc.wasm";

/** Copies a match that may overlap what it writes, as both formats define it. */
function copyMatch(target: Uint8Array, at: number, distance: number, length: number): void {
  if (distance === 1) target.fill(target[at - 1]!, at, at + length);
  else if (distance >= length) target.copyWithin(at, at - distance, at - distance + length);
  else for (let i = 0; i < length; i += 1) target[at + i] = target[at + i - distance]!;
}

const memory = new Uint8Array(kernel.memory.buffer);

/** Decodes the start of `kernel.stream` into some bytes at a place; damage gives the complement of its place in the stream. */
type Kernel = (length: number, start: number, size: number) => number;

/** Decodes a block that the memory of the kernel takes. */
function decodeThere(title: string, decode: Kernel, source: Uint8Array, target: Uint8Array): void {
  memory.set(source, kernel.stream);
  const isThere = target.buffer === memory.buffer;
  const start = isThere ? target.byteOffset : kernel.planes;
  const decoded = decode(source.length, start, target.length);
  if (decoded < 0) throw damagedStream(title, ~decoded, source.length);
  if (decoded !== target.length) throw shorter(title, decoded, target.length);
  if (!isThere) target.set(memory.subarray(start, start + decoded));
}

const fits = (source: Uint8Array, target: Uint8Array) =>
  Math.max(source.length, target.length) <= kernel.CAPACITY;

/**
 * Decodes one LZ4 block. A target in the memory of the kernel is filled there.
 *
 * @param target filled completely
 * @throws {DecodeFailed} the block is damaged or has another decoded length
 */
export function decodeLz4(source: Uint8Array, target: Uint8Array): void {
  if (fits(source, target)) decodeThere("LZ4", kernel.decodeLz4, source, target);
  else decodeLongLz4(source, target);
}

/** Decodes one BloscLZ block, as {@linkcode decodeLz4} does an LZ4 block. */
export function decodeBloscLz(source: Uint8Array, target: Uint8Array): void {
  if (fits(source, target)) decodeThere("BloscLZ", kernel.decodeBloscLz, source, target);
  else decodeLongBloscLz(source, target);
}

/** As {@linkcode decodeLz4}, of any length. */
export function decodeLongLz4(source: Uint8Array, target: Uint8Array): void {
  const end = source.length;
  let from = 0;
  let to = 0;
  const extended = (start: number) => {
    let length = start;
    for (let byte = 255; byte === 255;) {
      if (from >= end) throw damagedStream("LZ4", from, end);
      byte = source[from++]!;
      length += byte;
    }
    return length;
  };
  while (from < end) {
    const token = source[from++]!;
    const literals = token >> 4 === 15 ? extended(15) : token >> 4;
    if (from + literals > end || to + literals > target.length) throw damagedStream("LZ4", from, end);
    if (literals < 16) { for (let i = 0; i < literals; i += 1) target[to + i] = source[from + i]!; }
    else target.set(source.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from === end) break;
    if (from + 2 > end) throw damagedStream("LZ4", from, end);
    const distance = source[from]! | (source[from + 1]! << 8);
    from += 2;
    const length = ((token & 15) === 15 ? extended(15) : token & 15) + 4;
    if (distance === 0 || distance > to || to + length > target.length) throw damagedStream("LZ4", from, end);
    copyMatch(target, to, distance, length);
    to += length;
  }
  if (to !== target.length) throw shorter("LZ4", to, target.length);
}

/** Longest distance of a short BloscLZ match; longer ones add it to a 16-bit number. */
const BLOSCLZ_NEAR = 8191;

/** As {@linkcode decodeBloscLz}, of any length. */
export function decodeLongBloscLz(source: Uint8Array, target: Uint8Array): void {
  const end = source.length;
  let from = 0;
  let to = 0;
  const next = () => {
    if (from >= end) throw damagedStream("BloscLZ", from, end);
    return source[from++]!;
  };
  // The first control byte is always a run of literals; its upper bits tell the version.
  let control = next() & 31;
  while (true) {
    if (control < 32) {
      const literals = control + 1;
      if (from + literals > end || to + literals > target.length) throw damagedStream("BloscLZ", from, end);
      target.set(source.subarray(from, from + literals), to);
      from += literals;
      to += literals;
    } else {
      let length = (control >> 5) - 1;
      const high = control & 31;
      if (length === 6) {
        let byte: number;
        do length += byte = next(); while (byte === 255);
      }
      const low = next();
      const distance = low === 255 && high === 31
        ? ((next() << 8) | next()) + BLOSCLZ_NEAR + 1
        : (high << 8) + low + 1;
      length += 3;
      if (distance > to || to + length > target.length) throw damagedStream("BloscLZ", from, end);
      copyMatch(target, to, distance, length);
      to += length;
    }
    if (from >= end) break;
    control = source[from++]!;
  }
  if (to !== target.length) throw shorter("BloscLZ", to, target.length);
}

function damagedStream(codec: string, at: number, size: number): DecodeFailed {
  return new DecodeFailed(`${codec} data are damaged at byte ${at} of ${size}`);
}

function shorter(codec: string, bytes: number, needed: number): DecodeFailed {
  return new DecodeFailed(`${codec} data decode to ${bytes} bytes, ${needed} are needed`);
}
