/**
 * Planes at other positions than the opened one: from the cache, or decoded by a worker that keeps the acquisition open. The same
 * plane asked for twice is decoded once; what nobody waits for any more is given up.
 */
import { basename } from "node:path";
import { quoted } from "../readers/errors.ts";
import { changed, requireMarksLater } from "../readers/io/file_mark.ts";
import type { MetadataDocument } from "../readers/io/document_list.ts";
import type { Position, RowRange } from "../readers/reader.ts";
import { requirePosition } from "../readers/request_bounds.ts";
import type { Clock } from "./clock.ts";
import { type DecodedPlanes, decodePlanes, type DecodeResources } from "./decoding.ts";
import { SessionMemoryExceeded, ShuttingDown } from "./errors.ts";
import type { Reservation } from "./memory_budget.ts";
import { PlaneBuffer } from "./plane_buffer.ts";
import type { Session } from "./store.ts";
import { Waits } from "./waits.ts";
import { dropSamples, type WorkerClient } from "./worker_client.ts";
import { PlaneCache } from "./plane_cache.ts";
import { PlaneJob, type Work } from "./plane_job.ts";
import { Steps } from "./read_ahead.ts";

/** One plane of a session. */
export interface PlanePlace {
  /** Live session that has loaded the channel. */
  readonly session: Session;
  /** Channel index. */
  readonly channel: number;
  /** Not judged yet. */
  readonly position: Position;
}

/** A plane, or some of its rows, that stays in memory until the lease ends. */
export interface LeasedPlane {
  /** The samples from `firstRow` on. */
  readonly plane: PlaneBuffer;
  /** First row that `plane` holds. */
  readonly firstRow: number;
  /** Ends the lease. */
  endLease(): void;
}

/** Data files of one session whose state is remembered; those beyond count as new each time. */
const MAX_REMEMBERED = 4096;

/** What of a plane is wanted. */
interface Part {
  /** Wanted rows; `null` for all. */
  readonly rows: RowRange | null;
  /** False when the plane is judged and not decoded. */
  readonly decode: boolean;
}

/** Serves all sessions. */
export class PositionReader {
  readonly #resources: DecodeResources;
  readonly #waits: Waits;
  readonly #cache: PlaneCache;
  /** Planes and parts of planes that wait or are decoded, by their keys. */
  readonly #jobs = new Map<string, PlaneJob<LeasedPlane | null>>();
  readonly #steps = new Steps();
  /** What the data files of each session were when they were read first, by resolved path. */
  readonly #remembered = new WeakMap<Session, Map<string, string>>();
  /** Planes that the client that was served last will ask for next. */
  #ahead: PlanePlace[] = [];
  /** Planes that are read ahead. */
  readonly #aheadJobs = new Set<PlaneJob<LeasedPlane | null>>();
  /** Jobs whose workers are not quiet. */
  #running = 0;

  /** Nothing is decoded yet. `timeoutSeconds` is what a plane may take, from the arrival of its request. */
  constructor(clock: Clock, resources: DecodeResources, timeoutSeconds: number) {
    this.#waits = new Waits(clock, timeoutSeconds);
    this.#resources = resources;
    const { pool, budget } = resources;
    this.#cache = new PlaneCache(budget.capacity);
    pool.asked = () => this.#stopAhead();
    pool.idle = () => this.#readAhead();
    budget.giveUp = (bytes) => {
      const before = budget.used;
      this.#cache.giveUp(bytes);
      pool.giveUp(bytes - (before - budget.used));
    };
  }

  /** Planes that wait and that are decoded, and bytes of the cache. */
  get counts(): { waiting: number; running: number; cached: number } {
    const waiting = this.#resources.pool.waitingPlanes;
    return { waiting, running: this.#running, cached: this.#cache.bytes };
  }

  /**
   * The samples of a plane.
   *
   * @param rows wanted ones; `null` for all. More may be given
   * @param client aborted when the client goes away
   * @throws {PositionOutOfRange | AcquisitionChanged | PlaneNotFound | DecodeFailed}
   * @throws {TooManyOpens | SessionMemoryExceeded | LoadTimeout | SessionNotFound | ClientGone | ShuttingDown}
   */
  async plane(place: PlanePlace, rows: RowRange | null, client: AbortSignal): Promise<LeasedPlane> {
    requirePosition(nameOf(place.session), place.session.summary.axes, place.position);
    const leased = await this.#waitFor(place.session, client, (signal) => this.#find(place, rows, signal));
    if (rows === null) {
      const streams = this.#steps.note(`${place.session.id} ${place.channel}`, place.position);
      this.#ahead = streams.map((position) => ({ ...place, position }));
      this.#readAhead();
    }
    return leased;
  }

  /** Judges a plane without decoding it. @throws as {@linkcode plane} */
  async judge(place: PlanePlace, client: AbortSignal): Promise<void> {
    requirePosition(nameOf(place.session), place.session.summary.axes, place.position);
    await this.#waitFor(place.session, client, async (signal) => {
      const cached = this.#cache.get(keyOf(place));
      if (cached) return await this.#requireUnchanged(place.session, cached.files);
      const job = this.#begin(place, `${keyOf(place)} judged`, { rows: null, decode: false });
      await job.wait(signal, () => {});
    });
  }

  /** The metadata documents of the file. @throws as {@linkcode plane} */
  async documents(session: Session, client: AbortSignal): Promise<readonly MetadataDocument[]> {
    const { pool } = this.#resources;
    const work: Work<readonly MetadataDocument[]> = {
      run: async (worker, signal) => {
        try {
          return await worker.documents(session.id, session.source, signal);
        } finally {
          this.#untilQuiet(worker.quiet.then(() => pool.giveBack(worker, session.id)));
        }
      },
      dispose: () => {},
    };
    return await this.#waitFor(session, client, (signal) => {
      const job = new PlaneJob(work);
      this.#start(session, job);
      return job.wait(signal, (documents) => documents);
    });
  }

  /** Ends all work. */
  close(): void {
    this.#waits.close();
    for (const job of this.#jobs.values()) job.abandon(new ShuttingDown("The server is stopping"));
    this.#cache.drop(() => true);
  }

  /** Drops what is kept for a session that has ended. */
  forget({ id, ended }: Session): void {
    const isOwn = (key: string) => key.startsWith(`${id} `);
    for (const [key, job] of this.#jobs) if (isOwn(key) && job.isIdle) job.abandon(ended.reason);
    this.#cache.drop(isOwn);
    this.#steps.forget(isOwn);
    this.#resources.pool.forget(id);
  }

  #waitFor<T>(session: Session, client: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const what = `A plane of ${quoted(nameOf(session))}`;
    return this.#waits.during(what, { client, session: session.ended }, work);
  }

  async #find(place: PlanePlace, rows: RowRange | null, signal: AbortSignal): Promise<LeasedPlane> {
    const key = keyOf(place);
    const cached = this.#cache.get(key);
    if (cached) {
      const endLease = cached.plane.lease();
      try {
        await this.#requireUnchanged(place.session, cached.files);
        signal.throwIfAborted();
        return { plane: cached.plane, firstRow: 0, endLease };
      } catch (error) {
        endLease();
        this.#cache.drop((other) => other === key);
        throw error;
      }
    }
    // The whole plane may be on its way.
    const whole = this.#jobs.get(key);
    const job = rows === null || whole
      ? whole ?? this.#begin(place, key, { rows: null, decode: true })
      : this.#begin(place, `${key} ${rows.start}-${rows.end}`, { rows, decode: true });
    return await job.wait(signal, (decoded) => {
      const { plane, firstRow } = decoded!;
      return { plane, firstRow, endLease: plane.lease() };
    });
  }

  /** The work of a plane, which may have begun already, or may have been refused at once. */
  #begin(
    place: PlanePlace,
    key: string,
    part: Part,
  ): PlaneJob<LeasedPlane | null> {
    const before = this.#jobs.get(key);
    if (before) return before;
    const job = this.#job(place, key, part);
    this.#jobs.set(key, job);
    this.#start(place.session, job);
    return job;
  }

  /** Has a job done when there is a worker. */
  #start<Result>({ id }: Session, job: PlaneJob<Result>): void {
    void job.run(this.#resources.pool.takeForPlane(id, job.signal));
  }

  /** Counts work until its workers are quiet. */
  #untilQuiet(quiet: Promise<void>): void {
    this.#running += 1;
    void quiet.then(() => this.#running -= 1);
  }

  /** Gives up what is read ahead and nobody waits for. */
  #stopAhead(): void {
    for (const job of this.#aheadJobs) if (job.isIdle) job.abandon(new Error("Other work came first"));
  }

  #job(place: PlanePlace, key: string, part: Part): PlaneJob<LeasedPlane | null> {
    const job = new PlaneJob<LeasedPlane | null>({
      run: async (worker, signal) => {
        const leased = await this.#decode(place, part, worker, signal);
        done();
        return leased;
      },
      dispose: (leased) => leased?.endLease(),
    });
    const done = () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key);
      this.#aheadJobs.delete(job);
    };
    job.signal.addEventListener("abort", done, { once: true });
    return job;
  }

  /** Has a worker decode a plane, which is held here. */
  async #decode(
    place: PlanePlace,
    { rows, decode }: Part,
    worker: WorkerClient,
    signal: AbortSignal,
  ): Promise<LeasedPlane | null> {
    const { session, channel, position } = place;
    const { summary, source, working, division } = session;
    const { pool, budget } = this.#resources;
    let memory;
    try {
      memory = budget.reserve(4 * summary.rows * summary.columns, "The samples of the plane");
    } catch (error) {
      pool.giveBack(worker, session.id);
      throw await changeOr(error, session);
    }
    const wanted = {
      key: session.id,
      source,
      channels: [channel],
      position,
      shape: summary,
      rows,
      reference: false,
      decode,
      working,
      division,
    };
    const { decoded, quiet } = decodePlanes(wanted, worker, this.#resources, signal);
    this.#untilQuiet(quiet);
    try {
      const answer = await decoded;
      this.#remember(session, answer);
      if (decode) return this.#hold(place, answer, memory);
      memory.release();
      return null;
    } catch (error) {
      // A worker that does not stop at once uses it for a while.
      void quiet.then(() => memory.release());
      throw await changeOr(error, session);
    }
  }

  /** Makes a plane of what was decoded; a whole one goes into the cache. */
  #hold(
    place: PlanePlace,
    { planes: [parts = []], rows, files }: DecodedPlanes,
    memory: Reservation,
  ): LeasedPlane {
    const plane = new PlaneBuffer(parts, (buffer, bytes) => {
      this.#resources.memory.give(buffer, bytes);
      memory.release(bytes);
    });
    memory.release(memory.bytes - plane.byteLength);
    const { summary, ended } = place.session;
    const isWhole = rows.start === 0 && rows.end === summary.rows;
    const endLease = plane.lease();
    if (isWhole && !ended.aborted && this.#cache.add(keyOf(place), { plane, files })) {
      return { plane, firstRow: 0, endLease };
    }
    endLease();
    return { plane, firstRow: rows.start, endLease: () => plane.release() };
  }

  /** Notes what data files are now. @throws {AcquisitionChanged} one was read before and is another one now */
  #remember(session: Session, decoded: DecodedPlanes): void {
    const remembered = this.#remembered.getOrInsertComputed(session, () => new Map());
    for (const [path, mark] of decoded.files) {
      const before = session.source.marks.get(path) ?? remembered.get(path);
      if (before !== undefined && before !== mark) {
        dropSamples({ planes: decoded.planes.flat(), referencePlanes: null });
        throw changed(path);
      }
      if (before === undefined && remembered.size < MAX_REMEMBERED) remembered.set(path, mark);
    }
  }

  #requireUnchanged(session: Session, files: ReadonlyMap<string, string>): Promise<void> {
    return requireMarksLater(new Map([...session.source.marks, ...files]));
  }

  /**
   * Whether a plane can be kept until it is asked for, and leaves room for the one that is asked for meanwhile: work that is given
   * up holds its memory until the worker is quiet.
   */
  #hasRoomAhead({ summary, working }: Session): boolean {
    const { budget } = this.#resources;
    const planeBytes = 4 * summary.rows * summary.columns;
    const free = budget.capacity - budget.used + this.#cache.bytes;
    return planeBytes <= this.#cache.capacity && 2 * (planeBytes + working.bytes) <= free;
  }

  /** Decodes the next plane that will be asked for, while nothing else is to be done. */
  #readAhead(): void {
    for (let place = this.#ahead.shift(); place !== undefined; place = this.#ahead.shift()) {
      const key = keyOf(place);
      if (place.session.ended.aborted || !isWithin(place)) continue;
      if (this.#cache.has(key) || this.#jobs.has(key)) continue;
      if (!this.#hasRoomAhead(place.session)) return void (this.#ahead = []);
      const job = this.#job(place, key, { rows: null, decode: true });
      const worker = this.#resources.pool.takeAhead(place.session.id);
      if (worker === null) return void this.#ahead.unshift(place);
      this.#jobs.set(key, job);
      this.#aheadJobs.add(job);
      return void job.run(Promise.resolve(worker));
    }
  }
}

/** Reports a changed file before missing memory. */
async function changeOr(error: unknown, { source }: Session): Promise<unknown> {
  if (!(error instanceof SessionMemoryExceeded)) return error;
  return await requireMarksLater(source.marks).then(() => error, (change: unknown) => change);
}

const nameOf = ({ summary }: Session): string => basename(summary.path);

const keyOf = ({ session, channel, position: { t, l, z } }: PlanePlace): string =>
  `${session.id} ${channel} ${t},${l},${z}`;

function isWithin({ session, position }: PlanePlace): boolean {
  const size = (name: string) => session.summary.axes.find((axis) => axis.name === name)?.size ?? 1;
  const inside = (index: number, name: string) => index >= 0 && index < size(name);
  return inside(position.t, "T") && inside(position.z, "Z") && inside(position.l, "L");
}
