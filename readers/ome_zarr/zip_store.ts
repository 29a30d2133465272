/** A store that is a ZIP file: each value an entry, stored or deflated. */
import { crc32 } from "node:zlib";
import { ByteSection, type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { unpack } from "../codecs/compressed_stream.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import { looseBound } from "./encoded_size.ts";
import type { Store, StoredValue } from "./store.ts";
import type { ZipEntry } from "./zip_directory.ts";

const LOCAL_HEADER_BYTES = 30;

/** Heap of one entry of the directory with its name. */
const ENTRY_HEAP_BYTES = 300;

/**
 * The checksum of a stored entry up to this size is verified before parts of it are read, which takes a quarter of a
 * second. Larger shards hold whole stacks, of which one plane is wanted.
 */
const MAX_SUMMED_BYTES = 256 << 20;

/** Values of the entries below one folder of the archive. */
export class ZipStore implements Store {
  readonly holdsWhole = true;
  readonly #file: ByteSource;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #folder: string;
  #namesFit = false;

  /** Serves the entries of an archive. @param folder of the outermost group, `""` for the root of the archive */
  constructor(file: ByteSource, entries: ReadonlyMap<string, ZipEntry>, folder: string) {
    this.#file = file;
    this.#entries = entries;
    this.#folder = folder;
  }

  has(key: string): boolean {
    return this.#entries.has(this.#nameOf(key));
  }

  keptBytes(): number {
    return ENTRY_HEAP_BYTES * this.#entries.size;
  }

  open(key: string, maxBytes: number, maxWhole = maxBytes): StoredValue | null {
    const name = this.#nameOf(key);
    const entry = this.#entries.get(name);
    if (!entry) return null;
    const what = `ZIP entry "${key}"`;
    if (entry.encrypted) throw new DecodeFailed(`${what} is encrypted`);
    if (entry.size > maxBytes) {
      throw new DecodeFailed(`${what} has ${entry.size} bytes, more than ${maxBytes}`);
    }
    const start = this.#dataStart(name, entry, what);
    this.#file.require(start, entry.compressedSize, what);
    if (entry.method === 0) {
      if (entry.size !== entry.compressedSize) {
        throw new DecodeFailed(
          `${what} is stored with ${entry.compressedSize} bytes and tells of ${entry.size}`,
        );
      }
      return new StoredEntry(this.#file, start, entry, what);
    }
    if (entry.method !== 8) throw new DecodeFailed(`${what} uses the compression method ${entry.method}`);
    if (entry.size > maxWhole) {
      throw new DecodeFailed(`${what} inflates to ${entry.size} bytes, at most ${maxWhole} can be`);
    }
    if (entry.compressedSize > looseBound(entry.size)) {
      throw new DecodeFailed(`${what} has ${entry.compressedSize} compressed bytes for ${entry.size}`);
    }
    return deflated(this.#file.read(start, entry.compressedSize, what), entry, what);
  }

  #nameOf(key: string): string {
    return this.#folder === "" ? key : `${this.#folder}/${key}`;
  }

  /** A damaged name in the directory would hide a chunk, for which the fill value would then be served. */
  requireNames(): void {
    if (this.#namesFit) return;
    for (const [name, last] of this.#entries) {
      for (let entry: ZipEntry | undefined = last; entry; entry = entry.earlier) {
        this.#dataStart(name, entry, `ZIP entry "${name}"`);
      }
    }
    this.#namesFit = true;
  }

  /** Where the data of an entry begin, behind its own header. @throws {DecodeFailed} which is none of that name */
  #dataStart(name: string, entry: ZipEntry, what: string): number {
    const header = this.#file.read(entry.offset, LOCAL_HEADER_BYTES, `the header of ${what}`);
    const view = new DataView(header.buffer);
    if (view.getUint32(0, true) !== 0x04034b50) {
      throw new DecodeFailed(`${what} has no header at ${entry.offset}`);
    }
    const nameStart = entry.offset + LOCAL_HEADER_BYTES;
    const nameBytes = view.getUint16(26, true);
    const named = this.#file.read(nameStart, nameBytes, `the name of ${what}`);
    if (new TextDecoder().decode(named) !== name) {
      throw new DecodeFailed(`${what} has another name in its header at ${entry.offset}`);
    }
    return nameStart + nameBytes + view.getUint16(28, true);
  }
}

/** An entry that is stored as it is; its checksum is verified before anything of it is used. */
class StoredEntry extends ByteSection implements StoredValue {
  override readonly asWhole = true;
  readonly #entry: ZipEntry;
  #summed: boolean;

  constructor(file: ByteSource, start: number, entry: ZipEntry, what: string) {
    super(file, start, entry.size, what);
    this.#entry = entry;
    this.#summed = entry.size > MAX_SUMMED_BYTES;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    if (target.length < this.size && !this.#summed) {
      requireSum(this.#sum(), this.#entry, this.name);
      this.#summed = true;
    }
    super.readInto(offset, target, what);
    if (target.length === this.size) requireSum(crc32(target), this.#entry, this.name);
  }

  close(): void {}

  #sum(): number {
    const scratch = new Uint8Array(Math.min(this.size, MAX_READ_STEP));
    let sum = 0;
    for (let at = 0; at < this.size; at += scratch.length) {
      const part = scratch.subarray(0, Math.min(scratch.length, this.size - at));
      super.readInto(at, part, this.name);
      sum = crc32(part, sum);
    }
    return sum;
  }
}

class InflatedEntry extends DecodedBytes implements StoredValue {
  close(): void {}
}

function deflated(compressed: Uint8Array, entry: ZipEntry, what: string): StoredValue {
  let bytes: Uint8Array;
  try {
    ({ bytes } = unpack("deflate", compressed, entry.size));
  } catch (cause) {
    throw new DecodeFailed(`${what} cannot be inflated to its ${entry.size} bytes`, { cause });
  }
  if (bytes.length !== entry.size) {
    throw new DecodeFailed(`${what} inflates to ${bytes.length} bytes, ${entry.size} are told of`);
  }
  requireSum(crc32(bytes), entry, what);
  return new InflatedEntry(bytes, what);
}

function requireSum(sum: number, entry: ZipEntry, what: string): void {
  if (sum !== entry.crc) throw new DecodeFailed(`${what} is damaged: its checksum does not fit`);
}
