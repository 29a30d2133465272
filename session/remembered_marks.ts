/** Marks of the data files of each session at their first read. */
import { changedFile, encodeMarks } from "../readers/io/paths.ts";
import type { Session } from "./store.ts";

/** Data files of a session whose marks are remembered. Any further file counts as new on each read. */
const MAX_REMEMBERED = 4096;

/** Compares the marks of each read with those of the first. */
export class RememberedMarks {
  readonly #marks = new WeakMap<Session, Map<string, string>>();

  /**
   * Remembers the marks of files that were read.
   *
   * @param files marks by resolved path
   * @throws {AcquisitionChanged} a file has changed since it was first read
   */
  compare(session: Session, files: ReadonlyMap<string, string>): void {
    const remembered = this.#marks.getOrInsertComputed(session, () => new Map());
    for (const [path, mark] of files) {
      const before = session.source.marks.get(path) ?? remembered.get(path);
      if (before !== undefined && before !== mark) throw changedFile(path);
      if (before === undefined && remembered.size < MAX_REMEMBERED) remembered.set(path, mark);
    }
  }

  /** Encoded marks of the data files that the session has read besides those of its open. */
  of(session: Session): Uint8Array<ArrayBuffer> {
    return encodeMarks(this.#marks.get(session) ?? new Map());
  }
}
