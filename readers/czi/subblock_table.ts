/**
 * The directory entries of all subblocks, in columns: a slide scan has hundreds of thousands. A subblock is an array over
 * some dimensions, each with a start and a size; its `M` and `S` are indices and not axes of the array.
 */
import { DecodeFailed } from "../errors.ts";
import { longAt, textAt } from "./segment.ts";

/**
 * Subblocks of one document: light sheets of 1000 time points, 500 focus planes and 2 channels; 80 bytes of memory each,
 * outside the heap.
 */
export const MAX_SUBBLOCKS = 1 << 20;

/** Dimensions of one subblock; twelve exist. */
export const MAX_DIMENSIONS = 40;

/** Orders of dimensions in one document; writers use one or two. */
export const MAX_ORDERS = 256;

/** Samples along one dimension of a subblock. */
const MAX_EXTENT = 1 << 30;

/** Bytes of an entry before its dimensions. */
export const ENTRY_BYTES = 32;

/** Bytes of each dimension of an entry. */
export const DIMENSION_BYTES = 20;

/** The index of a subblock without `M` or `S`. */
export const NO_INDEX: number = -1;

/** One dimension of all subblocks. */
interface Column {
  start: Int32Array;
  size: Int32Array;
  /** Only if some differ from `size`. */
  stored: Int32Array | null;
}

/** A dimension of an entry. */
export interface Dimension {
  /** Its name, `A` to `Z`. */
  readonly letter: string;
  /** First index. */
  readonly start: number;
  /** Indices. */
  readonly size: number;
  /** Stored samples. */
  readonly stored: number;
}

/** An entry without its dimensions. */
export interface EntryFacts {
  /** Code of the pixel type. */
  readonly pixelType: number;
  /** Offset of the subblock in its file. */
  readonly position: number;
  /** Part of a split document that holds it, 0 for the first or only file. */
  readonly part: number;
  /** Code of the compression. */
  readonly compression: number;
  /** Declared pyramid type, 0 for full resolution. */
  readonly pyramid: number;
}

/** An entry of the directory. */
export interface Entry extends EntryFacts {
  /** Its dimensions, fastest first. */
  readonly dimensions: readonly Dimension[];
  /** Its bytes. */
  readonly length: number;
}

/** `DV`, the schema of entries with a list of dimensions. */
const SCHEMA = 0x4456;

/**
 * Reads an entry.
 *
 * @param view bytes from the entry on
 * @param what names it in messages
 * @returns `null` if the bytes end inside the entry
 * @throws {DecodeFailed} it has another schema, or its dimensions are impossible
 */
export function entryIn(view: DataView, what: () => string): Entry | null {
  if (view.byteLength < ENTRY_BYTES) return null;
  if (view.getUint16(0) !== SCHEMA) {
    throw new DecodeFailed(`${what()} has the schema ${JSON.stringify(textAt(view, 0, 2))}, not "DV"`);
  }
  const count = view.getInt32(28, true);
  if (count < 1 || count > MAX_DIMENSIONS) {
    throw new DecodeFailed(`${what()} has ${count} dimensions, not 1 to ${MAX_DIMENSIONS}`);
  }
  const length = ENTRY_BYTES + DIMENSION_BYTES * count;
  if (view.byteLength < length) return null;
  return {
    pixelType: view.getInt32(2, true),
    position: longAt(view, 6),
    part: view.getInt32(14, true),
    compression: view.getInt32(18, true),
    pyramid: view.getUint8(22),
    dimensions: dimensionsIn(view, count, what),
    length,
  };
}

function dimensionsIn(view: DataView, count: number, what: () => string): Dimension[] {
  const found: Dimension[] = [];
  for (let at = ENTRY_BYTES; at < ENTRY_BYTES + DIMENSION_BYTES * count; at += DIMENSION_BYTES) {
    // A name of several letters voids itself and the dimension before it.
    if (view.getUint8(at + 1) !== 0) {
      found.pop();
      continue;
    }
    const letter = String.fromCharCode(view.getUint8(at)).toUpperCase();
    const [start, size] = [view.getInt32(at + 4, true), view.getInt32(at + 8, true)];
    const stored = view.getInt32(at + 16, true) || size;
    if (letter < "A" || letter > "Z") throw new DecodeFailed(`${what()} has a dimension without a name`);
    if (found.some((other) => other.letter === letter)) {
      throw new DecodeFailed(`${what()} has the dimension ${letter} twice`);
    }
    if (size < 1 || stored < 1 || size > MAX_EXTENT || stored > MAX_EXTENT) {
      throw new DecodeFailed(`${what()} has size ${size} along ${letter}, stored as ${stored}`);
    }
    found.push({ letter, start, size, stored });
  }
  if (!found.some(({ letter }) => letter === "X")) throw new DecodeFailed(`${what()} has no dimension X`);
  return found;
}

/** All subblocks of a document. */
export class SubblockTable {
  #length = 0;
  #capacity: number;
  readonly #columns = new Map<string, Column>();
  readonly #orders: string[] = [];
  #position: Float64Array;
  #facts: Int32Array;
  #order: Uint8Array;

  /** An empty table. @param capacity subblocks to expect */
  constructor(capacity = 64) {
    this.#capacity = Math.min(Math.max(capacity, 1), MAX_SUBBLOCKS);
    this.#position = new Float64Array(this.#capacity);
    this.#facts = new Int32Array(3 * this.#capacity);
    this.#order = new Uint8Array(2 * this.#capacity);
  }

  /** Subblocks. */
  get length(): number {
    return this.#length;
  }

  /** Letters of all dimensions. */
  get letters(): string[] {
    return [...this.#columns.keys()];
  }

  /** Bytes of memory. */
  get bytes(): number {
    const columns = [...this.#columns.values()].reduce((sum, { stored }) => sum + (stored ? 12 : 8), 0);
    return this.#capacity * (22 + columns);
  }

  /** The entry without its dimensions. */
  facts(i: number): EntryFacts {
    return {
      position: this.#position[i]!,
      pixelType: this.#facts[3 * i]!,
      part: this.#facts[3 * i + 1]!,
      compression: this.#facts[3 * i + 2]!,
      pyramid: this.#order[2 * i + 1]!,
    };
  }

  /** Code of the pixel type. */
  pixelType(i: number): number {
    return this.#facts[3 * i]!;
  }

  /** Part of a split document that holds it. */
  part(i: number): number {
    return this.#facts[3 * i + 1]!;
  }

  /** Declared pyramid type, 0 for full resolution. */
  pyramid(i: number): number {
    return this.#order[2 * i + 1]!;
  }

  /** Letters of its axes, fastest first. */
  order(i: number): string {
    return this.#orders[this.#order[2 * i]!]!;
  }

  /** First index along a dimension; if absent 0, or {@linkcode NO_INDEX} for `M` and `S`. */
  start(letter: string, i: number): number {
    return this.#columns.get(letter)?.start[i] ?? defaultStart(letter);
  }

  /** Indices along a dimension. */
  size(letter: string, i: number): number {
    return this.#columns.get(letter)?.size[i] ?? 1;
  }

  /** Stored samples along a dimension: an overview has fewer than indices. */
  stored(letter: string, i: number): number {
    const column = this.#columns.get(letter);
    return column?.stored?.[i] ?? column?.size[i] ?? 1;
  }

  /** True if some axis is stored in another size. */
  scaled(i: number): boolean {
    for (const [letter, { size, stored }] of this.#columns) {
      if (stored && letter !== "M" && letter !== "S" && stored[i] !== size[i]) return true;
    }
    return false;
  }

  /** Adds a subblock. @throws {DecodeFailed} there are more than {@linkcode MAX_SUBBLOCKS}, or {@linkcode MAX_ORDERS} */
  add(entry: Entry): void {
    const i = this.#length;
    if (i === MAX_SUBBLOCKS) throw new DecodeFailed(`it has more than ${MAX_SUBBLOCKS} subblocks`);
    const order = entry.dimensions.map(({ letter }) => letter).filter((letter) => !isIndex(letter)).join("");
    let orderIndex = this.#orders.indexOf(order);
    if (orderIndex < 0) {
      if (this.#orders.length === MAX_ORDERS) {
        throw new DecodeFailed(`its subblocks have more than ${MAX_ORDERS} orders of dimensions`);
      }
      orderIndex = this.#orders.push(order) - 1;
    }
    if (i === this.#capacity) this.#grow();
    this.#length += 1;
    this.#position[i] = entry.position;
    this.#facts.set([entry.pixelType, entry.part, entry.compression], 3 * i);
    this.#order.set([orderIndex, entry.pyramid], 2 * i);
    for (const dimension of entry.dimensions) this.#set(dimension, i);
  }

  #set({ letter, start, size, stored }: Dimension, i: number): void {
    let column = this.#columns.get(letter);
    if (column === undefined) {
      const starts = new Int32Array(this.#capacity).fill(defaultStart(letter));
      column = { start: starts, size: new Int32Array(this.#capacity).fill(1), stored: null };
      this.#columns.set(letter, column);
    }
    column.start[i] = start;
    column.size[i] = size;
    if (stored !== size) column.stored ??= column.size.slice();
    if (column.stored) column.stored[i] = stored;
  }

  #grow(): void {
    const [before, capacity] = [this.#capacity, Math.min(2 * this.#capacity, MAX_SUBBLOCKS)];
    this.#capacity = capacity;
    const longer = <A extends Int32Array | Uint8Array | Float64Array>(array: A, copy: A): A => {
      copy.set(array);
      return copy;
    };
    this.#position = longer(this.#position, new Float64Array(capacity));
    this.#facts = longer(this.#facts, new Int32Array(3 * capacity));
    this.#order = longer(this.#order, new Uint8Array(2 * capacity));
    for (const [letter, column] of this.#columns) {
      column.start = longer(column.start, new Int32Array(capacity).fill(defaultStart(letter), before));
      column.size = longer(column.size, new Int32Array(capacity).fill(1, before));
      column.stored &&= longer(column.stored, new Int32Array(capacity).fill(1, before));
    }
  }
}

const isIndex = (letter: string) => letter === "M" || letter === "S";

const defaultStart = (letter: string) => isIndex(letter) ? NO_INDEX : 0;

/** Name of a subblock in messages. */
export const placeOf = ({ position, part }: EntryFacts): string =>
  part === 0 ? `subblock at ${position}` : `subblock at ${position} of part ${part}`;
