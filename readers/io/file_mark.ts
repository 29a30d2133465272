/** Marks of files. A mark changes when its file is replaced or written to. */
import { basename } from "node:path";
import { AcquisitionChanged, quoted, Unreadable } from "../errors.ts";

/** Parts of a mark. */
interface FileState {
  readonly dev: number | null;
  readonly ino: number | null;
  readonly size: number;
  readonly modified: number | null;
}

/** The mark of a file: device, inode, size in bytes and modification time in milliseconds. */
export const fileMark = ({ dev, ino, size, modified }: FileState): string =>
  `${dev}:${ino}:${size}:${modified}`;

/** The mark of a file from its `stat`. */
const markOf = ({ dev, ino, size, mtime }: Deno.FileInfo): string =>
  fileMark({ dev, ino, size, modified: mtime?.getTime() ?? null });

/** The mark of a missing file. */
export const ABSENT = "absent";

/** Mark for a failed `stat`: {@linkcode ABSENT} if the file is missing. @throws {Unreadable} any other failure */
function markOfNone(path: string, cause: unknown): string {
  const { NotFound, NotADirectory, FilesystemLoop } = Deno.errors;
  if (cause instanceof NotFound || cause instanceof NotADirectory || cause instanceof FilesystemLoop) {
    return ABSENT;
  }
  const code = (cause as { code?: string }).code ?? String(cause);
  throw new Unreadable(`${quoted(basename(path))} cannot be compared with what it was: ${code}`, { cause });
}

/**
 * Compares files with their earlier marks, by resolved path.
 *
 * @throws {AcquisitionChanged} a file changed, vanished or appeared
 * @throws {Unreadable} a file cannot be inspected
 */
export function requireMarks(marks: ReadonlyMap<string, string>): void {
  for (const [path, mark] of marks) {
    let found: string;
    try {
      found = markOf(Deno.statSync(path));
    } catch (error) {
      found = markOfNone(path, error);
    }
    if (found !== mark) throw changed(path);
  }
}

/** {@linkcode requireMarks} without blocking the thread: network drives can take seconds. */
export async function requireMarksLater(marks: Iterable<readonly [string, string]>): Promise<void> {
  await Promise.all(Array.from(marks, async ([path, mark]) => {
    const found = await Deno.stat(path).then(markOf, (error) => markOfNone(path, error));
    if (found !== mark) throw changed(path);
  }));
}

/** The error for a file whose mark changed. */
export const changed = (path: string): AcquisitionChanged =>
  new AcquisitionChanged(`${quoted(basename(path))} was changed since it was opened; open it again`);
