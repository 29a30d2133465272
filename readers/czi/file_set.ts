/**
 * The files of a split document: `name.czi`, then `name (1).czi` or `name(1).czi` and so on. The directory in the first file
 * refers to the parts by number. All files share one GUID.
 */
import { basename, dirname, extname, join } from "node:path";
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed, quoted, unlessDamaged } from "../errors.ts";
import type { FileAccess, RandomAccessFile } from "../io/random_access.ts";
import { listed, type Warning, warning } from "../warning.ts";
import type { SubblockTable } from "./directory.ts";
import { type FileHeader, readFileHeader } from "./segment.ts";

/**
 * Name of a split document's first file, from a name like that of a part: `name.czi` for `name (1).czi` and
 * `name(1).czi`; `null` for any other name.
 */
export function firstName(name: string): string | null {
  const found = /^(.*?) ?\(\d+\)(\.[^.]*)$/.exec(name);
  return found && `${found[1]}${found[2]}`;
}

/** Largest number of files of a split document. */
const MAX_PARTS = 1000;

/** The first file of a document. */
export interface MainFile {
  readonly file: RandomAccessFile;
  readonly header: FileHeader;
}

/** Opens the first file of the document at a path. @throws {DecodeFailed} the file is damaged, or the first file is missing */
export function openMain(path: string, files: FileAccess): MainFile {
  const file = files.open(path);
  const header = readFileHeader(file);
  if (header.part === 0) return { file, header };
  const name = firstName(basename(path));
  const main = name === null ? null : join(dirname(path), name);
  const opened = main === null ? null : partAt(main, 0, { header, files });
  if (opened) return opened;
  const where = main === null ? "" : `, ${quoted(basename(main))},`;
  throw new DecodeFailed(
    `it is part ${header.part} of a split document, whose first file${where} is not beside it`,
  );
}

/** Opens a part of the document with this header; `null` if the file is not that part. */
function partAt(
  path: string,
  part: number,
  { header, files }: { readonly header: FileHeader; readonly files: FileAccess },
): MainFile | null {
  const file = files.openNeighbour(path);
  if (file === null) return null;
  const own = unlessDamaged(() => readFileHeader(file), null);
  if (own?.part === part && own.primary === header.primary) return { file, header: own };
  file.close();
  return null;
}

/** The existing files of a document. */
export interface FileSet {
  readonly parts: ReadonlyMap<number, ByteSource>;
  /** Paths of all files. */
  readonly paths: readonly string[];
  /** Total size of all files in bytes. */
  readonly bytes: number;
  readonly warnings: readonly Warning[];
}

/** Opens the parts to which the directory refers. @throws {DecodeFailed} more than {@linkcode MAX_PARTS} parts */
export function openParts({ file, header }: MainFile, table: SubblockTable, files: FileAccess): FileSet {
  const parts = new Map<number, ByteSource>([[0, file]]);
  const paths = [file.path];
  const missing: number[] = [];
  let bytes = file.size;
  const extension = extname(file.path);
  const stem = join(dirname(file.path), basename(file.path, extension));
  for (const part of namedParts(table)) {
    const found = partAt(`${stem} (${part})${extension}`, part, { header, files }) ??
      partAt(`${stem}(${part})${extension}`, part, { header, files });
    if (found === null) missing.push(part);
    else {
      parts.set(part, found.file);
      paths.push(found.file.path);
      bytes += found.file.size;
    }
  }
  const warnings = missing.length > 0
    ? [warning("file_missing", `Parts of the document are missing beside it: ${listed(missing.map(String))}`)]
    : [];
  return { parts, paths, bytes, warnings };
}

/** Numbers of all parts except the first. */
function namedParts(table: SubblockTable): number[] {
  const parts = new Set<number>();
  for (let i = 0; i < table.length; i += 1) {
    const part = table.facts(i).part;
    if (part !== 0) parts.add(part);
    if (parts.size > MAX_PARTS) throw new DecodeFailed(`it is split into more than ${MAX_PARTS} files`);
  }
  return [...parts].sort((a, b) => a - b);
}
