/** The entropy-coded data of a scan, a piece at a time in the memory of the decoder. */
import * as kernel from "../kernels/jpeg.wasm";
import type { HuffmanTable } from "./stream.ts";

const memory = new Uint8Array(kernel.memory.buffer);
const described = new Int32Array(kernel.memory.buffer, kernel.parts, kernel.PART_BYTES);

/** Most bytes of a block: 64 coefficients of a code of 16 bits and 15 bits of their own, each byte a stuffed one. */
const BLOCK_BYTES = 2 * 64 * 31 / 8;
/** Bytes that may be loaded and not yet used, each a stuffed one. */
const LOADED = 16;

/** What the kernel's numbers from ENDS_EARLY, which is -1, down to SCAN_FULL mean. */
const FAILURES = [
  "its entropy-coded data end early",
  "a Huffman code is not in its table",
  "a Huffman table is missing",
  "a block has more than 64 coefficients",
  "a block has more coefficients than its scan",
];

/** A component within a scan. */
export interface ScanPart {
  /** Columns of its blocks in an MCU. */
  readonly across: number;
  /** Rows of its blocks in an MCU. */
  readonly down: number;
  /** Index in the decoder of its first block. */
  readonly first: number;
  /** Blocks there from a row to the next. */
  readonly stride: number;
  /** Its table of differences. */
  readonly dc: HuffmanTable | undefined;
  /** Its table of other coefficients. */
  readonly ac: HuffmanTable | undefined;
}

/** Gives the decoder the components of a scan and their tables. */
export function useParts(parts: readonly ScanPart[]): void {
  const places = new Map<HuffmanTable, number>();
  const place = (table: HuffmanTable | undefined): number => {
    if (!table) return 0;
    const known = places.get(table);
    if (known !== undefined) return known;
    const at = kernel.tables + kernel.TABLE_BYTES * places.size;
    memory.set(table, at);
    kernel.makeTable(at);
    places.set(table, at);
    return at;
  };
  for (const [i, { across, down, first, stride, dc, ac }] of parts.entries()) {
    const blocks = kernel.coefficients + 128 * first;
    described.set([blocks, stride, across, down, place(dc), place(ac)], kernel.PART_BYTES / 4 * i);
  }
}

/** Reads the MCUs of the scan that {@linkcode useParts} described. */
export class ScanData {
  readonly #bytes: Uint8Array;
  /** Most bytes of an MCU, and of what is loaded ahead of it. */
  readonly #most: number;
  /** Offset in the stream of what stands first in the memory of the decoder. */
  #base = 0;
  #end = 0;
  #limit = 0;
  readonly #restart: number;
  #left: number;

  /** Reads from an offset on; MCUs have so many blocks, and restart markers stand `restart` MCUs apart, 0 for none. */
  constructor(bytes: Uint8Array, at: number, mcu: { readonly blocks: number; readonly restart: number }) {
    const { blocks, restart } = mcu;
    this.#bytes = bytes;
    this.#most = blocks * BLOCK_BYTES + LOADED;
    this.#restart = restart;
    this.#left = restart > 0 ? restart : Infinity;
    this.#bring(at);
  }

  /** End of the loaded bytes. No marker lies between them and the bytes in use. */
  get at(): number {
    return this.#base + kernel.position() - kernel.input;
  }

  /** Decodes the MCUs of the chunk that the decoder holds. @throws {Error} they are damaged */
  decode(count: number): void {
    for (let mcu = 0; mcu < count;) {
      if (this.#left === 0) this.#goOn();
      const until = Math.min(count, mcu + this.#left);
      const next = kernel.decode(mcu, until);
      if (next < 0) throw new Error(FAILURES[-1 - next]);
      if (next < until) this.#bring(this.at);
      this.#left -= next - mcu;
      mcu = next;
    }
  }

  /** Brings the bytes from an offset on, and those before it to which the decoder may go back. */
  #bring(at: number): void {
    this.#base = Math.max(at - LOADED, 0);
    const piece = this.#bytes.subarray(this.#base, this.#base + kernel.INPUT_BYTES);
    memory.set(piece, kernel.input);
    this.#end = kernel.input + piece.length;
    const last = this.#base + piece.length === this.#bytes.length;
    this.#limit = last ? this.#end : this.#end - this.#most;
    kernel.window(kernel.input + at - this.#base, this.#end, this.#limit);
  }

  /** Skips to the first byte after the next restart marker. @throws {Error} no marker follows */
  #goOn(): void {
    const bytes = this.#bytes;
    let at = this.#base + kernel.rewind() - kernel.input;
    // Some encoders pad with bytes of ones.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker < 0xd0 || marker > 0xd7) throw new Error("a restart marker is missing");
    at += 2;
    kernel.restart();
    this.#left = this.#restart;
    const here = kernel.input + at - this.#base;
    if (here > this.#limit) this.#bring(at);
    else kernel.window(here, this.#end, this.#limit);
  }
}
