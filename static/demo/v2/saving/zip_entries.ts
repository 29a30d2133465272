/** Reads entries of a ZIP file without loading all of it: the directory is at its end. */
import { computeCrc32 } from "../../../measure/zip.ts";

/** Lengths in bytes. */
const [END_BYTES, LONGEST_COMMENT, LOCATOR_BYTES, END64_BYTES] = [22, 65535, 20, 56];
const [ENTRY_BYTES, LOCAL_BYTES] = [46, 30];
/** Signatures of the records. */
const [END, LOCATOR, END64, ENTRY, LOCAL] = [0x06054b50, 0x07064b50, 0x06064b50, 0x02014b50, 0x04034b50];

/** Stands for a number that is in the ZIP64 field of its entry. */
const ELSEWHERE = 0xffffffff;

/** Largest entry that is read, in bytes: the server sends no larger ones. */
const MOST_BYTES = 32 << 20;

/** A ZIP file that is cut or damaged, or no ZIP file. */
export class ZipFault extends Error {}

/** `read` gives its text and fails with {@linkcode ZipFault}. */
export type ReadableEntry = { name: string; read: () => Promise<string> };

/** Lists the entries of a ZIP file. @throws {ZipFault} */
export async function listZipEntries(file: Blob): Promise<ReadableEntry[]> {
  const directory = await readView(file, ...await locateZipDirectory(file));
  const entries = [];
  for (let at = 0; at < directory.byteLength;) {
    if (directory.byteLength - at < ENTRY_BYTES || directory.getUint32(at, true) !== ENTRY) {
      throw new ZipFault("its directory is damaged");
    }
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    const end = at + ENTRY_BYTES + name + extra + comment;
    if (end > directory.byteLength) throw new ZipFault("its directory is damaged");
    const text = new TextDecoder().decode(viewBytes(directory, at + ENTRY_BYTES, name));
    const method = directory.getUint16(at + 10, true);
    const crc = directory.getUint32(at + 16, true);
    const numbers = [24, 20, 42].map((field) => directory.getUint32(at + field, true));
    const place = locateEntry(numbers, viewBytes(directory, at + ENTRY_BYTES + name, extra));
    entries.push({ name: text, read: () => readEntryText(file, text, method, { ...place, crc }) });
    at = end;
  }
  return entries;
}

/** Start and length of the directory. */
async function locateZipDirectory(file: Blob): Promise<[number, number]> {
  const tailAt = Math.max(0, file.size - END_BYTES - LONGEST_COMMENT - LOCATOR_BYTES);
  const tail = await readView(file, tailAt, file.size - tailAt);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new ZipFault("it is cut, or no ZIP file");
  const [length, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const locator = end - LOCATOR_BYTES;
  if (locator < 0 || tail.getUint32(locator, true) !== LOCATOR) return [start, length];
  const end64 = await readView(file, Number(tail.getBigUint64(locator + 8, true)), END64_BYTES);
  if (end64.getUint32(0, true) !== END64) throw new ZipFault("its directory is damaged");
  return [Number(end64.getBigUint64(48, true)), Number(end64.getBigUint64(40, true))];
}

/**
 * Length, stored length and start of an entry.
 *
 * @param numbers as in the directory
 * @param extra fields
 */
function locateEntry(numbers: number[], extra: Uint8Array) {
  const fields = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  const long: number[] = [];
  for (let at = 0; at + 4 <= fields.byteLength; at += 4 + fields.getUint16(at + 2, true)) {
    if (fields.getUint16(at, true) !== 1) continue;
    const end = Math.min(fields.byteLength, at + 4 + fields.getUint16(at + 2, true));
    for (let i = at + 4; i + 8 <= end; i += 8) long.push(Number(fields.getBigUint64(i, true)));
  }
  const [length, stored, start] = numbers.map((number) =>
    number === ELSEWHERE ? long.shift() ?? Infinity : number
  ) as [number, number, number];
  return { length, stored, start };
}

async function readEntryText(
  file: Blob,
  name: string,
  method: number,
  { length, stored, start, crc }: { length: number; stored: number; start: number; crc: number },
) {
  if (Math.max(length, stored) > MOST_BYTES) throw new ZipFault(`${name} is larger than 32 MiB`);
  const head = await readView(file, start, LOCAL_BYTES);
  if (head.getUint32(0, true) !== LOCAL) throw new ZipFault(`${name} is damaged`);
  const from = start + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  if (from + stored > file.size) throw new ZipFault("it is cut");
  const bytes = await expandEntry(file.slice(from, from + stored), method, length).catch(() => null);
  if (bytes?.length !== length) throw new ZipFault(`${name} is damaged or compressed in an unknown way`);
  if (computeCrc32(bytes) !== crc) throw new ZipFault(`${name} is damaged: its checksum differs`);
  return new TextDecoder().decode(bytes);
}

/** Bytes of an entry, stored or (by other programs) deflated; null for other methods and lengths. */
async function expandEntry(part: Blob, method: number, length: number): Promise<Uint8Array | null> {
  if (method === 0) return new Uint8Array(await part.arrayBuffer());
  if (method !== 8) return null;
  const bytes = new Uint8Array(length);
  const reader = part.stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let at = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value === undefined || at + value.length > length) return null;
    bytes.set(value, at);
    at += value.length;
  }
  return at === length ? bytes : null;
}

const viewBytes = (view: DataView, at: number, length: number) =>
  new Uint8Array(view.buffer, view.byteOffset + at, length);

async function readView(file: Blob, start: number, length: number) {
  if (!(start >= 0 && start + length <= file.size)) throw new ZipFault("it is cut");
  return new DataView(await file.slice(start, start + length).arrayBuffer());
}
