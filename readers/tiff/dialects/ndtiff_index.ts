/**
 * `NDTiff.index`: records without a header, up to the end of the file. Each has the length and the JSON of the axes, the length and the
 * name of the file, and eight numbers: offset of the samples, width, height, type, compression, offset and length of the JSON of
 * the image, compression of that.
 */
import type { ByteSource } from "../../byte_source.ts";
import { DecodeFailed, reasonOf } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { StopFlag } from "../../stop_flag.ts";
import { MAX_DIRECTORIES } from "../bounds.ts";
import { ImageList, NO_TYPE } from "./ndtiff_images.ts";

/** Name of the index of a data set. */
export const INDEX_NAME = "NDTiff.index";

/** Bytes of an index: as many records as a data set may have, each twice as long as usual. */
const MAX_INDEX_BYTES = 256 << 20;

/** Bytes of the axes of one image; half a dozen axes take a hundred. */
const MAX_AXES_BYTES = 4096;

/** Bytes of a file name. */
const MAX_NAME_BYTES = 1024;

/** Images and why the list ends early, or `null`. */
export interface ListedImages {
  /** Those before the damage. */
  readonly images: ImageList;
  /** Offset of the damage and what it is. */
  readonly damage: string | null;
}

/**
 * Reads an index. What follows a damaged record cannot be told apart,
 * so the list ends before it, as it does where the recording was interrupted inside of one.
 *
 * @throws {DecodeFailed} it is too large, or cannot be read
 */
export function readIndex(index: ByteSource, stop: StopFlag): ListedImages {
  if (index.size > MAX_INDEX_BYTES) {
    throw new DecodeFailed(`"${INDEX_NAME}" has ${index.size} bytes, more than ${MAX_INDEX_BYTES}`);
  }
  const images = new ImageList();
  const records = new Records(index);
  for (let at = 0; at < index.size;) {
    stop.check();
    try {
      const end = addRecord(records, at, images);
      // The room behind the last record that the program had reserved.
      if (end === null) return { images, damage: records.isZero(at) ? null : `no axes at ${at}` };
      at = end;
    } catch (error) {
      // Of a disk that does not answer the rest may be whole.
      const isDamage = error instanceof DecodeFailed && !isFault(error) && images.length < MAX_DIRECTORIES;
      if (!isDamage) throw error;
      return { images, damage: `the record at ${at} of ${index.size} bytes: ${reasonOf(error)}` };
    }
  }
  return { images, damage: null };
}

/** Whether the system failed to read. */
const isFault = ({ cause }: DecodeFailed) =>
  typeof (cause as { code?: unknown } | undefined)?.code === "string";

/** Bytes of an index that are read at once; a record is far shorter. */
const CHUNK_BYTES = 1 << 20;

/** Numbers and texts of an index by their offset; a million of them are read in chunks that are decoded as a whole. */
class Records {
  readonly #index: ByteSource;
  #start = 0;
  #bytes = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  /** The chunk, with one character for each byte. */
  #text = "";

  constructor(index: ByteSource) {
    this.#index = index;
  }

  /** Position in the chunk of bytes that lie in it from now on. @throws {DecodeFailed} they do not lie in the file */
  #at(offset: number, length: number, what: string): number {
    this.#index.require(offset, length, what);
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      this.#bytes = this.#index.read(offset, Math.min(CHUNK_BYTES, this.#index.size - offset), what);
      this.#start = offset;
      this.#view = new DataView(this.#bytes.buffer);
      this.#text = LATIN.decode(this.#bytes);
    }
    return offset - this.#start;
  }

  /** A number of four bytes. @throws {DecodeFailed} it does not lie in the file */
  word(offset: number, what: string): number {
    // The view is another one once bytes were read.
    const at = this.#at(offset, 4, what);
    return this.#view.getUint32(at, true);
  }

  /** A text of UTF-8. @throws {DecodeFailed} it does not lie in the file, or is no such text */
  text(offset: number, length: number, what: string): string {
    const at = this.#at(offset, length, what);
    const text = this.#text.slice(at, at + length);
    if (!BEYOND_ASCII.test(text)) return text;
    try {
      return UTF8.decode(this.#bytes.subarray(at, at + length));
    } catch (cause) {
      throw new DecodeFailed(`the bytes of ${what} are not UTF-8`, { cause });
    }
  }

  /** Whether nothing but zeros follows. */
  isZero(start: number): boolean {
    for (let at = start; at < this.#index.size; at += CHUNK_BYTES) {
      const bytes = this.#index.read(
        at,
        Math.min(CHUNK_BYTES, this.#index.size - at),
        "the end of the index",
      );
      if (bytes.some((byte) => byte !== 0)) return false;
    }
    return true;
  }
}

const LATIN = new TextDecoder("latin1");
const UTF8 = new TextDecoder("utf-8", { fatal: true });
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Adds one record and gives the offset behind it; `null` where none begins. @throws {DecodeFailed} it is damaged or cut */
function addRecord(records: Records, start: number, images: ImageList): number | null {
  const axesLength = records.word(start, "the length of its axes");
  if (axesLength === 0) return null;
  if (axesLength > MAX_AXES_BYTES) {
    throw new DecodeFailed(`its axes have ${axesLength} bytes, more than ${MAX_AXES_BYTES}`);
  }
  let at = start + 4;
  const axes = parsedAxes(records.text(at, axesLength, "its axes"));
  at += axesLength;
  const nameLength = records.word(at, "the length of its file name");
  if (nameLength === 0 || nameLength > MAX_NAME_BYTES) {
    throw new DecodeFailed(`its file name has ${nameLength} bytes, not 1 to ${MAX_NAME_BYTES}`);
  }
  at += 4;
  const name = records.text(at, nameLength, "its file name");
  at += nameLength;
  const number = (i: number) => records.word(at + 4 * i, "its numbers");
  images.add(axes, name, {
    offset: number(0),
    width: number(1),
    height: number(2),
    type: number(4) === 0 ? number(3) : NO_TYPE,
    noteOffset: number(5),
    // A compressed text is not read.
    noteLength: number(7) === 0 ? number(6) : 0,
  });
  return at + 32;
}

/** Axes are too short for the bounds that other JSON needs. */
function parsedAxes(text: string): JsonObject {
  let axes: unknown;
  try {
    axes = JSON.parse(text);
  } catch (cause) {
    throw new DecodeFailed("its axes are no JSON", { cause });
  }
  if (!isJsonObject(axes)) throw new DecodeFailed("its axes are no object");
  return axes;
}
