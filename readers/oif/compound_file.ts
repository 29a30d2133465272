/**
 * OLE compound files ([MS-CFB]): streams by name. Sectors of 512 or 4096 bytes are linked by the FAT. Streams below the cutoff
 * are in sectors of 64 bytes inside the root's stream, linked by the mini FAT. Storages are ignored, since the stream names
 * in an OIB are distinct.
 */
import { type ByteSource, JoinedBytes, type JoinedRun } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { warnIf, type Warning } from "../warning.ts";

/** Signature of a compound file. */
export const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1] as const;

/** Number of header bytes, for any sector size. */
const HEADER_BYTES = 512;

/** Largest number of sectors, 4 bytes of heap each: 4 GiB in 512 bytes, 32 GiB in 4096. FluoView ends an OIB at 2 GiB. */
const MAX_SECTORS = 1 << 23;

/** Largest number of directory entries, 300 bytes of heap each: 100,000 planes with their settings. */
const MAX_ENTRIES = 1 << 18;
const ENTRY_MEMORY = 300;

/** Largest number of runs of adjacent sectors in a stream, 50 bytes of heap each; FluoView writes one to three. */
const MAX_RUNS = 1 << 18;

const HEADER_FAT_SECTORS = 109;
const ENTRY_BYTES = 128;
const MINI_SECTOR_BYTES = 64;

/** Kinds of directory entries, and marks in place of a sector number ([MS-CFB] 2.6.1 and 2.1). */
const [STREAM, ROOT, END_OF_CHAIN, FREE] = [2, 5, 0xfffffffe, 0xffffffff];

interface CompoundEntry {
  readonly start: number;
  readonly size: number;
}

type CompoundHeader = ReturnType<typeof readCompoundHeader>;

/** One compound file. */
export class CompoundFile {
  readonly #streams = new Map<string, CompoundEntry>();
  readonly #header: CompoundHeader;
  readonly #sectors: Sectors;
  #root: CompoundEntry = { start: END_OF_CHAIN, size: 0 };
  #mini: Sectors | null = null;

  /** Reads header, FAT and directory. @throws {DecodeFailed} they are damaged, or larger than any instrument writes */
  constructor(file: ByteSource) {
    this.#header = readCompoundHeader(file);
    const { directory, sectorBytes } = this.#header;
    this.#sectors = new Sectors(file, sectorBytes, sectorBytes, readFat(file, this.#header));
    const what = "the directory of the compound file";
    const most = MAX_ENTRIES * ENTRY_BYTES;
    const source = this.#sectors.chain(directory, most + 1, what);
    if (source.size > most) throw new DecodeFailed(`${what} has more than ${MAX_ENTRIES} entries`);
    const bytes = source.read(0, source.size, what);
    for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
      this.#addEntry(bytes.subarray(at, at + ENTRY_BYTES));
    }
  }

  #addEntry(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const kind = view.getUint8(66);
    // In version 3 the high half is undefined.
    const high = this.#header.version === 3 ? 0 : view.getUint32(124, true);
    const entry = { start: view.getUint32(116, true), size: high * 2 ** 32 + view.getUint32(120, true) };
    if (kind === ROOT) this.#root = entry;
    if (kind !== STREAM) return;
    const length = Math.min(64, view.getUint16(64, true));
    const name = new TextDecoder("utf-16le").decode(bytes.subarray(0, length & ~1)).replace(/\0.*$/s, "");
    this.#streams.set(name, entry);
  }

  get names(): Iterable<string> {
    return this.#streams.keys();
  }

  /** Warns if the FAT uses sectors after the end of the file. */
  get warnings(): Warning[] {
    const text = "The table names sectors beyond the end of the file, which was cut or is damaged";
    return warnIf(this.#sectors.reachesBeyond, "file_damaged", text);
  }

  get indexBytes(): number {
    return this.#sectors.indexBytes + (this.#mini?.indexBytes ?? 0) + this.#streams.size * ENTRY_MEMORY;
  }

  /** The bytes of a stream, or `null`. @throws {DecodeFailed} its sectors hold less than the directory declares */
  open(name: string, called: string): ByteSource | null {
    const entry = this.#streams.get(name);
    if (entry === undefined) return null;
    const sectors = entry.size >= this.#header.cutoff ? this.#sectors : this.#mini ??= this.#readMini();
    return sectors.stream(entry.start, entry.size, called);
  }

  #readMini(): Sectors {
    const { sectorBytes, miniFat, miniFatSectors } = this.#header;
    const base = this.#sectors.stream(this.#root.start, this.#root.size, "the stream of small streams");
    const size = Math.min(miniFatSectors * sectorBytes, 4 * Math.ceil(base.size / MINI_SECTOR_BYTES));
    const table = this.#sectors.stream(miniFat, size, "the mini FAT");
    return new Sectors(base, 0, MINI_SECTOR_BYTES, readWords(table.read(0, size, "the mini FAT")));
  }
}

function readCompoundHeader(file: ByteSource) {
  const bytes = file.read(0, HEADER_BYTES, "the header of the compound file");
  const view = new DataView(bytes.buffer);
  const [version, shift] = [view.getUint16(26, true), view.getUint16(30, true)];
  if (!(version === 3 && shift === 9 || version === 4 && shift === 12)) {
    throw new DecodeFailed(`the compound file has version ${version} with sectors of 2^${shift} bytes`);
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

/** The part of the FAT that covers the sectors of the file. The header lists its first sectors, DIFAT sectors the others. */
function readFat(file: ByteSource, { sectorBytes, fatSectors, listed, difat }: CompoundHeader): Uint32Array {
  const sectors = Math.max(0, Math.ceil(file.size / sectorBytes) - 1);
  if (sectors > MAX_SECTORS) {
    throw new DecodeFailed(`the compound file has ${sectors} sectors, more than ${MAX_SECTORS}`);
  }
  const words = (sector: number, what: string) => {
    if (sector >= sectors) throw new DecodeFailed(`${what} is sector ${sector}; there are ${sectors}`);
    return readWords(file.read((sector + 1) * sectorBytes, sectorBytes, what));
  };
  const wanted = Math.min(fatSectors, Math.ceil(4 * sectors / sectorBytes));
  const numbers = [...listed];
  // A circular chain ends too, at the last wanted FAT sector.
  for (let next = difat; numbers.length < wanted;) {
    const list = words(next, "a list of FAT sectors");
    numbers.push(...list.subarray(0, -1));
    next = list.at(-1)!;
  }
  const fat = new Uint32Array(wanted * sectorBytes / 4);
  numbers.slice(0, wanted).forEach((sector, i) =>
    fat.set(words(sector, `FAT sector ${i}`), i * sectorBytes / 4)
  );
  return fat;
}

function readWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getUint32(4 * i, true));
}

/** The sectors of a file or stream. */
class Sectors {
  readonly #base: ByteSource;
  readonly #origin: number;
  readonly #sectorBytes: number;
  readonly #count: number;
  readonly #next: Uint32Array;

  /** `base` contains the sectors from `origin` on; `next` has, for each sector, the next one in its chain. */
  constructor(base: ByteSource, origin: number, sectorBytes: number, next: Uint32Array) {
    this.#base = base;
    this.#origin = origin;
    this.#sectorBytes = sectorBytes;
    this.#next = next;
    this.#count = Math.ceil(Math.max(0, base.size - origin) / sectorBytes);
  }

  get reachesBeyond(): boolean {
    return this.#next.subarray(this.#count).some((next) => next !== FREE);
  }

  get indexBytes(): number {
    return this.#next.byteLength;
  }

  /** The bytes of a stream. @throws {DecodeFailed} as `chain`, or the chain has fewer than `size` bytes */
  stream(first: number, size: number, name: string): ByteSource {
    if (size > this.#base.size) {
      throw new DecodeFailed(`${name} declares ${size} bytes; ${this.#base.name} has ${this.#base.size}`);
    }
    const chain = this.chain(first, size, name);
    if (chain.size < size) {
      throw new DecodeFailed(`${name} declares ${size} bytes; its chain holds ${chain.size}`);
    }
    return chain;
  }

  /** At most the first `most` bytes of a chain. @throws {DecodeFailed} it leaves the file, or is too scattered */
  chain(first: number, most: number, name: string): ByteSource {
    const runs: JoinedRun[] = [];
    let end = 0;
    for (let sector = first; end < most && sector !== END_OF_CHAIN; sector = this.#next[sector] ?? FREE) {
      if (sector >= this.#count) {
        const place = sector === FREE ? "an unused sector" : `sector ${sector}`;
        throw new DecodeFailed(`${name} leads to ${place}, but there are ${this.#count}`);
      }
      const place = this.#origin + sector * this.#sectorBytes;
      const start = end;
      end += this.#sectorBytes;
      const last = runs.at(-1);
      if (last !== undefined && last.place + start - last.start === place) last.end = end;
      else if (runs.push({ source: this.#base, start, end, place }) > MAX_RUNS) {
        throw new DecodeFailed(`${name} is scattered over more than ${MAX_RUNS} places`);
      }
    }
    return new JoinedBytes(runs, Math.min(end, most), name);
  }
}
