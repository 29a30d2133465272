/** A store that is a ZIP file: each value an entry, stored or deflated. */
import { crc32 } from "node:zlib";
import { ByteSection, type ByteSource, DecodedBytes } from "../io/byte_source.ts";
import { unpack } from "../codecs/compressed_stream.ts";
import { DecodeFailed } from "../errors.ts";
import { looseBound } from "./byte_codecs.ts";
import type { Store, StoredValue } from "./store.ts";
import type { ZipEntry } from "./zip_directory.ts";

const LOCAL_HEADER_BYTES = 30;

/** Heap of one entry of the directory with its name. */
const ENTRY_HEAP_BYTES = 300;

/** The entries below one folder of an archive. */
export class ZipStore implements Store {
  readonly holdsWhole = true;
  readonly indexBytes: number;
  readonly #file: ByteSource;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  readonly #folder: string;

  /** Serves the entries of an archive. @param folder of the outermost group, `""` for the root of the archive */
  constructor(file: ByteSource, entries: ReadonlyMap<string, ZipEntry>, folder: string) {
    this.#file = file;
    this.#entries = entries;
    this.#folder = folder;
    this.indexBytes = ENTRY_HEAP_BYTES * entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(this.#nameOf(key));
  }

  open(key: string, maxHeld: number): StoredValue | null {
    const name = this.#nameOf(key);
    const entry = this.#entries.get(name);
    if (!entry) return null;
    const { method, size, compressedSize } = entry;
    const what = `ZIP entry "${key}"`;
    if (entry.encrypted) throw new DecodeFailed(`${what} is encrypted`);
    const start = this.#dataStart(name, entry, what);
    this.#file.require(start, compressedSize, what);
    if (method === 0) {
      if (size === compressedSize) return new StoredEntry(this.#file, start, entry, what);
      throw new DecodeFailed(`${what} is stored in ${compressedSize} bytes but declares ${size}`);
    }
    if (method !== 8) throw new DecodeFailed(`${what} uses the unknown compression method ${method}`);
    if (size > maxHeld) {
      throw new DecodeFailed(`${what} declares ${size} inflated bytes, more than ${maxHeld}`);
    }
    if (compressedSize > looseBound(size)) {
      throw new DecodeFailed(`${what} has ${compressedSize} compressed bytes for ${size}`);
    }
    return inflated(this.#file.read(start, compressedSize, what), entry, what);
  }

  #nameOf(key: string): string {
    return this.#folder === "" ? key : `${this.#folder}/${key}`;
  }

  /** Offset of the data of an entry. @throws {DecodeFailed} its local header is damaged or has another name */
  #dataStart(name: string, { offset }: ZipEntry, what: string): number {
    const header = this.#file.read(offset, LOCAL_HEADER_BYTES, `the header of ${what}`);
    const view = new DataView(header.buffer);
    if (view.getUint32(0, true) !== 0x04034b50) throw new DecodeFailed(`${what} has no header at ${offset}`);
    const nameStart = offset + LOCAL_HEADER_BYTES;
    const nameBytes = view.getUint16(26, true);
    const named = this.#file.read(nameStart, nameBytes, `the name of ${what}`);
    if (new TextDecoder().decode(named) !== name) {
      throw new DecodeFailed(`${what} has another name in its header at ${offset}`);
    }
    return nameStart + nameBytes + view.getUint16(28, true);
  }
}

/** An uncompressed entry; verifies its checksum when read as a whole, as all but shards are. */
class StoredEntry extends ByteSection {
  override readonly asWhole = true;
  readonly #entry: ZipEntry;

  constructor(file: ByteSource, start: number, entry: ZipEntry, what: string) {
    super(file, start, entry.size, what);
    this.#entry = entry;
  }

  override readInto(offset: number, target: Uint8Array, what: string): void {
    super.readInto(offset, target, what);
    if (target.length === this.size) requireSum(target, this.#entry, this.name);
  }
}

function inflated(compressed: Uint8Array, entry: ZipEntry, what: string): StoredValue {
  let bytes: Uint8Array;
  try {
    ({ bytes } = unpack("deflate", compressed, entry.size));
  } catch (cause) {
    throw new DecodeFailed(`${what} cannot be inflated to its ${entry.size} bytes`, { cause });
  }
  if (bytes.length !== entry.size) {
    throw new DecodeFailed(`${what} inflates to ${bytes.length} bytes instead of ${entry.size}`);
  }
  requireSum(bytes, entry, what);
  return new DecodedBytes(bytes, what);
}

function requireSum(bytes: Uint8Array, entry: ZipEntry, what: string): void {
  if (crc32(bytes) !== entry.crc) throw new DecodeFailed(`${what} is damaged: its checksum does not match`);
}
