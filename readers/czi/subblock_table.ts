/**
 * What the directory says of all subblocks, in columns: a slide scan has hundreds of thousands. A subblock is an array
 * over some dimensions, each with a start and a size; `M` and `S` give it an index and are no axes of the array.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_DIMENSIONS, MAX_EXTENT, MAX_ORDERS, MAX_SUBBLOCKS } from "./bounds.ts";
import { longAt, textAt } from "./segment.ts";

/** Bytes of an entry before its dimensions. */
export const ENTRY_BYTES = 32;

/** Bytes of each dimension of an entry. */
export const DIMENSION_BYTES = 20;

/** The index of a subblock that has no `M` or `S`. */
export const NO_INDEX: number = -1;

/** One dimension of all subblocks. */
interface Column {
  start: Int32Array;
  size: Int32Array;
  /** Only where some are stored in other sizes than they have. */
  stored: Int32Array | null;
}

/** A dimension of an entry. */
export interface Dimension {
  /** Its name, `A` to `Z`. */
  readonly letter: string;
  /** First index. */
  readonly start: number;
  /** How many indices. */
  readonly size: number;
  /** Samples that are stored for them. */
  readonly stored: number;
}

/** What an entry says beside its dimensions. */
export interface EntryFacts {
  /** Code of the pixel type. */
  readonly pixelType: number;
  /** Offset of the subblock in its file. */
  readonly position: number;
  /** Which file of a split document it lies in; 0 for the first or only one. */
  readonly part: number;
  /** Code of the compression. */
  readonly compression: number;
  /** 0 for full resolution, as far as its writer says. */
  readonly pyramid: number;
}

/** One entry as it is stored. */
export interface Entry extends EntryFacts {
  /** Dimensions with an index or an axis, the one that varies fastest first. */
  readonly dimensions: readonly Dimension[];
  /** Bytes that it takes. */
  readonly length: number;
}

/** `DV`, the schema of entries with a list of dimensions. */
const SCHEMA = 0x4456;

/**
 * Reads an entry.
 *
 * @param view bytes from the entry on
 * @param what names it in messages
 * @returns `null` where the bytes end before it does
 * @throws {DecodeFailed} it is of another schema, or its dimensions are impossible
 */
export function entryIn(view: DataView, what: () => string): Entry | null {
  if (view.byteLength < ENTRY_BYTES) return null;
  if (view.getUint16(0) !== SCHEMA) {
    throw new DecodeFailed(`${what()} has the schema ${JSON.stringify(textAt(view, 0, 2))}; DV is read`);
  }
  const count = view.getInt32(28, true);
  if (count < 1 || count > MAX_DIMENSIONS) {
    throw new DecodeFailed(`${what()} has ${count} dimensions; 1 to ${MAX_DIMENSIONS} are read`);
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
    // A name of several letters is no dimension, nor is what stands before it.
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
      throw new DecodeFailed(`${what()} has size ${size} along ${letter}, of which ${stored} are stored`);
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

  /** An empty one with room for so many, as far as they may be. */
  constructor(capacity = 64) {
    this.#capacity = Math.min(Math.max(capacity, 1), MAX_SUBBLOCKS);
    this.#position = new Float64Array(this.#capacity);
    this.#facts = new Int32Array(3 * this.#capacity);
    this.#order = new Uint8Array(2 * this.#capacity);
  }

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Letters of the dimensions that any of them has. */
  get letters(): string[] {
    return [...this.#columns.keys()];
  }

  /** Memory that it takes. */
  get bytes(): number {
    const columns = [...this.#columns.values()].reduce((sum, { stored }) => sum + (stored ? 12 : 8), 0);
    return this.#capacity * (22 + columns);
  }

  /** What the entry says beside its dimensions. */
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

  /** Which file of a split document holds it. */
  part(i: number): number {
    return this.#facts[3 * i + 1]!;
  }

  /** 0 for full resolution, as far as its writer says. */
  pyramid(i: number): number {
    return this.#order[2 * i + 1]!;
  }

  /** Letters of the axes of its array, the one that varies fastest first. */
  order(i: number): string {
    return this.#orders[this.#order[2 * i]!]!;
  }

  /** First index along a dimension; 0, or {@linkcode NO_INDEX} of `M` and `S`, where it has none. */
  start(letter: string, i: number): number {
    return this.#columns.get(letter)?.start[i] ?? defaultStart(letter);
  }

  /** How many indices it spans. */
  size(letter: string, i: number): number {
    return this.#columns.get(letter)?.size[i] ?? 1;
  }

  /** How many samples are stored for them: fewer in an overview. */
  stored(letter: string, i: number): number {
    const column = this.#columns.get(letter);
    return column?.stored?.[i] ?? column?.size[i] ?? 1;
  }

  /** True where some axis is stored in another size. */
  scaled(i: number): boolean {
    for (const [letter, { size, stored }] of this.#columns) {
      if (stored && letter !== "M" && letter !== "S" && stored[i] !== size[i]) return true;
    }
    return false;
  }

  /** Adds one. @throws {DecodeFailed} there are more than {@linkcode MAX_SUBBLOCKS}, or too many orders */
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

/** Whether a dimension gives a subblock an index and is no axis of its array. */
export const isIndex = (letter: string): boolean => letter === "M" || letter === "S";

const defaultStart = (letter: string) => isIndex(letter) ? NO_INDEX : 0;
