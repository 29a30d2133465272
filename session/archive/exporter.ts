/** Exports recordings as ZIP files: validates an order, keeps the archive for a link, and streams it once. */
import { basename } from "node:path";
import { AcquisitionChanged, isLoss, quoted, UnsupportedFormat } from "../../readers/errors.ts";
import {
  type ArchivedRecording,
  type CheckedMembers,
  type OrderFault,
  type ParsedMember,
  type ParsedOrder,
  takeDistinctId,
} from "./content/archive_orders.ts";
import type { Answers, Question } from "../worker/orders.ts";
import type { PackOrder } from "./content/archive_orders.ts";
import type { AcquisitionSummary } from "../acquisition_summary.ts";
import { ERRORS } from "../../schemas/served.ts";
import type { Clock } from "../clock.ts";
import type { DecodeResources } from "../decoding.ts";
import { ClientGone, ExportNotFound, findErrorCode, TooManyExports } from "../errors.ts";
import type { Archive, ExportedMember, ExportedRecording, Packed, Packer } from "./archive.ts";
import { MemoryShare, type Reservation } from "../memory_budget.ts";
import type { DescribedAcquisition, Opener } from "../opener.ts";
import type { PositionReader } from "../position_reader.ts";
import { makeSessionId, type Session, type SessionStore } from "../store.ts";
import { type Waits, waitUnlessAborted } from "../waits.ts";
import { type ExportState, ExportStates, KEPT_SECONDS } from "./export_states.ts";

/** Number of archives that may wait for their download, and of those of one memory share: a page can order any number. */
const MAX_LINKS = 8;
const MAX_LINKS_OF_SHARE = 2;

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
export interface ArchiveLink {
  readonly id: string;
  readonly fileName: string;
  readonly archive: Archive;
  readonly memory: OrderMemory;
}

/** The memory of an order and of its archive, and the memory shares of its recordings. */
export class OrderMemory implements Disposable {
  readonly shares = new Set<MemoryShare>();
  #held = new DisposableStack();

  /** Takes `bytes` of a memory share. @throws {SessionMemoryExceeded} */
  reserve(bytes: number, share: MemoryShare): void {
    this.shares.add(share);
    this.#held.adopt(share.reserveExport(bytes), (held) => held.release());
  }

  /** Takes `bytes` of a memory share in place of all that was taken. @throws {SessionMemoryExceeded} */
  move(bytes: number, share: MemoryShare): void {
    this[Symbol.dispose]();
    this.#held = new DisposableStack();
    this.shares.clear();
    this.reserve(bytes, share);
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }
}

/** The stream of an archive was cut, as its message says. */
class StreamCut extends Error {}

/** How an order is exported. */
export interface ExportRules {
  /** Roots do not apply to paths that the user chose. */
  readonly chosenByUser: boolean;
  readonly version: string;
  readonly memory: OrderMemory;
}

interface WaitingLink {
  readonly link: ArchiveLink;
  /** Ends the wait, for a download. */
  use(): void;
  /** Ends the wait and releases the memory. @param reason why nobody can download it any more */
  drop(reason: string): void;
}

/** A recording of an order; `session` is `null` if its path is given. */
interface OrderedRecording extends DescribedAcquisition {
  readonly session: Session | null;
}

/** Exports of all clients. */
export class Exporter {
  readonly #clock: Clock;
  readonly #resources: DecodeResources;
  readonly #store: SessionStore;
  readonly #opener: Opener;
  readonly #positions: Pick<PositionReader, "marksOf">;
  readonly #waits: Waits;
  /** Bytes of planes that archives hold. */
  #held = 0;
  /** Settles when an archive gives bytes back. */
  #freed = Promise.withResolvers<void>();
  readonly #links = new Map<string, WaitingLink>();
  readonly #states: ExportStates;

  /** `waits` limits the decoding of one position, not that of a whole archive. */
  constructor(
    clock: Clock,
    resources: DecodeResources,
    waits: Waits,
    store: SessionStore,
    opener: Opener,
    positions: Pick<PositionReader, "marksOf">,
  ) {
    this.#clock = clock;
    this.#states = new ExportStates(clock);
    this.#resources = resources;
    this.#waits = waits;
    this.#store = store;
    this.#opener = opener;
    this.#positions = positions;
  }

  /** A memory share of its own for an order of paths, which nobody chose in a dialog. */
  makeShare(): MemoryShare {
    return new MemoryShare(this.#resources.budget);
  }

  /**
   * Parses and validates the body of an order in a worker, which holds its documents from now on. Takes over the bytes.
   *
   * @throws {DecodeFailed} invalid JSON
   */
  async parse(bytes: Uint8Array<ArrayBuffer>, client: AbortSignal): Promise<Answers["parse"]> {
    return await this.#ask({ type: "parse", bytes }, "Parsing the order", client);
  }

  /** Asks a worker something that needs no acquisition. */
  async #ask<Type extends "parse" | "compare">(
    question: Extract<Question, { readonly type: Type }>,
    what: string,
    client: AbortSignal,
  ): Promise<Answers[Type]> {
    using wait = this.#waits.begin(what, client);
    return await this.#resources.pool.ask({ key: makeSessionId(), source: null }, question, wait.signal);
  }

  /**
   * Checks an order and describes its recordings, each once, in workers. Of several recordings, those that cannot be read are left
   * out, with a warning.
   *
   * @throws {OrderRefused} the order breaks the rules of documents v1
   * @throws {SessionNotFound | AcquisitionChanged | ReaderError | LoadTimeout | SessionMemoryExceeded | ClientGone}
   */
  async prepare(order: ParsedOrder, options: ExportRules, signal: AbortSignal): Promise<Archive> {
    const { images = "all" } = order;
    const faults = findRepeatedIds(order.members);
    const ofRecording = Map.groupBy(
      order.members.entries(),
      ([, { sessionId, scene, path }]) => sessionId ?? `${scene ?? ""} ${path}`,
    );
    const found: Omit<ExportedMember, "number">[] = [];
    const warnings: string[] = [];
    const ids = new Set(order.members.flatMap(({ id }) => id ?? []));
    const collections = new Map<string | undefined, string | undefined>();
    const lost: Error[] = [];
    /** Skips a damaged recording, so that the others are exported. */
    const leaveOut = (error: unknown): null => {
      if (ofRecording.size < 2 || !(isLoss(error) || error instanceof UnsupportedFormat)) throw error;
      lost.push(error);
      return null;
    };
    for (const own of ofRecording.values()) {
      const [[, first]] = own as [[number, ParsedMember]];
      const asked = await this.#describe(first, options, signal).catch(leaveOut);
      if (asked === null) continue;
      const { collection } = asked.summary;
      collections.set(collection?.id, collection?.name);
      const orders = own.map(([index, { id, name, json }]) => ({
        index,
        json,
        id: id ?? takeDistinctId(collection?.member.id ?? crypto.randomUUID(), ids),
        name: name ?? collection?.member.name ?? nameRecording(asked.summary),
      }));
      const done = await this.#check(asked, images, orders, options.memory, signal).catch(leaveOut);
      if (done === null) continue;
      const { recording, checked } = done;
      faults.push(...checked.faults);
      for (const [i, { index, ...member }] of orders.entries()) {
        const { hasAnalyses = false, warnings: left = [] } = checked.members[i] ?? {};
        found[index] = { ...member, recording, hasAnalyses };
        warnings.push(...left);
      }
    }
    if (faults.length > 0) throw new OrderRefused(faults);
    if (signal.aborted) throw new ClientGone("The client went away");
    // Without the holes of those that are left out.
    const members = found.filter(() => true).map((member, i) => ({ ...member, number: i + 1 }));
    if (members.length === 0) throw lost[0];
    // A whole collection keeps its name.
    const [common] = collections.size === 1 ? collections.values() : [];
    return archiveOf(order, options.version, { members, warnings, lost, collection: common });
  }

  async #describe(
    { sessionId, path, scene = null }: ParsedMember,
    { chosenByUser, memory }: ExportRules,
    signal: AbortSignal,
  ): Promise<OrderedRecording> {
    const session = sessionId === undefined ? null : this.#store.get(sessionId);
    const described = session ??
      await this.#opener.describe({ path: path!, scene, channelIndices: null, chosenByUser, signal });
    const [ordered = this.makeShare()] = memory.shares;
    memory.reserve(described.summaryBytes, session?.memoryShare ?? ordered);
    return { ...described, session };
  }

  /** Checks members of one recording. Finds damaged planes without decoding them. */
  async #check(
    { summary, source, working, seen, session }: OrderedRecording,
    images: ArchivedRecording["images"],
    members: Extract<Question, { readonly type: "check" }>["members"],
    memory: OrderMemory,
    client: AbortSignal,
  ): Promise<{ readonly recording: ExportedRecording; readonly checked: CheckedMembers }> {
    const { axes, fileSize, sceneCount, warnings } = summary;
    const read = session && this.#positions.marksOf(session);
    const archived: ArchivedRecording = {
      images,
      hasReference: summary.reference !== null,
      warnings,
      shape: { axes, fileSize, sceneCount },
      seen: [...seen, ...read ? [read] : []],
    };
    using wait = this.#waits.begin(`Looking through ${quoted(basename(summary.path))}`, client);
    const checked = await this.#resources.pool.ask(
      { key: makeSessionId(), source },
      { type: "check", recording: archived, members },
      wait.signal,
    );
    const [share] = memory.shares;
    memory.reserve(checked.seen.length, session?.memoryShare ?? share!);
    const { layout, reference } = checked;
    const recording: ExportedRecording = {
      summary,
      source,
      working,
      archived: { ...archived, seen: [...archived.seen, checked.seen] },
      channels: summary.loaded.toSorted((a, b) => a.index - b.index),
      layout,
      reference,
      opened: images === "opened" ? summary.position : null,
    };
    return { recording, checked };
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
      await this.#ask({ type: "compare", seen }, "Comparing the files of the archive", client);
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

  /**
   * The ZIP file of an archive. Its first part is made before this returns, so that a failure until then is thrown; not if it must
   * wait for other archives.
   *
   * @param over called when the stream has ended, with the error that ended it, if any; a {@linkcode ClientGone} if its reader left
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
    const stopped = new AbortController();
    const signal = AbortSignal.any([client, stopped.signal]);
    /** Settles when the planes must wait for those of other archives. */
    const waits = Promise.withResolvers<void>();
    const gone = () => new ClientGone("The client left before the end of the archive");
    const opened = new OneAcquisition(this.#resources.pool);
    const packer = this.#packerOf(archive, opened, signal, waits.resolve);
    const { streamZip } = await import("./archive.ts");
    const reader = streamZip(archive, packer, written).getReader();
    let cancelWatch = () => {};
    let isOver = false;
    const end = (fault: unknown) => {
      if (isOver) return;
      isOver = true;
      opened.close();
      over(fault);
    };
    const fail = (error: unknown): never => {
      end(error);
      throw error;
    };
    /** Stops the work before it waits for its end. */
    const stop = async (reason: unknown, fault: unknown) => {
      cancelWatch();
      stopped.abort(reason);
      await reader.cancel(reason).catch(() => {});
      end(fault);
    };
    const first = reader.read();
    let next: typeof first | null = first;
    await Promise.race([first, waits.promise]).catch(fail);
    const leave = () => void stop(client.reason, gone());
    client.addEventListener("abort", leave, { once: true });
    return new ReadableStream({
      pull: async (controller) => {
        cancelWatch();
        const { done, value } = await (next ?? reader.read()).catch(fail);
        next = null;
        if (done) {
          controller.close();
          return end(null);
        }
        controller.enqueue(value);
        cancelWatch = this.#clock.after(stallMs, () => {
          const fault = new StreamCut(`it moved no byte for ${stallMs / 1000} s`);
          controller.error(fault);
          void stop(fault, fault);
        });
      },
      cancel: (reason) => stop(reason, gone()),
    }, { highWaterMark: 0 });
  }

  /** @param waits called when planes must wait for those of other archives */
  #packerOf(archive: Archive, opened: OneAcquisition, signal: AbortSignal, waits: () => void): Packer {
    const { pool, budget } = this.#resources;
    return {
      pack: (recording, order) => this.#pack(recording, opened.keyOf(recording), order, signal, waits),
      write: async ({ recording, number, id, name, json }, part, { missing = [], contrasts = [] }) => {
        using wait = this.#waits.begin(`The documents of ${quoted(name)}`, signal);
        const about = { key: opened.keyOf(recording), source: recording.source };
        const member = { index: number - 1, id, name, json };
        const { archived } = recording;
        const order = { recording: archived, member, part, missing, contrasts, version: archive.version };
        return await pool.ask(about, { type: "write", ...order }, wait.signal);
      },
      hold: (bytes) => {
        const held = budget.reserve(bytes, "The documents of the archive");
        return () => held.release();
      },
    };
  }

  async #pack(
    { summary, source, working: known }: ExportedRecording,
    key: string,
    order: Omit<PackOrder, "working">,
    client: AbortSignal,
    waits: () => void,
  ): Promise<Packed> {
    const { pool, budget } = this.#resources;
    const { rows, columns } = order.layout;
    // The samples, and as many bytes again for the packed planes.
    const planeBytes = 8 * rows * columns * order.channels.length;
    const giveBack = await this.#turn(planeBytes, client, waits);
    using wait = this.#waits.begin(`The archive of ${quoted(basename(summary.path))}`, client);
    const worker = await pool.takeForPlane({ key, source }, wait.signal).catch((error: unknown) => {
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
          return { planes: packed.planes, contrasts: packed.contrasts, release };
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
  async #turn(bytes: number, client: AbortSignal, waits: () => void): Promise<(bytes: number) => void> {
    while (this.#held > 0 && this.#held + bytes > MAX_PLANE_BYTES) {
      waits();
      await waitUnlessAborted(this.#freed.promise, client);
    }
    this.#held += bytes;
    return (part) => {
      this.#held -= part;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    };
  }

  close(): void {
    for (const { drop } of [...this.#links.values()]) drop("The server is stopping");
    this.#states.close();
  }
}

/** Keeps the acquisition of one recording open at a time. */
class OneAcquisition {
  readonly #pool;
  #current: { readonly recording: ExportedRecording; readonly key: string } | null = null;

  constructor(pool: DecodeResources["pool"]) {
    this.#pool = pool;
  }

  keyOf(recording: ExportedRecording): string {
    if (this.#current?.recording === recording) return this.#current.key;
    this.close();
    const key = makeSessionId();
    this.#current = { recording, key };
    this.#pool.retain(key);
    return key;
  }

  close(): void {
    if (this.#current !== null) this.#pool.forget(this.#current.key);
    this.#current = null;
  }
}

/** The archive of an order. @param of its members, what was left out, and the name of their only collection */
function archiveOf(
  { id, name, images = "all" }: ParsedOrder,
  version: string,
  { members, warnings, lost, collection }: {
    members: readonly ExportedMember[];
    warnings: readonly string[];
    lost: readonly Error[];
    collection: string | undefined;
  },
): Archive {
  const [only] = members.length === 1 ? members : [];
  const hasImages = images !== "none";
  const rounded = members.filter(({ recording }) => hasImages && recording.layout.isRounded);
  return {
    id: id ?? crypto.randomUUID(),
    name: name ?? only?.name ?? collection ?? `${members.length} recordings`,
    hasImages,
    members,
    leftOut: lost.length,
    warnings: limitWarnings([
      ...lost.map(({ message }) => `${message}; it is left out`),
      ...rounded.map(({ name }) => `The samples of ${quoted(name)} are written as the nearest float32`),
      ...warnings,
    ]),
    version,
  };
}

/** Largest number of warnings about an archive; a collection may lack a thousand tables. */
const MAX_WARNINGS = 100;

const limitWarnings = (all: readonly string[]): readonly string[] => {
  const warnings = [...new Set(all)];
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `And ${more} more`] : warnings;
};

/** A fault for each id that an earlier member has, too. */
function findRepeatedIds(members: readonly ParsedMember[]): OrderFault[] {
  const first = new Map<string, number>();
  return members.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    const path = ["members", String(index), "id"];
    return earlier === undefined
      ? []
      : [{ path, message: `member ${earlier} has the id ${quoted(id)}, too` }];
  });
}

/** Name of the recording: its file name, and the scene's name if there are several scenes. */
function nameRecording({ path, scene, sceneCount, scenes }: AcquisitionSummary): string {
  const name = basename(path);
  return sceneCount > 1 ? `${name} ${scenes[scene]?.name ?? `Scene ${scene + 1}`}` : name;
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
