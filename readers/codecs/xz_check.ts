/** Integrity checks of an .xz block (.xz file format 1.1, sections 2.1.1.2, 3.4 and 6). */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** One kind of check. */
export interface XzCheck {
  /** Bytes that it takes after a block. */
  readonly bytes: number;
  /** The check of decoded data, as it is stored. */
  readonly of: (data: Uint8Array) => Uint8Array;
}

const CHECKS: Readonly<Record<number, XzCheck>> = {
  0: { bytes: 0, of: () => new Uint8Array() },
  1: { bytes: 4, of: (data) => littleEndian(crc32(data)) },
  4: { bytes: 8, of: crc64 },
  10: { bytes: 32, of: (data) => createHash("sha256").update(data).digest() },
};

/** The check of a kind. @throws {Error} the format reserves the kind */
export function xzCheck(kind: number): XzCheck {
  const check = CHECKS[kind];
  if (!check) throw new Error(`its integrity check ${kind} is not read`);
  return check;
}

const littleEndian = (value: number) => Uint8Array.from([0, 8, 16, 24], (shift) => value >>> shift);

/** Remainders of CRC-64 (ECMA-182, bits reversed) for each byte, as lower and upper halves. */
const [LOW, HIGH] = tables();

function tables(): [Uint32Array, Uint32Array] {
  const low = new Uint32Array(256);
  const high = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1n ? (crc >> 1n) ^ 0xc96c5795d7870f42n : crc >> 1n;
    low[byte] = Number(crc & 0xffffffffn);
    high[byte] = Number(crc >> 32n);
  }
  return [low, high];
}

function crc64(data: Uint8Array): Uint8Array {
  let low = -1;
  let high = -1;
  for (let i = 0; i < data.length; i += 1) {
    const byte = (low ^ data[i]!) & 255;
    low = ((low >>> 8) | (high << 24)) ^ LOW[byte]!;
    high = (high >>> 8) ^ HIGH[byte]!;
  }
  return Uint8Array.of(...littleEndian(~low), ...littleEndian(~high));
}
