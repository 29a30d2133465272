/** Files whose loads were stopped while their workers do not end, so that a file takes no second worker. */
import { basename } from "node:path";
import { quoted } from "../readers/errors.ts";
import { startsHdf5 } from "../readers/hdf5/blocks.ts";
import type { Clock } from "./clock.ts";
import { LoadTimeout, TooManyOpens } from "./errors.ts";

/** How long a file is remembered. */
const REMEMBERED_MS = 10 * 60_000;

/** Most files that are remembered. */
const MAX_REMEMBERED = 1000;

/** Most workers that may be lost to HDF5 files. */
export const MAX_LOST_TO_HDF5 = 2;

/** Largest user block behind which HDF5 is sought. */
const MAX_USER_BLOCK = 1 << 20;

interface LostFile {
  readonly mark: string | null;
  readonly isHdf5: boolean;
  readonly at: number;
}

/** The loads that were lost. */
export class LostLoads {
  readonly #clock: Clock;
  /** Lost loads, by path. */
  readonly #files = new Map<string, Promise<LostFile>>();
  /** Paths on which lost workers work. */
  readonly #workers = new Map<object, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  /** Notes that a worker is lost to a file. */
  note(worker: object, path: string): void {
    const at = this.#clock.now();
    this.#workers.set(worker, path);
    const looking = Promise.all([readFileMark(path), isHdf5(path)]).then(([mark, isHdf5]) => ({
      mark,
      isHdf5,
      at,
    }));
    this.#files.delete(path);
    this.#files.set(path, looking);
    const [oldest] = this.#files.keys();
    if (this.#files.size > MAX_REMEMBERED && oldest !== undefined) this.#files.delete(oldest);
  }

  /** Notes that a lost worker ended. */
  end(worker: object): void {
    this.#workers.delete(worker);
  }

  /**
   * Checks that a load of a file may begin.
   *
   * @throws {LoadTimeout} the same file was lost within the last ten minutes
   * @throws {TooManyOpens} it is HDF5, to which too many workers are lost
   */
  async require(path: string): Promise<void> {
    const known = await this.#files.get(path);
    const isRecent = known !== undefined && this.#clock.now() - known.at < REMEMBERED_MS;
    if (isRecent && known.mark !== null && known.mark === await readFileMark(path)) {
      throw new LoadTimeout(
        `${
          quoted(basename(path))
        } was opened less than ten minutes ago, took too long and could not be stopped`,
      );
    }
    if (known !== undefined && !isRecent && ![...this.#workers.values()].includes(path)) {
      this.#files.delete(path);
    }
    const lost = await Promise.all([...this.#workers.values()].map((one) => this.#files.get(one)));
    if (lost.filter((one) => one?.isHdf5).length < MAX_LOST_TO_HDF5 || !await isHdf5(path)) return;
    throw new TooManyOpens(
      `${quoted(basename(path))} is HDF5, and ${MAX_LOST_TO_HDF5} stopped loads of HDF5 files do not end; ` +
        `none is opened until one does`,
    );
  }
}

/** Size and time of modification; `null` if the system does not tell. */
async function readFileMark(path: string): Promise<string | null> {
  try {
    const { size, mtime } = await Deno.stat(path);
    return `${size} ${mtime?.getTime()}`;
  } catch {
    return null;
  }
}

/** Whether a file starts like HDF5, perhaps behind a user block; false for one that cannot be read. */
async function isHdf5(path: string): Promise<boolean> {
  try {
    if (!(await Deno.stat(path)).isFile) return false;
    using file = await Deno.open(path);
    const head = new Uint8Array(8);
    for (let at = 0; at <= MAX_USER_BLOCK; at = at === 0 ? 512 : 2 * at) {
      await file.seek(at, Deno.SeekMode.Start);
      if (await file.read(head) !== head.length) return false;
      if (startsHdf5(head)) return true;
    }
  } catch {
    // A file that cannot be read is refused by its reader.
  }
  return false;
}
