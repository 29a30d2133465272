/** Exports recordings as ZIP files: validates an order, keeps the archive for a link, and streams it once. */
import { basename } from "node:path";
import { quoted } from "../readers/errors.ts";
import { requireMarksLater } from "../readers/io/paths.ts";
import type { Clock } from "./clock.ts";
import type { DecodeResources } from "./decoding.ts";
import { ExportNotFound, TooManyExports } from "./errors.ts";
import type { Reservation } from "./memory_budget.ts";
import type { Opener } from "./opener.ts";
import { newSessionId, type SessionStore } from "./store.ts";
import { untilAborted, type Waits } from "./waits.ts";
import type { Archive, Packer } from "./export/archive.ts";
import type { ExportedMember, ExportOrder, OrderFault } from "./export/member_documents.ts";

const MAX_LINKS = 8;

/** Bytes of planes that all archives may hold together; a further archive waits. One archive alone may hold more. */
const MAX_PLANE_BYTES = 128 << 20;

/** Seconds in which a download can begin. */
export const LINK_SECONDS = 600;

/** An order with faults. */
export class OrderRefused extends Error {
  constructor(readonly faults: readonly OrderFault[]) {
    super(faults.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  }
}

/** An archive that waits for its download. */
export interface Link {
  readonly id: string;
  readonly fileName: string;
  readonly warnings: readonly string[];
  readonly archive: Archive;
  readonly memory: DisposableStack;
}

/** Exports of all clients. */
export class Exporter {
  readonly #clock: Clock;
  readonly #resources: DecodeResources;
  readonly #store: SessionStore;
  readonly #opener: Opener;
  readonly #waits: Waits;
  /** Bytes of planes that archives hold. */
  #held = 0;
  /** Settles when an archive gives bytes back. */
  #freed = Promise.withResolvers<void>();
  readonly #links = new Map<string, { readonly link: Link; use(): void }>();

  /** `waits` limits the decoding of one position, not that of a whole archive. */
  constructor(clock: Clock, resources: DecodeResources, waits: Waits, store: SessionStore, opener: Opener) {
    this.#clock = clock;
    this.#resources = resources;
    this.#waits = waits;
    this.#store = store;
    this.#opener = opener;
  }

  /** Reserves memory for an order and its body; disposing of it releases it. @throws {SessionMemoryExceeded} */
  hold(bytes: number): DisposableStack {
    const memory = new DisposableStack();
    this.#reserve(bytes, memory);
    return memory;
  }

  #reserve(bytes: number, memory: DisposableStack): void {
    memory.adopt(
      this.#resources.budget.reserve(bytes, "The documents of the export"),
      (held) => held.release(),
    );
  }

  /** Parses the body of an order in a worker: a body of 27 MiB takes a third of a second. @throws {DecodeFailed} invalid JSON */
  async parse(bytes: Uint8Array<ArrayBuffer>, client: AbortSignal): Promise<unknown> {
    using wait = this.#waits.begin("Parsing the order", client);
    const about = { key: newSessionId(), source: null };
    return await this.#resources.pool.ask(about, { type: "parse", bytes }, wait.signal);
  }

  /**
   * Validates an order and describes its recordings. Roots do not apply to paths that are `chosenByUser`.
   *
   * @throws {OrderRefused} the order breaks the rules of documents v1
   * @throws {SessionNotFound | AcquisitionChanged | ReaderError | LoadTimeout | SessionMemoryExceeded}
   */
  async prepare(
    order: ExportOrder,
    options: { readonly chosenByUser: boolean; readonly version: string; readonly memory: DisposableStack },
    signal: AbortSignal,
  ): Promise<Archive> {
    // The schemas of documents are loaded on first use.
    const { exportedMember, memberFaults } = await import("./export/member_documents.ts");
    const members: ExportedMember[] = [];
    const faults: OrderFault[] = [];
    for (const [index, asked] of order.members.entries()) {
      const { sessionId, path, scene = null } = asked;
      const described = sessionId === undefined
        ? await this.#opener.describe({ ...options, path: path!, scene, channelIndices: null, signal })
        : this.#store.get(sessionId);
      this.#reserve(described.summaryBytes, options.memory);
      const member = exportedMember(asked, index, order, described);
      faults.push(...memberFaults(member, index), ...await this.#tableFaults(member, index, signal));
      members.push(member);
    }
    const ids = members.map(({ id }) => id);
    for (const [index, id] of ids.entries()) {
      const first = ids.indexOf(id);
      const path = ["members", String(index), "id"];
      if (first < index) faults.push({ path, message: `member ${first} has the id ${quoted(id)}, too` });
    }
    if (faults.length > 0) throw new OrderRefused(faults);
    const hasImages = order.images !== "none";
    for (const { summary, source, channels } of hasImages ? members : []) {
      // Finds damaged planes without decoding them.
      using wait = this.#waits.begin(`Looking through ${quoted(basename(summary.path))}`, signal);
      const indices = channels.map(({ index }) => index);
      await this.#resources.pool.ask(
        { key: newSessionId(), source },
        { type: "survey", channels: indices },
        wait.signal,
      );
    }
    const [only] = members.length === 1 ? members : [];
    const name = order.name ?? only?.name ?? `${members.length} recordings`;
    return { id: order.id ?? crypto.randomUUID(), name, hasImages, members, version: options.version };
  }

  /** Validates the tables of a member in a worker: a table of 27 MiB takes a second. */
  async #tableFaults({ order }: ExportedMember, index: number, client: AbortSignal): Promise<OrderFault[]> {
    const tables = (order.analyses ?? []).flatMap(({ tables }, i) =>
      tables.map(({ csv }, j) => ({
        csv,
        path: ["members", String(index), "analyses", String(i), "tables", String(j), "csv"],
      }))
    );
    if (tables.length === 0) return [];
    using wait = this.#waits.begin("Judging the tables", client);
    const problems = await this.#resources.pool.ask(
      { key: newSessionId(), source: null },
      { type: "judge", tables: tables.map(({ csv }) => csv) },
      wait.signal,
    );
    return tables.flatMap(({ path }, i) => problems[i] == null ? [] : [{ path, message: problems[i] }]);
  }

  /** Keeps an archive for ten minutes; the memory is released with the link unless it is used. @throws {TooManyExports} */
  link(archive: Archive, memory: DisposableStack): Link {
    if (this.#links.size >= MAX_LINKS) {
      throw new TooManyExports(
        `${MAX_LINKS} archives wait for their download already; try again in a moment`,
        { retryAfter: 2 },
      );
    }
    const id = newSessionId();
    const link: Link = {
      id,
      fileName: fileName(archive.name),
      archive,
      // What users should know before they share the archive.
      warnings: archive.members.filter(({ layout }) => archive.hasImages && layout.isRounded)
        .map(({ name }) => `The samples of ${quoted(name)} are written as the nearest float32`),
      memory,
    };
    const use = () => {
      cancel();
      this.#links.delete(id);
    };
    const cancel = this.#clock.after(LINK_SECONDS * 1000, () => {
      use();
      memory.dispose();
    });
    this.#links.set(id, { link, use });
    return link;
  }

  /**
   * Returns a link, and uses it up unless `stays`; the caller then releases its memory.
   *
   * @throws {ExportNotFound | AcquisitionChanged}
   */
  async take(id: string, stays: boolean): Promise<Link> {
    const found = this.#links.get(id);
    if (found === undefined) {
      throw new ExportNotFound(
        `No archive ${quoted(id.slice(0, 64))}; a link works once, within ${LINK_SECONDS} s`,
      );
    }
    const { link, use } = found;
    if (!stays) use();
    try {
      for (const { source } of link.archive.members) await requireMarksLater(source.marks);
    } catch (error) {
      if (!stays) link.memory.dispose();
      throw error;
    }
    return link;
  }

  /**
   * The ZIP file of an archive.
   *
   * @param over called when the stream has ended, with the error that ended it, if any
   * @param written called with the number of planes that are in the archive
   * @param stallMs the stream is cut if its reader waits for this long. Slow decoding does not cut it.
   */
  async stream(
    archive: Archive,
    client: AbortSignal,
    over: (fault: unknown) => void,
    written: (planes: number) => void = () => {},
    stallMs = Infinity,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { pool } = this.#resources;
    const gone = new AbortController();
    const signal = AbortSignal.any([client, gone.signal]);
    /** One acquisition stays open at a time. */
    let current: { readonly member: ExportedMember; readonly key: string } | null = null;
    const close = () => {
      if (current !== null) pool.forget(current.key);
      current = null;
    };
    const pack: Packer = (member, order) => {
      if (current?.member !== member) {
        close();
        current = { member, key: newSessionId() };
        pool.retain(current.key);
      }
      return this.#pack(member, current.key, order, signal);
    };
    const { zipOf } = await import("./export/archive.ts");
    const reader = (await zipOf(archive, pack, written)).getReader();
    let cancelWatch = () => {};
    const end = (fault: unknown) => {
      close();
      over(fault);
    };
    /** Stops the work before it waits for its end. */
    const stop = async (reason: unknown, fault: unknown) => {
      cancelWatch();
      gone.abort(reason);
      await reader.cancel(reason).catch(() => {});
      end(fault);
    };
    return new ReadableStream({
      pull: async (controller) => {
        cancelWatch();
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return end(null);
          }
          controller.enqueue(value);
        } catch (error) {
          end(error);
          throw error;
        }
        cancelWatch = this.#clock.after(stallMs, () => {
          const fault = new Error(`it moved no byte for ${stallMs / 1000} s`);
          controller.error(fault);
          void stop(fault, fault);
        });
      },
      cancel: (reason) => stop(reason, null),
    }, { highWaterMark: 0 });
  }

  async #pack(
    { summary, source, working: known }: ExportedMember,
    key: string,
    order: Parameters<Packer>[1],
    client: AbortSignal,
  ): ReturnType<Packer> {
    const { pool, budget } = this.#resources;
    const { rows, columns } = order.layout;
    // The samples, and as many bytes again for the packed planes.
    const planeBytes = 8 * rows * columns * order.channels.length;
    const giveBack = await this.#turn(planeBytes, client);
    using wait = this.#waits.begin(`The archive of ${quoted(basename(summary.path))}`, client);
    const worker = await pool.takeForPlane(key, wait.signal).catch((error: unknown) => {
      giveBack(planeBytes);
      throw error;
    });
    let memory: Reservation | null = null;
    try {
      for (let working = known;;) {
        const held = budget.reserve(planeBytes + working.bytes, "The planes of the archive");
        memory = held;
        const packed = await worker.ask(
          { key, source },
          { type: "pack", order: { ...order, working } },
          wait.signal,
        );
        if (packed.planes !== null) {
          const bytes = packed.planes.flatMap((chunks) => chunks ?? []).reduce(
            (sum, { length }) => sum + length,
            0,
          );
          held.release(held.bytes - bytes);
          giveBack(planeBytes - bytes);
          const release = () => {
            giveBack(bytes);
            held.release();
          };
          return { planes: packed.planes, release };
        }
        held.release();
        working = packed.working;
      }
    } catch (error) {
      void worker.quiet.then(() => {
        memory?.release();
        giveBack(planeBytes);
      });
      throw error;
    } finally {
      void pool.giveBack(worker, key);
    }
  }

  /**
   * Waits until the archives hold few enough planes for `bytes` more, and returns a function that gives bytes back. No time-out
   * applies: the archive of a client that stalls is cut off, and that of a slow client goes on.
   */
  async #turn(bytes: number, client: AbortSignal): Promise<(bytes: number) => void> {
    while (this.#held > 0 && this.#held + bytes > MAX_PLANE_BYTES) {
      await untilAborted(this.#freed.promise, client);
    }
    this.#held += bytes;
    return (part) => {
      this.#held -= part;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    };
  }

  close(): void {
    for (const { link, use } of [...this.#links.values()]) {
      use();
      link.memory.dispose();
    }
  }
}

/** Characters that some system forbids in file names. */
const FORBIDDEN = /[\p{Cc}<>:"/\\|?*]+/gu;

/** Longest file name in bytes: file systems accept 255, and browsers append ` (1)` to some names. */
const MAX_NAME_BYTES = 200;

function fileName(name: string): string {
  const plain = name.toWellFormed().replace(FORBIDDEN, "_");
  // `encodeInto` never cuts a character in two.
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(MAX_NAME_BYTES));
  return `${plain.slice(0, read).replace(/^[. ]+|[. ]+$/g, "") || "archive"}.zip`;
}
