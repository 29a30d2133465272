/** Fields of a metadata block of an HDF5 file, which are little-endian. */
import { DecodeFailed } from "../errors.ts";

/**
 * A structure of an HDF5 file that breaks the rules of the format. Whatever it leads to counts as unreadable, never as absent; a
 * reader that goes on warns about it.
 */
export class DamagedStructure extends DecodeFailed {}

/** Sizes of addresses and lengths, which the superblock states (section II.A). */
export interface FieldSizes {
  readonly address: number;
  readonly length: number;
}

/** Reads the fields of a block one after the other. Each read is checked against the end of the block. */
export class Fields {
  readonly bytes: Uint8Array;
  readonly what: string;
  readonly sizes: FieldSizes;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array, what: string, sizes: FieldSizes) {
    this.bytes = bytes;
    this.what = what;
    this.sizes = sizes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** Fields of a part, which ends no later than this one. @throws {DamagedStructure} */
  part(length: number): Fields {
    return new Fields(this.take(length), this.what, this.sizes);
  }

  /** The next bytes, not copied. @throws {DamagedStructure} */
  take(length: number): Uint8Array {
    if (!(length >= 0 && length <= this.left)) this.fail(`it ends before ${length} bytes at ${this.at}`);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  skip(length: number): void {
    this.take(length);
  }

  u8(): number {
    this.take(1);
    return this.bytes[this.at - 1]!;
  }

  u16(): number {
    this.take(2);
    return this.#view.getUint16(this.at - 2, true);
  }

  u32(): number {
    this.take(4);
    return this.#view.getUint32(this.at - 4, true);
  }

  /** An unsigned integer of 1 to 8 bytes. @throws {DamagedStructure} it is beyond 2^53 */
  uint(size: number): number {
    const value = this.#wide(size);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.fail(`it states ${value} at ${this.at - size}`);
    return Number(value);
  }

  /** The maximum is infinite: all bits are set. */
  limit(size: number): number {
    const value = this.#wide(size);
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(value);
  }

  length(): number {
    return this.uint(this.sizes.length);
  }

  /** An address; `null` for the undefined one, whose bits are all set. */
  address(): number | null {
    const { address: size } = this.sizes;
    const value = this.#wide(size);
    if (value === (1n << BigInt(8 * size)) - 1n) return null;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.fail(`it states the address ${value}`);
    return Number(value);
  }

  /** An address that must be there. */
  definedAddress(): number {
    return this.address() ?? this.fail("it lacks an address");
  }

  #wide(size: number): bigint {
    const own = this.take(size);
    let value = 0n;
    for (let i = size - 1; i >= 0; i -= 1) value = value << 8n | BigInt(own[i]!);
    return value;
  }

  /** Reads a text up to its NUL. @throws {DamagedStructure} no NUL follows */
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) this.fail("a text has no end");
    const own = this.take(end - this.at);
    this.skip(1);
    return decodeFixedText(own);
  }

  /** Checks the version of a structure. */
  version(...known: readonly number[]): number {
    const version = this.u8();
    if (!known.includes(version)) this.fail(`it has version ${version}`);
    return version;
  }

  /** Checks four letters. */
  signature(letters: string): void {
    const own = String.fromCharCode(...this.take(letters.length));
    if (own !== letters) this.fail(`it does not begin with ${letters}`);
  }

  /** @throws {DamagedStructure} always */
  fail(why: string): never {
    throw new DamagedStructure(`${this.what} is damaged: ${why}`);
  }
}

/** A text in UTF-8, else in Latin-1, without what follows a NUL. */
export function decodeFixedText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(own);
  } catch {
    return new TextDecoder("latin1").decode(own);
  }
}

const rotateLeft = (word: number, by: number) => word << by | word >>> 32 - by;

/** The checksum of metadata blocks: Jenkins' `hashlittle` of 2006 from 0 (section "Disk Format", appendix of checksums). */
export function computeLookup3(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let a = 0xdeadbeef + bytes.length | 0;
  let [b, c] = [a, a];
  let [at, left] = [0, bytes.length];
  for (; left > 12; at += 12, left -= 12) {
    a = a + view.getUint32(at, true) | 0;
    b = b + view.getUint32(at + 4, true) | 0;
    c = c + view.getUint32(at + 8, true) | 0;
    a = a - c ^ rotateLeft(c, 4), c = c + b | 0;
    b = b - a ^ rotateLeft(a, 6), a = a + c | 0;
    c = c - b ^ rotateLeft(b, 8), b = b + a | 0;
    a = a - c ^ rotateLeft(c, 16), c = c + b | 0;
    b = b - a ^ rotateLeft(a, 19), a = a + c | 0;
    c = c - b ^ rotateLeft(b, 4), b = b + a | 0;
  }
  if (left === 0) return c >>> 0;
  const tail = new Uint8Array(12);
  tail.set(bytes.subarray(at));
  const last = new DataView(tail.buffer);
  a = a + last.getUint32(0, true) | 0;
  b = b + last.getUint32(4, true) | 0;
  c = c + last.getUint32(8, true) | 0;
  c = (c ^ b) - rotateLeft(b, 14) | 0;
  a = (a ^ c) - rotateLeft(c, 11) | 0;
  b = (b ^ a) - rotateLeft(a, 25) | 0;
  c = (c ^ b) - rotateLeft(b, 16) | 0;
  a = (a ^ c) - rotateLeft(c, 4) | 0;
  b = (b ^ a) - rotateLeft(a, 14) | 0;
  c = (c ^ b) - rotateLeft(b, 24) | 0;
  return c >>> 0;
}
