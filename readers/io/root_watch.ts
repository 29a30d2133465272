/**
 * Whether a file lay inside the roots when it was opened. A path is resolved and then opened by name, so a writer inside a root
 * can exchange a folder for a link between the two; the runtime opens nothing relative to a folder that is held.
 */
import { dirname } from "node:path";
import { PathNotAllowed, quoted, Unreadable } from "../errors.ts";

/**
 * The runtime tells in whole seconds when a folder changed; a state older than this differs from that after any change. A day,
 * since the clock of a file server may lag, or be in another time zone.
 */
const CALM_MS = 24 * 3600 * 1000;

/**
 * Looks at a file whose folders have changed in that time. A link that comes and goes all the time passed 8 looks in one of
 * 25,000 opens, and 16 in none of 91,000.
 */
const LOOKS = 16;

/** Folders whose state is kept. */
const MAX_FOLDERS = 100_000;

/** Watches the folders between the roots and the opened files. */
export class RootWatch {
  readonly #isInside: (path: string) => boolean;
  /** State of each folder before the first file below it was opened; `null` when it had changed just then. */
  readonly #states = new Map<string, string | null>();
  /** What the file before had above it. */
  #last: readonly string[] = [];

  /** Watches nothing yet. @param isInside true for a root and what lies below one */
  constructor(isInside: (path: string) => boolean) {
    this.#isInside = isInside;
  }

  /** Called with a resolved path inside the roots, before it is opened. */
  before(path: string): void {
    if (this.#states.size > MAX_FOLDERS) this.#states.clear();
    for (const folder of this.#foldersOf(path)) {
      if (this.#states.has(folder)) break;
      const state = stateOf(folder);
      const calm = state !== null && state.changed < Date.now() - CALM_MS;
      this.#states.set(folder, calm ? state.text : null);
    }
  }

  /**
   * Called with what was opened there.
   *
   * @param identity device and inode of the open file
   * @throws {PathNotAllowed} it may lie outside the roots
   * @throws {Unreadable} another file has its name now, or it cannot be looked at
   */
  after(path: string, identity: string): void {
    const unchanged = this.#foldersOf(path).every((folder) => {
      const state = this.#states.get(folder);
      return state !== null && state === stateOf(folder)?.text;
    });
    for (let i = 0; i < (unchanged ? 1 : LOOKS); i += 1) this.#look(path, identity);
  }

  #look(path: string, identity: string): void {
    let resolved: string;
    let found: string;
    try {
      resolved = Deno.realPathSync(path);
      const { dev, ino } = Deno.statSync(path);
      found = `${dev}:${ino}`;
    } catch (cause) {
      if (cause instanceof Deno.errors.NotFound) throw exchanged(path);
      throw new Unreadable(
        `${quoted(path)} cannot be looked at again after it was opened: ${codeOf(cause)}`,
        { cause },
      );
    }
    if (!this.#isInside(resolved)) {
      throw new PathNotAllowed(
        `${quoted(path)} was exchanged for a link that leads out of the folders of this server`,
      );
    }
    if (resolved !== path || found !== identity) {
      throw exchanged(path);
    }
  }

  /** From the folder of a file up to the root. */
  #foldersOf(path: string): readonly string[] {
    const own = dirname(path);
    // Chunks lie in one folder by the thousand.
    if (own === this.#last[0]) return this.#last;
    const folders: string[] = [];
    for (let at = own; at !== folders.at(-1) && this.#isInside(at); at = dirname(at)) folders.push(at);
    return this.#last = folders;
  }
}

const exchanged = (path: string) => new Unreadable(`${quoted(path)} was exchanged while it was opened`);

const codeOf = (cause: unknown) => (cause as { code?: string }).code ?? String(cause);

/** When a folder changed, and a text that differs after each change of its entries. */
function stateOf(path: string): { changed: number; text: string } | null {
  try {
    const { dev, ino, ctime } = Deno.statSync(path);
    const changed = ctime?.getTime() ?? Infinity;
    return { changed, text: `${dev}:${ino}:${changed}` };
  } catch {
    return null;
  }
}
