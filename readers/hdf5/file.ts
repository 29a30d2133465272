/**
 * An HDF5 file: its groups, links, attributes and datasets. Names of objects are absolute paths.
 *
 * Metadata are read along their addresses, each structure only when it is needed, and checked as it is read. The file alone never
 * keeps a loop going: trees get lower with each level, a block has one owner, and each read looks at the stop flag. Damage throws
 * {@linkcode DamagedStructure}; it never looks like a missing name or value.
 */
import { numberOf } from "../metadata/text.ts";
import { DecodeFailed, quoted } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { type Dataset, isDataset, readDataset } from "./dataset.ts";
import { CLASS, convertToWords, type Datatype, findSampleType } from "./datatype.ts";
import { type Block, type ElementRegion, readBlocks, readElements, requireNoChunk } from "./elements.ts";
import { DamagedStructure, decodeFixedText, Fields } from "./fields.ts";
import { findMessage, isGroupHeader, requireTable } from "./group.ts";
import { MESSAGE, type ObjectHeader } from "./object_header.ts";
import { type HeldValue, Objects } from "./objects.ts";
import { ARRAYS } from "../samples/to_float32.ts";
import { surveyObjects } from "./survey.ts";

/** Largest value of an attribute or text, in bytes. */
const MAX_VALUE_BYTES = 1 << 20;

/** Largest number of links that lead from one to the next. */
const MAX_LINKS = 16;

/** Most bytes of all texts of a value. */
const MAX_TEXT_BYTES = 16 << 20;

/** What a path leads to. */
export type LinkTarget = "group" | "dataset" | "external" | "nothing";

/** A value of an attribute or small dataset: numbers, texts, or `null` for an empty one. */
export type Value = readonly number[] | readonly string[] | null;

/** Where a path leads. */
type ObjectTarget = { readonly header: ObjectHeader } | { readonly external: string } | null;

/** An HDF5 file. Dispose of it after each question, which frees what was read. */
export class Hdf5File implements Disposable {
  readonly source: ByteSource;
  readonly #objects: Objects;
  readonly #exists: ((name: string) => boolean | null) | null;

  /**
   * Opens a file.
   *
   * @param exists whether another file exists, which messages about links into it say; `null` if they must not
   * @throws {DecodeFailed} it is not an HDF5 file, or shorter than it says
   */
  constructor(source: ByteSource, exists: ((name: string) => boolean | null) | null = null) {
    this.source = source;
    this.#exists = exists;
    this.#objects = new Objects(source);
    if (this.#objects.blocks.beginSurvey()) surveyObjects(this.#objects);
  }

  [Symbol.dispose](): void {
    this.#objects.clear();
  }

  /** Follows a path through groups and links. @throws {DamagedStructure} */
  #targetOf(path: string): ObjectTarget {
    const names = path.split("/").filter((name) => name !== "").reverse();
    // Groups on the way, since links may be relative.
    let at = this.#objects.root;
    let links = 0;
    while (names.length > 0) {
      const link = this.#objects.links(at).get(names.pop()!);
      if (link === undefined || link.kind === "unknown") return null;
      if (link.kind === "external") return { external: link.file };
      if (link.kind === "hard") {
        at = link.address;
        requireTable(this.#objects.blocks.superblock, link, this.#objects.header(at));
        continue;
      }
      if ((links += 1) > MAX_LINKS) return null;
      if (link.path.startsWith("/")) at = this.#objects.root;
      names.push(...link.path.split("/").filter((name) => name !== "" && name !== ".").reverse());
    }
    return { header: this.#objects.header(at) };
  }

  #headerOf(path: string): ObjectHeader | null {
    const target = this.#targetOf(path);
    return target !== null && "header" in target ? target.header : null;
  }

  /** What a path leads to, through links inside the file. @throws {DamagedStructure} it leads to something that cannot be read */
  kindOf(path: string): LinkTarget {
    const target = this.#targetOf(path);
    if (target === null) return "nothing";
    if ("external" in target) return "external";
    if (isDataset(target.header)) return "dataset";
    if (isGroupHeader(target.header)) return "group";
    // A datatype may have a name, too. Whatever has sizes or filters was a dataset.
    if (
      findMessage(target.header, MESSAGE.datatype) !== null &&
      findMessage(target.header, MESSAGE.dataspace) === null
    ) {
      return "nothing";
    }
    throw new DamagedStructure(`${path} is damaged: it is neither a group nor a dataset`);
  }

  /** Address of the object that a path leads to, which is the same for all links to it; `null` for none. @throws {DamagedStructure} */
  addressOf(path: string): number | null {
    return this.#headerOf(path)?.address ?? null;
  }

  /** The file that an external link names; `""` for other links. */
  externalFile(path: string): string {
    const target = this.#targetOf(path);
    return target !== null && "external" in target ? target.external : "";
  }

  /** Names in a group, in code-point order. @throws {DecodeFailed} the group is missing or damaged */
  names(path: string): string[] {
    const header = this.#headerOf(path);
    if (header === null || !isGroupHeader(header)) {
      throw new DecodeFailed(`the file has no group ${quoted(path)}`);
    }
    return [...this.#objects.links(header.address).keys()].sort();
  }

  /** Numbers behind a prefix in the names of a group, ascending: HDF5 lists `Channel 10` before `Channel 2`. */
  numbered(path: string, prefix: string): number[] {
    return this.names(path).flatMap((name) => {
      const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
      return /^\d{1,9}$/.test(number) ? [Number(number)] : [];
    }).sort((a, b) => a - b);
  }

  #attributesOf(path: string): ReadonlyMap<string, () => HeldValue> {
    const header = this.#headerOf(path);
    return header === null ? new Map() : this.#objects.attributes(header.address);
  }

  /** Names of the attributes of an object, in code-point order. @throws {DamagedStructure} */
  attributeNames(path: string): string[] {
    return [...this.#attributesOf(path).keys()].sort();
  }

  /** The value of an attribute; `undefined` if it, or its object, is missing. @throws {DecodeFailed} it is neither numbers nor text */
  attribute(path: string, name: string): Value | undefined {
    const read = this.#attributesOf(path).get(name);
    return read && this.#value(`attribute ${quoted(name)} of ${path}`, read());
  }

  /** The text of an attribute, also of one character per element; `null` if it has none. @throws {DecodeFailed} */
  text(path: string, name: string): string | null {
    return joinText(path, this.attribute(path, name));
  }

  /** The numbers of an attribute, also of a text of numbers; `null` if it has none. @throws {DecodeFailed} */
  numbers(path: string, name: string): readonly number[] | null {
    const value = this.attribute(path, name) ?? null;
    if (value === null || value.length === 0) return null;
    if (typeof value[0] === "number") return value as readonly number[];
    const text = joinText(path, value) ?? "";
    const numbers = text.trim().split(/\s+/).map((one) => numberOf(one) ?? NaN);
    return numbers.every((number) => !Number.isNaN(number)) ? numbers : null;
  }

  /** The value of a small dataset; `undefined` if it is missing. @throws {DecodeFailed} it is neither numbers nor text */
  value(path: string): Value | undefined {
    const kind = this.kindOf(path);
    if (kind === "group") throw new DamagedStructure(`${path} is a group where a value is expected`);
    if (kind !== "dataset") return undefined;
    const dataset = this.dataset(path);
    const { type, shape, width } = dataset;
    if (!isValue(type)) throw new DecodeFailed(`${path} has ${type.name}, which are not read`);
    const bytes = shape.reduce((product, length) => product * length, width);
    requireSmall(path, bytes);
    if (bytes === 0) requireNoChunk(this.#objects.blocks, dataset);
    return this.#value(path, {
      type,
      shape,
      bytes: this.fetch(dataset, { from: shape.map(() => 0), count: shape }),
    }, true);
  }

  /** @param isWords whether numbers are little-endian words already */
  #value(what: string, { type, shape, bytes }: HeldValue, isWords = false): Value {
    if (!isValue(type)) throw new DecodeFailed(`${what} has ${type.name}, which are not read`);
    if (shape === null) return null;
    requireSmall(what, bytes.length);
    if (type.class === CLASS.vlen) return this.#texts(what, type.size, bytes);
    if (type.class === CLASS.string) {
      // An array of characters has one byte each, of which several may make a letter.
      if (type.size === 1 && bytes.length > 1) {
        if (bytes[0] === 0) throw hasZeros(what);
        requireTrailingZeros(what, bytes);
        return [decodeFixedText(bytes)];
      }
      const count = Math.floor(bytes.length / type.size);
      return Array.from({ length: count }, (_, i) => {
        const own = bytes.subarray(i * type.size, (i + 1) * type.size);
        if (type.isPadded) requireTrailingZeros(what, own);
        return decodeFixedText(own);
      });
    }
    const sampleType = findSampleType(type);
    if (sampleType === null) throw new DecodeFailed(`${what} has ${type.name}, which are not read`);
    const words = isWords ? bytes : convertToWords(type, bytes);
    return Array.from(new ARRAYS[sampleType](words.slice().buffer), Number);
  }

  /** Texts behind pointers: a length, and a place in a global heap. */
  #texts(what: string, size: number, bytes: Uint8Array): string[] {
    const fields = new Fields(bytes, what, this.#objects.blocks.superblock.sizes);
    let left = MAX_TEXT_BYTES;
    return Array.from({ length: Math.floor(bytes.length / size) }, () => {
      const own = fields.part(size);
      const length = own.u32();
      const text = this.#objects.heaps.object(own);
      if (text.length < length) own.fail(`a text has ${text.length} of ${length} bytes`);
      if ((left -= length) < 0) {
        throw new DecodeFailed(`${what} has texts of more than ${MAX_TEXT_BYTES} bytes`);
      }
      const letters = text.subarray(0, length);
      // The library stores such texts without a final zero, other writers with one.
      if (length > 0 && letters.subarray(0, Math.max(1, length - 1)).includes(0)) {
        own.fail("zeros stand in place of a text");
      }
      return decodeFixedText(letters);
    });
  }

  /** The dataset at a path. @throws {DecodeFailed} it is missing or damaged, or a link into another file */
  dataset(path: string): Dataset {
    const target = this.#targetOf(path);
    if (target !== null && "external" in target) throw this.#isElsewhere(path, target.external);
    if (target === null || !isDataset(target.header)) {
      throw new DecodeFailed(`the file has no dataset ${quoted(path)}`);
    }
    return readDataset(this.#objects, target.header, path);
  }

  #isElsewhere(path: string, file: string): DecodeFailed {
    const name = quoted(/[^\\/]*$/.exec(file)![0]);
    const exists = this.#exists?.(file) ?? null;
    const told = exists === null ? "" : exists ? " and exists" : " and does not exist";
    return new DecodeFailed(`${path} is a link into another file, ${name}, which is not read${told}`);
  }

  /** Elements of a region, one after the other; numbers are little-endian. @throws {DecodeFailed | Stopped} */
  fetch(dataset: Dataset, region: ElementRegion): Uint8Array {
    return readElements(this.#objects.blocks, dataset, region);
  }

  /**
   * Decoded blocks that cover a region.
   *
   * @param isVolume keeps chunks for the next plane (last_chunks.ts)
   * @throws {DecodeFailed | Stopped} while they are read
   */
  blocksOf(dataset: Dataset, region: ElementRegion, isVolume = false): Generator<Block> {
    return readBlocks(this.#objects.blocks, dataset, region, isVolume);
  }
}

const hasZeros = (what: string) => new DamagedStructure(`${what} is damaged: zeros stand in place of a text`);

/** Checks that zeros stand only behind the characters of a text. @throws {DamagedStructure} */
function requireTrailingZeros(what: string, characters: ArrayLike<number>): void {
  const end = Array.prototype.indexOf.call(characters, 0);
  if (end >= 0 && Array.prototype.slice.call(characters, end).some((one) => one !== 0)) throw hasZeros(what);
}

/** Whether elements are numbers or texts. */
const isValue = ({ class: own, isText }: Datatype): boolean =>
  own === CLASS.integer || own === CLASS.float || own === CLASS.string || isText;

function requireSmall(what: string, bytes: number): void {
  if (!(bytes <= MAX_VALUE_BYTES)) {
    throw new DecodeFailed(`${what} has ${bytes} bytes, more than ${MAX_VALUE_BYTES}`);
  }
}

/** The text of a value, its parts joined. Integers are units of UTF-16. @throws {DamagedStructure} zeros stand inside */
function joinText(path: string, value: Value | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value[0] !== "number") return (value as readonly string[]).join("").trim();
  const units = value as readonly number[];
  requireTrailingZeros(`a text of ${path}`, units);
  const end = units.indexOf(0);
  return String.fromCharCode(...units.slice(0, end < 0 ? undefined : end).map((unit) => unit & 0xffff))
    .trim();
}
