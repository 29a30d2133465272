/**
 * OLE compound files ([MS-CFB]): streams by name. Sectors of 512 or 4096 bytes are linked by the FAT. Streams below the cutoff
 * are in sectors of 64 bytes inside the root's stream, linked by the mini FAT. Storages are ignored, since the stream names
 * in an OIB are distinct.
 */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { warnIf, type Warning } from "../warning.ts";
import { FREE, Sectors } from "./chain.ts";

/** Signature of a compound file. */
export const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1] as const;

/** Number of header bytes, for any sector size. */
const HEADER_BYTES = 512;

/** Largest number of sectors, 4 bytes of heap each: 4 GiB in 512 bytes, 32 GiB in 4096. FluoView ends an OIB at 2 GiB. */
const MAX_SECTORS = 1 << 23;

/** Largest number of directory entries, 300 bytes of heap each: 100,000 planes with their settings. */
const MAX_ENTRIES = 1 << 18;
const ENTRY_MEMORY = 300;

/** Number of FAT sectors listed in the header. */
const HEADER_FAT_SECTORS = 109;

/** Bytes per directory entry, and per sector of the mini stream. */
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;

/** Kinds of directory entry. */
const STREAM = 2;
const ROOT = 5;

interface Entry {
  readonly start: number;
  readonly size: number;
}

type Header = ReturnType<typeof readHeader>;

/** One compound file. */
export class CompoundFile {
  /** Streams by name; `null` if two streams have the name. */
  readonly #streams = new Map<string, Entry | null>();
  readonly #header: Header;
  readonly #sectors: Sectors;
  #root: Entry | null = null;
  #mini: Sectors | null = null;

  /** Reads header, FAT and directory. @throws {DecodeFailed} they are damaged, or larger than any instrument writes */
  constructor(file: ByteSource) {
    this.#header = readHeader(file);
    const { sectorBytes } = this.#header;
    this.#sectors = new Sectors(
      { base: file, origin: sectorBytes, sectorBytes },
      readFat(file, this.#header),
    );
    this.#readDirectory();
  }

  get names(): Iterable<string> {
    return this.#streams.keys();
  }

  /** Warns if the FAT uses sectors after the end of the file. */
  get warnings(): Warning[] {
    const text = "The table names sectors beyond the end of the file, which was cut or is damaged";
    return warnIf(this.#sectors.reachesBeyond, "file_damaged", text);
  }

  /** Upper estimate of the memory in bytes. */
  get indexBytes(): number {
    return this.#sectors.indexBytes + (this.#mini?.indexBytes ?? 0) + this.#streams.size * ENTRY_MEMORY;
  }

  /**
   * The bytes of a stream, or `null`.
   *
   * @param called its name in messages
   * @throws {DecodeFailed} two streams have the name, or its sectors hold less than the directory declares
   */
  open(name: string, called: string): ByteSource | null {
    const entry = this.#streams.get(name);
    if (entry === undefined) return null;
    if (entry === null) throw new DecodeFailed(`two streams are called "${name}"`);
    const sectors = entry.size >= this.#header.cutoff ? this.#sectors : this.#mini ??= this.#readMini();
    return sectors.stream(entry.start, entry.size, called);
  }

  #readMini(): Sectors {
    if (this.#root === null) throw new DecodeFailed("the directory has no root entry");
    const { sectorBytes, miniFat, miniFatSectors } = this.#header;
    const base = this.#sectors.stream(this.#root.start, this.#root.size, "the stream of small streams");
    const needed = Math.ceil(4 * Math.ceil(base.size / MINI_SECTOR_BYTES) / sectorBytes);
    const size = Math.min(miniFatSectors, needed) * sectorBytes;
    const table = this.#sectors.stream(miniFat, size, "the mini FAT");
    return new Sectors(
      { base, origin: 0, sectorBytes: MINI_SECTOR_BYTES },
      wordsOf(table.read(0, size, "the mini FAT")),
    );
  }

  #readDirectory(): void {
    const { directory, sectorBytes } = this.#header;
    const what = "the directory of the compound file";
    const most = MAX_ENTRIES * ENTRY_BYTES;
    const source = this.#sectors.whole(directory, most, what);
    if (source.size > most) throw new DecodeFailed(`${what} has more than ${MAX_ENTRIES} entries`);
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
    // In version 3 the high half is undefined.
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

function readHeader(file: ByteSource) {
  const bytes = file.read(0, HEADER_BYTES, "the header of the compound file");
  if (SIGNATURE.some((byte, i) => bytes[i] !== byte)) {
    throw new DecodeFailed("the file does not start with the signature of a compound file");
  }
  const view = new DataView(bytes.buffer);
  const [version, order, shift, miniShift] = [26, 28, 30, 32].map((at) => view.getUint16(at, true));
  if (
    order !== 0xfffe || miniShift !== 6 || !(version === 3 && shift === 9 || version === 4 && shift === 12)
  ) {
    throw new DecodeFailed(
      `the header of the compound file has version ${version}, byte order ${
        order!.toString(16)
      }, sectors of ` +
        `2^${shift} and 2^${miniShift} bytes; version 3 with 2^9 and 4 with 2^12, little-endian, 2^6 are read`,
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

/** The part of the FAT that covers the sectors of the file. */
function readFat(file: ByteSource, header: Header): Uint32Array {
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
  return fat;
}

/** Numbers of the FAT sectors: from the header, then from the chain of DIFAT sectors. */
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
  // A circular chain ends too, since the caller stops at the last wanted FAT sector.
  while (next < sectors) {
    const words = wordsOf(file.read((next + 1) * sectorBytes, sectorBytes, "a list of FAT sectors"));
    for (const sector of words.subarray(0, -1)) {
      if (sector === FREE) return;
      yield sector;
    }
    next = words.at(-1) ?? FREE;
  }
}

/** 32-bit little-endian words. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(4 * i, true));
}
