/**
 * OLE compound files ([MS-CFB]): streams by name. Sectors of 512 or 4096 bytes are chained by the FAT; streams below the cutoff
 * lie in sectors of 64 bytes inside the stream of the root, chained by the mini FAT.
 *
 * Storages are ignored, since the names of streams are distinct in an OIB: a damaged tree of the directory hides nothing.
 */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { ChainSource, sectorsOf, SectorTable } from "./chain.ts";

/** Signature of a compound file. */
export const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1] as const;

/** Bytes of the header with any sector size. */
const HEADER_BYTES = 512;

/** Sectors of one file: 4 GiB of 512 bytes, 32 GiB of 4096; FluoView ends an OIB at 2 GiB. 4 bytes of heap each. */
const MAX_SECTORS = 1 << 23;

/** Entries of the directory, 300 bytes of heap each; 100,000 planes with their settings. */
const MAX_ENTRIES = 1 << 18;

/** FAT sectors in the header. */
const HEADER_FAT_SECTORS = 109;

/** Bytes of a directory entry, and of a sector of the mini stream. */
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;

/** Memory of an entry. */
const ENTRY_MEMORY = 300;

/** Kinds of directory entry. */
const STREAM = 2;
const ROOT = 5;

/** Ends a list of FAT sectors. */
const FREE = 0xffffffff;

interface Entry {
  readonly start: number;
  readonly size: number;
}

interface Header {
  readonly version: number;
  readonly sectorBytes: number;
  readonly fatSectors: number;
  readonly directory: number;
  readonly cutoff: number;
  readonly miniFat: number;
  readonly miniFatSectors: number;
  readonly difat: number;
  readonly listed: readonly number[];
}

/** One compound file. */
export class CompoundFile {
  /** Streams by name; `null` where two share it. */
  readonly #streams = new Map<string, Entry | null>();
  readonly #file: ByteSource;
  readonly #header: Header;
  readonly #fat: SectorTable;
  #root: Entry | null = null;
  #mini: { readonly table: SectorTable; readonly stream: ByteSource } | null = null;

  /** Reads header, FAT and directory. @throws {DecodeFailed} they are damaged, or larger than any instrument writes */
  constructor(file: ByteSource) {
    this.#file = file;
    this.#header = readHeader(file);
    this.#fat = readFat(file, this.#header);
    this.#readDirectory();
  }

  /** Names of all streams. */
  get names(): Iterable<string> {
    return this.#streams.keys();
  }

  /** Warns of a FAT that names sectors after the end of the file. */
  get warnings(): Warning[] {
    const text = "The table names sectors beyond the end of the file, which was cut or is damaged";
    return this.#fat.reachesBeyond ? [warning("file_damaged", text)] : [];
  }

  /** Bytes of memory, from above. */
  get indexBytes(): number {
    return this.#fat.indexBytes + (this.#mini?.table.indexBytes ?? 0) + this.#streams.size * ENTRY_MEMORY;
  }

  /**
   * The bytes of a stream, or `null`.
   *
   * @param called its name in messages
   * @throws {DecodeFailed} two streams share the name, or its sectors hold less than the directory declares
   */
  open(name: string, called: string): ByteSource | null {
    const entry = this.#streams.get(name);
    if (entry === undefined) return null;
    if (entry === null) throw new DecodeFailed(`two streams are called "${name}"`);
    if (entry.size >= this.#header.cutoff) return this.#inSectors(entry, called);
    const { table, stream } = this.#mini ??= this.#readMini();
    return chained({ table, base: stream, origin: 0 }, entry, called);
  }

  #inSectors(entry: Entry, called: string): ByteSource {
    return chained({ table: this.#fat, base: this.#file, origin: this.#header.sectorBytes }, entry, called);
  }

  #readMini(): { table: SectorTable; stream: ByteSource } {
    if (this.#root === null) throw new DecodeFailed("the directory has no root entry");
    const { sectorBytes, miniFat, miniFatSectors } = this.#header;
    const stream = this.#inSectors(this.#root, "the stream of small streams");
    const sectors = Math.ceil(stream.size / MINI_SECTOR_BYTES);
    const tableSectors = Math.min(miniFatSectors, Math.ceil(4 * sectors / sectorBytes));
    const entry = { start: miniFat, size: tableSectors * sectorBytes };
    const miniTable = this.#inSectors(entry, "the mini FAT");
    const table = wordsOf(miniTable.read(0, miniTable.size, "the mini FAT"));
    return { table: new SectorTable(table, sectors, MINI_SECTOR_BYTES), stream };
  }

  #readDirectory(): void {
    const { directory, sectorBytes } = this.#header;
    const what = "the directory of the compound file";
    const most = MAX_ENTRIES * ENTRY_BYTES / sectorBytes;
    const runs = this.#fat.follow(directory, most + 1, what);
    const sectors = sectorsOf(runs);
    if (sectors > most) throw new DecodeFailed(`${what} has more than ${MAX_ENTRIES} entries`);
    const place = { base: this.#file, origin: sectorBytes, sectorBytes };
    const source = new ChainSource(place, runs, sectors * sectorBytes, what);
    for (let offset = 0; offset < source.size; offset += sectorBytes) {
      const sector = source.read(offset, sectorBytes, what);
      for (let at = 0; at < sectorBytes; at += ENTRY_BYTES) {
        this.#addEntry(sector.subarray(at, at + ENTRY_BYTES));
      }
    }
  }

  #addEntry(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const kind = view.getUint8(66);
    if (kind !== STREAM && kind !== ROOT) return;
    // The high half is undefined in version 3.
    const high = this.#header.version === 3 ? 0 : view.getUint32(124, true);
    const entry = { start: view.getUint32(116, true), size: high * 2 ** 32 + view.getUint32(120, true) };
    if (kind === ROOT) {
      this.#root ??= entry;
      return;
    }
    const length = Math.min(64, view.getUint16(64, true));
    const name = new TextDecoder("utf-16le").decode(bytes.subarray(0, length & ~1)).replace(/\0.*$/s, "");
    this.#streams.set(name, this.#streams.has(name) ? null : entry);
  }
}

/** The bytes of an entry, after a check that its chain holds them. */
function chained(
  { table, base, origin }: {
    readonly table: SectorTable;
    readonly base: ByteSource;
    readonly origin: number;
  },
  { start, size }: Entry,
  called: string,
): ByteSource {
  const { sectorBytes } = table;
  if (!Number.isSafeInteger(size) || size > base.size) {
    throw new DecodeFailed(`${called} declares ${size} bytes; ${base.name} has ${base.size}`);
  }
  const needed = Math.ceil(size / sectorBytes);
  const runs = table.follow(start, needed, called);
  const stored = sectorsOf(runs);
  if (stored < needed) {
    throw new DecodeFailed(`${called} declares ${size} bytes; its chain holds ${stored * sectorBytes}`);
  }
  return new ChainSource({ base, origin, sectorBytes }, runs, size, called);
}

function readHeader(file: ByteSource): Header {
  const bytes = file.read(0, HEADER_BYTES, "the header of the compound file");
  const view = new DataView(bytes.buffer);
  const version = view.getUint16(26, true);
  const order = view.getUint16(28, true);
  const shift = view.getUint16(30, true);
  const miniShift = view.getUint16(32, true);
  if (SIGNATURE.some((byte, i) => bytes[i] !== byte)) {
    throw new DecodeFailed("the file does not start with the signature of a compound file");
  }
  if (
    order !== 0xfffe || miniShift !== 6 ||
    !((version === 3 && shift === 9) || (version === 4 && shift === 12))
  ) {
    throw new DecodeFailed(
      `the header of the compound file has version ${version}, byte order ${
        order.toString(16)
      }, sectors of 2^${shift} and ` +
        `2^${miniShift} bytes; version 3 with 2^9 and 4 with 2^12, little-endian, 2^6 are read`,
    );
  }
  return {
    version,
    sectorBytes: 1 << shift,
    fatSectors: view.getUint32(44, true),
    directory: view.getUint32(48, true),
    cutoff: view.getUint32(56, true),
    miniFat: view.getUint32(60, true),
    miniFatSectors: view.getUint32(64, true),
    difat: view.getUint32(68, true),
    listed: Array.from({ length: HEADER_FAT_SECTORS }, (_, i) => view.getUint32(76 + 4 * i, true)),
  };
}

/** The part of the FAT for the sectors of the file. */
function readFat(file: ByteSource, header: Header): SectorTable {
  const { sectorBytes, fatSectors } = header;
  const sectors = Math.ceil(Math.max(0, file.size - sectorBytes) / sectorBytes);
  if (sectors > MAX_SECTORS) {
    throw new DecodeFailed(`the compound file has ${sectors} sectors, more than ${MAX_SECTORS}`);
  }
  const wanted = Math.min(fatSectors, Math.ceil(4 * sectors / sectorBytes));
  const fat = new Uint32Array(wanted * sectorBytes / 4).fill(FREE);
  let filled = 0;
  for (const sector of fatList(file, header, sectors)) {
    if (filled === wanted) break;
    const what = `FAT sector ${filled}`;
    if (sector >= sectors) throw new DecodeFailed(`${what} is sector ${sector}; there are ${sectors}`);
    fat.set(wordsOf(file.read((sector + 1) * sectorBytes, sectorBytes, what)), filled * sectorBytes / 4);
    filled += 1;
  }
  if (filled < wanted) {
    throw new DecodeFailed(`the compound file declares ${fatSectors} FAT sectors and lists ${filled}`);
  }
  return new SectorTable(fat, sectors, sectorBytes);
}

/** Numbers of the FAT sectors: in the header, then in the chain of DIFAT sectors. */
function* fatList(
  file: ByteSource,
  { listed, difat, sectorBytes }: Header,
  sectors: number,
): Generator<number> {
  for (const sector of listed) {
    if (sector === FREE) return;
    yield sector;
  }
  let next = difat;
  // The caller stops at the last wanted FAT sector, so a circle ends.
  while (next < sectors) {
    const words = wordsOf(file.read((next + 1) * sectorBytes, sectorBytes, "a list of FAT sectors"));
    for (const sector of words.subarray(0, -1)) {
      if (sector === FREE) return;
      yield sector;
    }
    next = words.at(-1) ?? FREE;
  }
}

/** Little-endian words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < words.length; i += 1) words[i] = view.getUint32(4 * i, true);
  return words;
}
