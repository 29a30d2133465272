/** Archives that wait for their download: each for ten minutes, and for one download. */
import { AcquisitionChanged, quoted } from "../../readers/errors.ts";
import { ERRORS } from "../../schemas/served.ts";
import type { Clock } from "../clock.ts";
import { ExportNotFound, findErrorCode, TooManyExports } from "../errors.ts";
import { makeSessionId } from "../store.ts";
import type { Archive } from "./archive.ts";
import { StreamCut } from "./archive_stream.ts";
import { type ExportState, ExportStates, KEPT_SECONDS } from "./export_states.ts";
import type { OrderMemory } from "./order_memory.ts";

/** Number of archives that may wait for their download, and of those of one memory share: a page can order any number. */
const MAX_LINKS = 8;
const MAX_LINKS_OF_SHARE = 2;

/** Seconds in which a download can begin. */
export const LINK_SECONDS = 600;

/** An archive that waits for its download. */
export interface ArchiveLink {
  readonly id: string;
  readonly fileName: string;
  readonly archive: Archive;
  readonly memory: OrderMemory;
}

interface WaitingLink {
  readonly link: ArchiveLink;
  /** Ends the wait, for a download. */
  use(): void;
  /** Ends the wait and releases the memory. @param reason why nobody can download it any more */
  drop(reason: string): void;
}

/** Compares the files of an archive with their encoded marks. @throws {AcquisitionChanged} */
export type CompareMarks = (
  seen: readonly Uint8Array<ArrayBuffer>[],
  client: AbortSignal,
) => Promise<unknown>;

/** Links of all clients. */
export class ArchiveLinks {
  readonly #clock: Clock;
  readonly #compare: CompareMarks;
  readonly #links = new Map<string, WaitingLink>();
  readonly #states: ExportStates;

  constructor(clock: Clock, compare: CompareMarks) {
    this.#clock = clock;
    this.#compare = compare;
    this.#states = new ExportStates(clock);
  }

  /**
   * Keeps an archive for ten minutes; the memory is released with the link unless it is used. Replaces the oldest archive that waits
   * of the same memory share, if there are two.
   *
   * @throws {TooManyExports}
   */
  link(archive: Archive, memory: OrderMemory): ArchiveLink {
    for (const share of memory.shares) {
      const own = [...this.#links.values()].filter(({ link }) => link.memory.shares.has(share));
      if (own.length >= MAX_LINKS_OF_SHARE) {
        own[0]!.drop("Further archives were ordered before it was downloaded");
      }
    }
    if (this.#links.size >= MAX_LINKS) {
      throw new TooManyExports(
        `${MAX_LINKS} archives wait for their download already; try again in a moment`,
        { retryAfter: 2 },
      );
    }
    const id = makeSessionId();
    const link: ArchiveLink = { id, fileName: makeArchiveName(archive.name), archive, memory };
    const use = () => {
      cancel();
      this.#links.delete(id);
    };
    const drop = (reason: string) => {
      use();
      memory[Symbol.dispose]();
      this.#states.end(id, reason);
    };
    const late = () => drop(`It was not downloaded within ${LINK_SECONDS} s`);
    const cancel = this.#clock.after(LINK_SECONDS * 1000, late);
    this.#links.set(id, { link, use, drop });
    this.#states.begin(id, "waiting");
    return link;
  }

  /**
   * Returns a link, and uses it up unless `stays`; the caller then releases its memory.
   *
   * @throws {ExportNotFound | AcquisitionChanged}
   */
  async take(id: string, stays: boolean, client: AbortSignal): Promise<ArchiveLink> {
    const { link, drop } = this.#find(id);
    const recordings = new Set(link.archive.members.map(({ recording }) => recording));
    const seen = [...recordings].flatMap(({ archived }) => archived.seen);
    try {
      await this.#compare(seen, client);
    } catch (error) {
      if (error instanceof AcquisitionChanged && !stays) drop(error.message);
      throw error;
    }
    // Somebody else may have used it meanwhile.
    const { use } = this.#find(id);
    if (stays) return link;
    use();
    this.#states.begin(id, "streaming");
    return link;
  }

  /** How far the archive of a link is. @throws {ExportNotFound} */
  stateOf(id: string): ExportState {
    const found = this.#states.of(id);
    if (found !== null) return found;
    const text = `No archive ${
      quoted(id.slice(0, 64))
    }; its state is known until ${KEPT_SECONDS} s after its end`;
    throw new ExportNotFound(text);
  }

  /** Notes the end of a download. @param fault that ended it, or `null` */
  ended(id: string, fault: unknown): void {
    const known = fault === null || findErrorCode(fault) !== null || fault instanceof StreamCut;
    const message = fault === null ? null : known ? (fault as Error).message : ERRORS.internal_error[1];
    this.#states.end(id, message);
  }

  #find(id: string): WaitingLink {
    const found = this.#links.get(id);
    if (found !== undefined) return found;
    const text = `No archive ${quoted(id.slice(0, 64))}; a link works once, within ${LINK_SECONDS} s`;
    throw new ExportNotFound(text);
  }

  close(): void {
    for (const { drop } of [...this.#links.values()]) drop("The server is stopping");
    this.#states.close();
  }
}

/** Characters that some system forbids in file names. */
const FORBIDDEN = /[\p{Cc}<>:"/\\|?*]+/gu;

/** Longest file name in bytes: file systems accept 255, and browsers append ` (1)` to some names. */
const MAX_NAME_BYTES = 200;

function makeArchiveName(name: string): string {
  const plain = name.toWellFormed().replace(FORBIDDEN, "_");
  // `encodeInto` never cuts a character in two.
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(MAX_NAME_BYTES));
  return `${plain.slice(0, read).replace(/^[. ]+|[. ]+$/g, "") || "archive"}.zip`;
}
