/**
 * Archives whose bytes depend on nothing but what is in them: entries sorted by name, one time for all, no owner. Made
 * here since `tar` and `zip` differ among the systems that build.
 */
import { Buffer } from "node:buffer";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { ZipRecords } from "../static/measure/zip.ts";

/** One file of an archive, or a link to one. */
export interface ArchiveEntry {
  /** Relative, with slashes. */
  readonly path: string;
  /** Content; of a link the path that it leads to, as UTF-8. */
  readonly bytes: Uint8Array;
  readonly kind: "file" | "executable" | "link";
}

const UTF8 = new TextEncoder();

/** A text file. */
export function textEntry(path: string, text: string): ArchiveEntry {
  return { path, bytes: UTF8.encode(text), kind: "file" };
}

/** An executable of any system; those of Windows have no mode that a folder could keep. */
export function executableEntry(path: string, bytes: Uint8Array): ArchiveEntry {
  return { path, bytes, kind: "executable" };
}

/** Everything below a folder, under another name. Whether a file can be executed is taken from its mode. */
export function entriesBelow(folder: string, prefix: string): ArchiveEntry[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((found): ArchiveEntry[] => {
    const [path, from] = [`${prefix}/${found.name}`, join(folder, found.name)];
    if (found.isDirectory()) return entriesBelow(from, path);
    if (found.isSymbolicLink()) return [{ path, bytes: UTF8.encode(readlinkSync(from)), kind: "link" }];
    const kind = (statSync(from).mode & 0o111) === 0 ? "file" : "executable";
    return [{ path, bytes: readFileSync(from), kind }];
  });
}

const MODES = { file: 0o644, executable: 0o755, link: 0o777 } as const;

/** By name, whatever the language of the system. */
function sorted(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  const byName = [...entries].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
  byName.forEach(({ path }, i) => {
    if (path === byName[i + 1]?.path) throw new Error(`"${path}" is in the archive twice`);
  });
  return byName;
}

/** Header of 512 bytes in the format of POSIX.1-1988 (ustar). */
function tarHeader(path: string, size: number, mode: number, type: string, link: Uint8Array, mtime: number) {
  const header = Buffer.alloc(512);
  const split = UTF8.encode(path).length <= 100 ? 0 : path.lastIndexOf("/", path.length - 2);
  const [prefix, name] = split === 0 ? ["", path] : [path.slice(0, split), path.slice(split + 1)];
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(prefix) > 155 || link.length > 100) {
    throw new Error(`"${path}" is too long for an archive`);
  }
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(size, 11)}\0${octal(mtime, 11)}\0${" ".repeat(8)}${type}`, 124);
  header.set(link, 157);
  header.write("ustar\x0000root", 257);
  header.write("root", 297);
  header.write(prefix, 345);
  header.write(`${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `, 148);
  return header;
}

/**
 * A gzipped tar archive.
 *
 * @param mtime seconds since 1970, of every entry
 * @throws {Error} two entries have one name, or a name does not fit
 */
export function tarGz(entries: readonly ArchiveEntry[], mtime: number): Uint8Array {
  const none = new Uint8Array();
  const parts: Uint8Array[] = [];
  for (const { path, bytes, kind } of sorted(entries)) {
    if (kind === "link") parts.push(tarHeader(path, 0, MODES.link, "2", bytes, mtime));
    else {
      parts.push(tarHeader(path, bytes.length, MODES[kind], "0", none, mtime), Buffer.from(bytes));
      parts.push(Buffer.alloc((512 - bytes.length % 512) % 512));
    }
  }
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]), { level: 9 });
  // Byte 9 names the system that compressed (RFC 1952); 255 stands for unknown.
  packed[9] = 255;
  return packed;
}

/**
 * A ZIP archive.
 *
 * @param mtime seconds since 1970, of every entry
 * @throws {Error} two entries have one name
 */
export function zip(entries: readonly ArchiveEntry[], mtime: number): Uint8Array {
  const records = new ZipRecords(new Date(mtime * 1000), true);
  const parts = sorted(entries).flatMap(({ path, bytes, kind }) => {
    const deflated = deflateRawSync(bytes, { level: 9 });
    const mode = (kind === "link" ? 0o120000 : 0o100000) | MODES[kind];
    return [records.header({ name: path, bytes, deflated, mode }, crc32(bytes)), deflated];
  });
  return Buffer.concat([...parts, records.end()]);
}
