/**
 * A file that the HDF5 library has open: its groups, links, attributes and datasets. Names of objects are absolute paths.
 *
 * A failed call leaves the result of the library unchanged. Each status is therefore checked, and errors of the reads are
 * thrown again.
 */
import { numberOf } from "../metadata/text.ts";
import { memoryRefused } from "../codecs/wasm_decoder.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { Dataset } from "./dataset.ts";
import { requireWholeStream } from "./filters.ts";
import {
  CLASS,
  dropLibrary,
  HeldSource,
  type Library,
  library,
  type Look,
  type Metadata,
  OBJECT,
  type Read,
  takeFaults,
} from "./library.ts";
import type { SampleType } from "../reader.ts";

/** Start of a file (HDF5 File Format Specification, section II.A), at 0 or after a user block of 512 bytes or a multiple. */
const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether bytes start an HDF5 file without a user block. */
export const startsHdf5 = (head: Uint8Array): boolean => SIGNATURE.every((byte, i) => head[i] === byte);

/** Size of lengths in bytes that all programs write, and the one that the check of heaps in library.ts knows. */
const LENGTH_BYTES = 8;

/** Checks the size of lengths in the superblock (section II.A). @throws {DecodeFailed} it is another one */
function requireLengths(source: ByteSource): void {
  if (source.size < 16) return;
  const start = source.read(0, 16, "the superblock");
  const size = start[8]! < 2 ? start[14] : start[10];
  if (startsHdf5(start) && size !== LENGTH_BYTES) {
    throw new DecodeFailed(`the file has lengths of ${size} bytes, only those of ${LENGTH_BYTES} are read`);
  }
}

/** Largest value of an attribute or text, in bytes. */
const MAX_VALUE_BYTES = 1 << 20;

/** Largest number of links that lead from one to the next. */
const MAX_LINKS = 16;

/** Longest text behind a pointer. */
const MAX_TEXT_BYTES = 16 << 20;

/** What a path leads to. */
export type Kind = "group" | "dataset" | "external" | "nothing";

/** A value of an attribute or small dataset: numbers, texts, or `null` for an empty one. */
export type Value = readonly number[] | readonly string[] | null;

/** How the library fetched a block. */
export interface Fetched {
  /** What it read last. */
  readonly last: Read | null;
  /** Whether a filter of the dataset is missing in the library. */
  readonly lacksFilter: boolean;
}

/** An open HDF5 file. Dispose of it after each question: it holds memory of the library. */
export class Hdf5File implements Disposable {
  readonly source: ByteSource;
  readonly #library: Library;
  readonly #held: HeldSource;
  readonly #id: bigint;
  readonly #attributes = new Map<string, ReadonlySet<string>>();

  private constructor(source: ByteSource, library: Library, held: HeldSource, id: bigint) {
    this.source = source;
    this.#library = library;
    this.#held = held;
    this.#id = id;
  }

  /**
   * Opens a file.
   *
   * @param bytes that the library may take beside what trees and attributes need
   * @throws {DecodeFailed} it is no HDF5 file, or shorter than it says
   */
  static async open(source: ByteSource, bytes = 0): Promise<Hdf5File> {
    requireLengths(source);
    const instance = await library(bytes);
    const held = new HeldSource(source);
    try {
      const id = asked(held, "the file", () => instance.open(held.path, 0));
      if (id < 0n) throw notOpened(takeFaults());
      return new Hdf5File(source, instance, held, id);
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    try {
      this.#library.close_file(this.#id);
    } catch {
      dropLibrary();
    }
    this.#held[Symbol.dispose]();
  }

  #ask<Answer>(what: string, work: (library: Library, id: bigint) => Answer): Answer {
    return asked(this.#held, what, () => work(this.#library, this.#id));
  }

  /** What a path leads to, through links inside the file. */
  kindOf(path: string): Kind {
    const at = this.resolved(path) ?? path;
    const type = this.#ask(at, (library, id) => library.get_type(id, at));
    if (type === OBJECT.group) return "group";
    if (type === OBJECT.dataset) return "dataset";
    return type === OBJECT.externalLink ? "external" : "nothing";
  }

  /** Where a soft link leads; the path itself for an object; `null` for a loop or a link that leads nowhere. */
  resolved(path: string): string | null {
    let at = path;
    for (let links = 0; links < MAX_LINKS; links += 1) {
      const type = this.#ask(at, (library, id) => library.get_type(id, at));
      if (type === OBJECT.group || type === OBJECT.dataset) return at;
      if (type !== OBJECT.link) return null;
      const target = this.#targetOf(at);
      if (target === null) return null;
      at = target;
    }
    return null;
  }

  #targetOf(path: string): string | null {
    const target = this.#ask(path, (library, id) => library.get_symbolic_link(id, path));
    if (target === "" || target === path) return null;
    return target.startsWith("/") ? target : `${path.slice(0, path.lastIndexOf("/"))}/${target}`;
  }

  /** The file that an external link names. */
  externalFile(path: string): string {
    return this.#ask(path, (library, id) => library.get_external_link(id, path)).filename;
  }

  /** Names in a group, in code-point order. @throws {DecodeFailed} the group is damaged */
  names(path: string): string[] {
    return this.#ask(path, (library, id) => library.get_names(id, path, false)).sort();
  }

  /** Numbers behind a prefix in the names of a group, ascending: HDF5 lists `Channel 10` before `Channel 2`. */
  numbered(path: string, prefix: string): number[] {
    return this.names(path).flatMap((name) => {
      const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
      return /^\d{1,9}$/.test(number) ? [Number(number)] : [];
    }).sort((a, b) => a - b);
  }

  /** Names of the attributes of an object, in code-point order. */
  attributeNames(path: string): string[] {
    return this.#ask(path, (library, id) => library.get_attribute_names(id, path)).sort();
  }

  /** Names of the attributes of an object, none without one; read once, since a group may have thousands. */
  #attributesOf(path: string): ReadonlySet<string> {
    const known = this.#attributes.get(path);
    if (known !== undefined) return known;
    const kind = this.kindOf(path);
    const names = new Set(kind === "group" || kind === "dataset" ? this.attributeNames(path) : []);
    this.#attributes.set(path, names);
    return names;
  }

  /** The value of an attribute; `undefined` if it, or its object, is missing, or if it is neither numbers nor text. @throws {DecodeFailed} */
  attribute(path: string, name: string): Value | undefined {
    if (!this.#attributesOf(path).has(name)) return undefined;
    const what = `attribute ${quoted(name)} of ${path}`;
    const metadata = this.#ask(what, (library, id) => library.get_attribute_metadata(id, path, name));
    return this.#value(what, metadata, {
      read: (library, id, at) => library.get_attribute_data(id, path, name, at),
      release: (library, id, at) => library.reclaim_vlen_memory(id, path, name, at),
    });
  }

  /** The text of an attribute, also of one character per element; `null` if it has none. @throws {DecodeFailed} */
  text(path: string, name: string): string | null {
    return textOf(this.attribute(path, name));
  }

  /** The numbers of an attribute, also of a text of numbers; `null` if it has none. @throws {DecodeFailed} */
  numbers(path: string, name: string): readonly number[] | null {
    const value = this.attribute(path, name) ?? null;
    if (value === null || value.length === 0) return null;
    if (typeof value[0] === "number") return value as readonly number[];
    const text = textOf(value) ?? "";
    const numbers = text.trim().split(/\s+/).map((one) => numberOf(one) ?? NaN);
    return numbers.every((number) => !Number.isNaN(number)) ? numbers : null;
  }

  /** The value of a small dataset; `undefined` if it is missing or neither numbers nor text. @throws {DecodeFailed} */
  value(path: string): Value | undefined {
    const at = this.resolved(path);
    if (at === null || this.kindOf(at) !== "dataset") return undefined;
    const metadata = this.#ask(path, (library, id) => library.get_dataset_metadata(id, at));
    const look = lookAt(this.dataset(at));
    return this.#value(path, metadata, {
      read: (library, id, to) =>
        this.#held.watch(look, () => library.get_dataset_data(id, at, null, null, null, to)),
      release: (library, id, to) => library.reclaim_vlen_memory(id, at, "", to),
    });
  }

  #value(
    what: string,
    { type, size, shape, vlen, signed }: Metadata,
    { read, release }: {
      read: (library: Library, id: bigint, to: bigint) => number;
      release: (library: Library, id: bigint, at: bigint) => number;
    },
  ): Value | undefined {
    const isText = type === CLASS.string;
    if (!isText && (type !== CLASS.integer && type !== CLASS.float || vlen)) return undefined;
    if (shape === null) return null;
    const count = shape.reduce((product, length) => product * length, 1);
    const bytes = count * size;
    if (!(bytes <= MAX_VALUE_BYTES)) {
      throw new DecodeFailed(`${what} has ${bytes} bytes, more than ${MAX_VALUE_BYTES}`);
    }
    if (count === 0) return [];
    return this.#inMemory(what, bytes, (at) => {
      const status = this.#ask(what, (library, id) => read(library, id, BigInt(at)));
      if (status < 0) throw failure(what);
      const memory = this.#library.HEAPU8;
      if (isText && vlen) {
        const pointers = new DataView(memory.slice(at, at + bytes).buffer);
        const texts = Array.from({ length: count }, (_, i) => this.#textAt(pointers.getUint32(4 * i, true)));
        this.#ask(what, (library, id) => release(library, id, BigInt(at)));
        return texts;
      }
      const stored = memory.slice(at, at + bytes);
      if (isText) {
        // An array of characters has one byte each, of which several may make a letter.
        if (size === 1 && count > 1) return [decoded(stored)];
        return Array.from({ length: count }, (_, i) => decoded(stored.subarray(i * size, (i + 1) * size)));
      }
      const view = new DataView(stored.buffer);
      const one = numberReader(type === CLASS.float, size, signed);
      return one === null ? undefined : Array.from({ length: count }, (_, i) => Number(one(view, i * size)));
    });
  }

  #textAt(pointer: number): string {
    if (pointer === 0) return "";
    const memory = this.#library.HEAPU8;
    const end = memory.indexOf(0, pointer);
    if (end < 0 || end - pointer > MAX_TEXT_BYTES) throw new DecodeFailed("a text of the file has no end");
    return decoded(memory.slice(pointer, end));
  }

  /** Lends memory of the library. @throws {DecodeFailed} it has no more */
  #inMemory<Result>(what: string, bytes: number, work: (at: number) => Result): Result {
    const at = this.#ask(what, (library) => library._malloc(Math.max(1, bytes)));
    if (at === 0) {
      throw new DecodeFailed(`${what}: ${memoryRefused() ?? "the HDF5 library has no more memory"}`);
    }
    try {
      return work(at);
    } finally {
      this.#library._free(at);
    }
  }

  /** What a dataset has. @throws {DecodeFailed} it is missing or damaged */
  dataset(path: string): Dataset {
    const at = this.resolved(path);
    if (at === null || this.kindOf(at) !== "dataset") {
      if (this.kindOf(path) === "external") {
        throw new DecodeFailed(
          `${path} is a link into another file, ${quoted(this.externalFile(path))}, which is not read`,
        );
      }
      throw new DecodeFailed(`the file has no dataset ${quoted(path)}`);
    }
    const metadata = this.#ask(path, (library, id) => library.get_dataset_metadata(id, at));
    const { shape, size, littleEndian, chunks } = metadata;
    if (metadata.virtual_sources !== undefined) {
      throw new DecodeFailed(`${path} is a view of other datasets, which are not read`);
    }
    return {
      path: at,
      shape: shape ?? [],
      sampleType: sampleTypeOf(metadata),
      littleEndian,
      width: size,
      chunks,
      filters: chunks === null ? [] : this.#ask(path, (library, id) => library.get_dataset_filters(id, at)),
    };
  }

  /**
   * Fetches a block of a dataset, as stored but decoded.
   *
   * @param work gets the bytes, which are those of the library and valid until it returns
   * @throws {DecodeFailed} a chunk cannot be decoded, except for a missing filter, of which `work` is told
   */
  fetch<Result>(
    dataset: Dataset,
    { from, count }: { readonly from: readonly number[]; readonly count: readonly number[] },
    work: (bytes: Uint8Array, fetched: Fetched) => Result,
  ): Result {
    const { path, width } = dataset;
    const look = lookAt(dataset);
    const bytes = count.reduce((product, length) => product * length, width);
    return this.#inMemory(path, bytes, (at) => {
      let last: Read | null = null;
      const noting: Look = (read, bytes) => {
        last = read;
        look(read, bytes);
      };
      const status = this.#held.watch(noting, () =>
        this.#ask(path, (library, id) =>
          library.get_dataset_data(
            id,
            path,
            count.map(BigInt),
            from.map(BigInt),
            count.map(() => 1n),
            BigInt(at),
          )));
      const faults = takeFaults();
      const lacksFilter = status < 0 &&
        faults.some((line) => /required filter .*is not registered/.test(line));
      if (status < 0 && !lacksFilter) throw failure(path, faults);
      return work(this.#library.HEAPU8.subarray(at, at + bytes), { last, lacksFilter });
    });
  }
}

/** Checks what the library reads of a dataset and would take for whole. */
const lookAt = (dataset: Dataset): Look => (_, bytes) => requireWholeStream(dataset, bytes);

/** Asks the library; what a read of the file threw is thrown on. @throws {DecodeFailed} the library threw */
function asked<Answer>(held: HeldSource, what: string, work: () => Answer): Answer {
  takeFaults();
  let answer: Answer;
  try {
    answer = work();
  } catch (cause) {
    // A trap leaves the memory of the instance as it was in the middle of something.
    if (cause instanceof WebAssembly.RuntimeError) dropLibrary();
    const error = held.takeError();
    if (error !== null) throw error;
    throw failure(what, [...takeFaults(), (cause as Error)?.message ?? String(cause)]);
  }
  const error = held.takeError();
  if (error !== null) throw error;
  return answer;
}

/** Why a file cannot be opened. The library compares its length with the one that it states. */
function notOpened(faults: readonly string[]): DecodeFailed {
  const lengths = /truncated file: eof = (\d+), .*stored_eof = (\d+)/.exec(faults.join("\n"));
  return lengths === null
    ? failure("the file", [...faults])
    : new DecodeFailed(`the file has ${lengths[1]} of the ${lengths[2]} bytes that it states`);
}

/** Why the library could not do something. */
function failure(what: string, faults = takeFaults()): DecodeFailed {
  const reason = memoryRefused() ?? faults.at(-1) ?? "the HDF5 library cannot read it";
  return new DecodeFailed(`${what}: ${reason}`);
}

/** A text in UTF-8, else in Latin-1, without what follows a NUL. */
function decoded(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(own);
  } catch {
    return new TextDecoder("latin1").decode(own);
  }
}

/** The text of a value, its parts joined. Integers are units of UTF-16. */
function textOf(value: Value | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value[0] !== "number") return (value as readonly string[]).join("").trim();
  const units = value as readonly number[];
  const end = units.indexOf(0);
  return String.fromCharCode(...units.slice(0, end < 0 ? undefined : end).map((unit) => unit & 0xffff))
    .trim();
}

type ReadNumber = (view: DataView, at: number) => number | bigint;

/** Reads numbers that the library gives, which are little-endian whatever the file has. */
function numberReader(isFloat: boolean, size: number, signed: boolean): ReadNumber | null {
  const readers: Record<string, ReadNumber> = {
    f2: (view, at) => view.getFloat16(at, true),
    f4: (view, at) => view.getFloat32(at, true),
    f8: (view, at) => view.getFloat64(at, true),
    i1: (view, at) => view.getInt8(at),
    i2: (view, at) => view.getInt16(at, true),
    i4: (view, at) => view.getInt32(at, true),
    i8: (view, at) => view.getBigInt64(at, true),
    u1: (view, at) => view.getUint8(at),
    u2: (view, at) => view.getUint16(at, true),
    u4: (view, at) => view.getUint32(at, true),
    u8: (view, at) => view.getBigUint64(at, true),
  };
  return readers[`${isFloat ? "f" : signed ? "i" : "u"}${size}`] ?? null;
}

/** The type of samples, or `null` if elements are no samples. */
function sampleTypeOf({ type, size, signed, vlen }: Metadata): SampleType | null {
  if (vlen || ![1, 2, 4, 8].includes(size)) return null;
  if (type === CLASS.float) return size === 1 ? null : `float${8 * size}` as SampleType;
  return type === CLASS.integer ? `${signed ? "" : "u"}int${8 * size}` as SampleType : null;
}
