/** What tells a file apart from one that took its place, or from itself after it was written to. */
import { basename } from "node:path";
import { AcquisitionChanged, quoted, Unreadable } from "../errors.ts";

/** What a mark is made of. */
interface FileState {
  readonly dev: number | null;
  readonly ino: number | null;
  readonly size: number;
  readonly modified: number | null;
}

/** The mark of a file: device, inode, bytes and the time of modification in milliseconds. */
export const fileMark = ({ dev, ino, size, modified }: FileState): string =>
  `${dev}:${ino}:${size}:${modified}`;

/** The mark of a file that the runtime has looked at. */
const markOf = ({ dev, ino, size, mtime }: Deno.FileInfo): string =>
  fileMark({ dev, ino, size, modified: mtime?.getTime() ?? null });

/** The mark of a place where no file is. */
export const ABSENT = "absent";

/** The mark of a place where no file is. @throws {Unreadable} the system failed to look, so the file may be what it was */
function markOfNone(path: string, cause: unknown): string {
  const { NotFound, NotADirectory, FilesystemLoop } = Deno.errors;
  if (cause instanceof NotFound || cause instanceof NotADirectory || cause instanceof FilesystemLoop) {
    return ABSENT;
  }
  const code = (cause as { code?: string }).code ?? String(cause);
  throw new Unreadable(`${quoted(basename(path))} cannot be compared with what it was: ${code}`, { cause });
}

/**
 * Compares files with what they were.
 *
 * @param marks by resolved path
 * @throws {AcquisitionChanged} one was replaced, written to or removed, or is there now
 * @throws {Unreadable} one cannot be looked at
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

/** As {@linkcode requireMarks}, without holding the thread: a look at a network drive can take seconds. */
export async function requireMarksLater(marks: Iterable<readonly [string, string]>): Promise<void> {
  await Promise.all(Array.from(marks, async ([path, mark]) => {
    const found = await Deno.stat(path).then(markOf, (error) => markOfNone(path, error));
    if (found !== mark) throw changed(path);
  }));
}

/** A file that is not what it was. */
export const changed = (path: string): AcquisitionChanged =>
  new AcquisitionChanged(`${quoted(basename(path))} was changed since it was opened; open it again`);
