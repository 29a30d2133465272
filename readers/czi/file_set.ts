/**
 * The files of a split document: `name.czi`, then `name (1).czi` or `name(1).czi` and so on. The directory in the first file
 * refers to the parts by number. All files share one GUID.
 */
import { basename, dirname, extname, join } from "node:path";
import { DecodeFailed, quoted, unlessDamaged } from "../errors.ts";
import type { FileGrouping } from "../format.ts";
import type { FileAccess } from "../io/file_access.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import { listed, warnIf, type Warning } from "../warning.ts";
import type { SubblockTable } from "./directory.ts";
import { type FileHeader, readFileHeader } from "./segment.ts";

/** Name of the first file of a split document: `name.czi` for `name (1).czi` and `name(1).czi`; `null` for any other name. */
export function findFirstName(name: string): string | null {
  const found = /^(.*?) ?\(\d+\)(\.[^.]*)$/.exec(name);
  return found && `${found[1]}${found[2]}`;
}

/** Parts of a split document, by name and header. */
export const GROUPING: FileGrouping = {
  setOf(name, beside) {
    const first = findFirstName(name);
    return first && beside.find(first);
  },
  mayBeOwn: () => true,
  isPartOf,
};

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
  const name = findFirstName(basename(path));
  const opened = name && openPart(join(dirname(path), name), 0, { header, files });
  if (opened) return opened;
  const where = name ? `, ${quoted(name)},` : "";
  throw new DecodeFailed(
    `it is part ${header.part} of a split document, whose first file${where} is not beside it`,
  );
}

/** Opens a part of the document with this header; `null` if the file is not that part. */
function openPart(
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

/** Whether the file at `path` is a part of the document whose first file is at `main`. @throws as {@linkcode openMain} */
function isPartOf(path: string, main: string, files: FileAccess): boolean {
  using file = files.open(path);
  const header = readFileHeader(file);
  const first = header.part === 0 ? null : openPart(main, 0, { header, files });
  first?.file.close();
  return first !== null;
}

/** Opens the parts to which the directory refers. @throws {DecodeFailed} more than {@linkcode MAX_PARTS} parts */
export function openParts(
  { file, header }: MainFile,
  table: SubblockTable,
  files: FileAccess,
): { readonly parts: ReadonlyMap<number, RandomAccessFile>; readonly warnings: readonly Warning[] } {
  const parts = new Map([[0, file]]);
  const missing: string[] = [];
  const extension = extname(file.path);
  const stem = join(dirname(file.path), basename(file.path, extension));
  const named = new Set(table.subblocks.map(({ part }) => part));
  if (named.size > MAX_PARTS) throw new DecodeFailed(`it is split into more than ${MAX_PARTS} files`);
  named.delete(0);
  for (const part of [...named].sort((a, b) => a - b)) {
    const opened = openPart(`${stem} (${part})${extension}`, part, { header, files }) ??
      openPart(`${stem}(${part})${extension}`, part, { header, files });
    if (opened === null) missing.push(String(part));
    else parts.set(part, opened.file);
  }
  const text = `Parts of the document are missing beside it: ${listed(missing)}`;
  return { parts, warnings: warnIf(missing.length > 0, "file_missing", text) };
}
