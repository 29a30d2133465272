/**
 * Planes at other positions than the opened one, from the cache or from a worker. A plane that several requests ask for is
 * decoded once; decoding stops when the last of them leaves.
 */
import { DecodeFailed, quoted } from "../readers/errors.ts";
import { requireMarksLater } from "../readers/io/paths.ts";
import type { AxisLetter, Position, RowRange } from "../readers/reader.ts";
import { lengthOfAxis, requirePosition } from "../readers/metadata/selection.ts";
import { type DecodedPlanes, decodePlanes, type DecodeResources } from "./decoding.ts";
import { SessionMemoryExceeded, ShuttingDown } from "./errors.ts";
import type { MemoryShare, Reservation } from "./memory_budget.ts";
import { PlaneBuffer } from "./plane_buffer.ts";
import { PlaneCache } from "./plane_cache.ts";
import { type Decode, type LeasedPlane, PlaneJob } from "./plane_job.ts";
import { type PlaneRun, PlaneRuns } from "./plane_runs.ts";
import { predictPositions } from "./read_ahead.ts";
import { RememberedMarks } from "./remembered_marks.ts";
import { nameSession, type Session } from "./store.ts";
import { type Wait, type Waits, waitUnlessAborted } from "./waits.ts";
import { dropSamples, type WorkerClient } from "./worker_client.ts";
import type { RunRange } from "./worker/orders.ts";

/** One plane of a session. */
export interface SessionPlane {
  readonly session: Session;
  readonly channel: number;
  /** May be out of range. */
  readonly position: Position;
}

/** Bytes reserved for the documents of most files. Larger ones say how many they need before they are made. */
const FEW_DOCUMENT_BYTES = 1 << 20;

/** Serves all sessions. */
export class PositionReader {
  readonly #resources: DecodeResources;
  readonly #waits: Waits;
  readonly #cache: PlaneCache;
  /** Jobs of planes and parts of planes that wait or are being decoded, by key. */
  readonly #jobs = new Map<string, PlaneJob>();
  /** The last position of each channel. */
  readonly #last = new WeakMap<Session, Map<number, Position>>();
  readonly #marks = new RememberedMarks();
  readonly #runs: PlaneRuns;
  /** Planes that the most recently served client will probably request next. */
  #ahead: SessionPlane[] = [];
  readonly #aheadJobs = new Set<PlaneJob>();
  /** Settles when the documents of a memory share in memory are released: a page can repeat an open, and so ask for many at once. */
  readonly #sending = new WeakMap<MemoryShare, Promise<void>>();
  /** Number of decodings whose workers are not quiet. */
  #running = 0;

  constructor(resources: DecodeResources, waits: Waits) {
    this.#resources = resources;
    this.#waits = waits;
    this.#runs = new PlaneRuns({ resources, waits, marks: this.#marks });
    const { pool, budget } = resources;
    this.#cache = new PlaneCache(budget.capacity);
    pool.asked = () => {
      for (const job of this.#aheadJobs) if (job.isIdle) job.abandon(new Error("Other work came first"));
    };
    pool.idle = () => this.#readAhead();
    budget.giveUp = (bytes) => {
      const before = budget.used;
      this.#cache.giveUp(bytes);
      pool.giveUp(bytes - (before - budget.used));
    };
  }

  get counts(): { waiting: number; running: number; cached: number } {
    const waiting = this.#resources.pool.waitingPlanes;
    return { waiting, running: this.#running + this.#runs.count, cached: this.#cache.bytes };
  }

  /**
   * The samples of a plane; the answer may hold more rows than are wanted.
   *
   * @throws {PositionOutOfRange | AcquisitionChanged | PlaneNotFound | DecodeFailed}
   * @throws {TooManyOpens | SessionMemoryExceeded | LoadTimeout | SessionNotFound | ClientGone | ShuttingDown}
   */
  async plane(place: SessionPlane, rows: RowRange | null, client: AbortSignal): Promise<LeasedPlane> {
    requirePosition(nameSession(place.session), place.session.summary.axes, place.position);
    using wait = this.#wait(place.session, client);
    const leased = await this.#find(place, rows, wait.signal);
    if (rows === null) {
      const { session, channel, position } = place;
      const last = this.#last.getOrInsertComputed(session, () => new Map());
      this.#ahead = predictPositions(last.get(channel), position).map((next) => ({
        ...place,
        position: next,
      }));
      last.set(channel, position);
      this.#readAhead();
    }
    return leased;
  }

  /** Starts a run of planes. Throws like {@linkcode PlaneRuns.begin}. */
  beginRun(session: Session, range: RunRange, client: AbortSignal, isLimited = true): Promise<PlaneRun> {
    return this.#runs.begin(session, range, client, isLimited);
  }

  /**
   * The metadata documents of the file as JSON. Requests under one memory share take turns: each waits until the previous answer is
   * released. Throws like a plane.
   */
  async documents(session: Session, client: AbortSignal): Promise<PlaneBuffer> {
    using wait = this.#wait(session, client);
    const { memoryShare } = session;
    while (this.#sending.has(memoryShare)) {
      await waitUnlessAborted(this.#sending.get(memoryShare)!, wait.signal);
    }
    const sent = Promise.withResolvers<void>();
    this.#sending.set(memoryShare, sent.promise);
    const end = () => {
      this.#sending.delete(memoryShare);
      sent.resolve();
    };
    const { pool, budget } = this.#resources;
    const about = { key: session.id, source: session.source };
    let memory = budget.tryReserve(FEW_DOCUMENT_BYTES);
    const ask = () => pool.ask(about, { type: "documents", most: memory?.bytes ?? 0 }, wait.signal);
    try {
      let { json, needed } = await ask();
      if (json === null) {
        memory?.release();
        memory = budget.reserve(needed, "The metadata documents");
        ({ json } = await ask());
      }
      const held = memory;
      if (json === null || held === null) {
        throw new DecodeFailed(`The documents of ${quoted(nameSession(session))} change while they are read`);
      }
      held.release(held.bytes - json.length);
      return new PlaneBuffer([json], (buffer) => {
        buffer.transfer(0);
        held.release();
        end();
      });
    } catch (error) {
      memory?.release();
      end();
      throw error;
    }
  }

  /** Encoded marks of the data files that the session has read besides those of its open. */
  marksOf(session: Session): Uint8Array<ArrayBuffer> {
    return this.#marks.of(session);
  }

  close(): void {
    for (const job of this.#jobs.values()) job.abandon(new ShuttingDown());
    this.#cache.drop(() => true);
  }

  forget({ id, ended }: Session): void {
    const isOwn = (key: string) => key.startsWith(`${id} `);
    for (const [key, job] of this.#jobs) if (isOwn(key) && job.isIdle) job.abandon(ended.reason);
    this.#cache.drop(isOwn);
    this.#resources.pool.forget(id);
  }

  #wait(session: Session, client: AbortSignal): Wait {
    return this.#waits.begin(`A plane of ${quoted(nameSession(session))}`, client, session.ended);
  }

  async #find(place: SessionPlane, rows: RowRange | null, signal: AbortSignal): Promise<LeasedPlane> {
    const key = makePlaneIdentity(place);
    const cached = this.#cache.get(key);
    if (cached) {
      const endLease = cached.plane.lease();
      try {
        await requireMarksLater(new Map([...place.session.source.marks, ...cached.files]));
        signal.throwIfAborted();
        return { plane: cached.plane, firstRow: 0, endLease };
      } catch (error) {
        endLease();
        this.#cache.drop((other) => other === key);
        throw error;
      }
    }
    const isWhole = rows === null || this.#jobs.has(key);
    const ownKey = isWhole ? key : `${key} ${rows.start}-${rows.end}`;
    const job = this.#jobs.get(ownKey) ?? this.#begin(ownKey, async (signal) => {
      const worker = await this.#resources.pool.takeForPlane({
        key: place.session.id,
        source: place.session.source,
      }, signal);
      return await this.#decode(place, isWhole ? null : rows, worker, signal);
    });
    return await job.wait(signal);
  }

  #begin(key: string, decode: Decode): PlaneJob {
    const job = new PlaneJob(decode, () => {
      if (this.#jobs.get(key) === job) this.#jobs.delete(key);
      this.#aheadJobs.delete(job);
    });
    this.#jobs.set(key, job);
    return job;
  }

  async #decode(
    place: SessionPlane,
    rows: RowRange | null,
    worker: WorkerClient,
    signal: AbortSignal,
  ): Promise<LeasedPlane> {
    const { session, channel, position } = place;
    const { id, summary, source } = session;
    const { pool, budget } = this.#resources;
    let memory;
    try {
      memory = budget.reserve(4 * summary.rows * summary.columns, "The samples of the plane");
    } catch (error) {
      void pool.giveBack(worker, id);
      throw await preferChange(error, source.marks);
    }
    const wanted = { ...session, key: id, channels: [channel], position, rows, reference: false };
    const { decoded, quiet } = decodePlanes(wanted, worker, this.#resources, signal);
    this.#running += 1;
    void quiet.then(() => this.#running -= 1);
    try {
      const answer = await decoded;
      this.#compareMarks(session, answer);
      return this.#hold(place, answer, memory);
    } catch (error) {
      // A worker that does not stop at once still uses the memory.
      void quiet.then(() => memory.release());
      throw await preferChange(error, source.marks);
    }
  }

  /** Makes a plane of decoded samples; a whole plane goes into the cache. */
  #hold(
    place: SessionPlane,
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
    if (isWhole && !ended.aborted && this.#cache.add(makePlaneIdentity(place), { plane, files })) {
      return { plane, firstRow: 0, endLease };
    }
    endLease();
    return { plane, firstRow: rows.start, endLease: () => plane.release() };
  }

  /** @throws {AcquisitionChanged} a file has changed since it was first read */
  #compareMarks(session: Session, { files, planes }: DecodedPlanes): void {
    try {
      this.#marks.compare(session, files);
    } catch (error) {
      dropSamples({ planes: planes.flat(), referencePlanes: null });
      throw error;
    }
  }

  #readAhead(): void {
    for (let place = this.#ahead.shift(); place !== undefined; place = this.#ahead.shift()) {
      const { session } = place;
      const key = makePlaneIdentity(place);
      if (session.ended.aborted || !isWithinSizes(place)) continue;
      if (this.#cache.has(key) || this.#jobs.has(key)) continue;
      if (!this.#hasRoomAhead(session)) return void (this.#ahead = []);
      const worker = this.#resources.pool.spare(session.id, 0);
      if (worker === null) return void this.#ahead.unshift(place);
      const next = place;
      this.#aheadJobs.add(this.#begin(key, (signal) => this.#decode(next, null, worker, signal)));
      return;
    }
  }

  /** Whether the cache can keep a plane and the budget has room for one more, which a request may need meanwhile. */
  #hasRoomAhead({ summary, working }: Session): boolean {
    const { budget } = this.#resources;
    const planeBytes = 4 * summary.rows * summary.columns;
    const free = budget.capacity - budget.used + this.#cache.bytes;
    return planeBytes <= this.#cache.capacity && 2 * (planeBytes + working.bytes) <= free;
  }
}

/** Reports a changed file in preference to missing memory. */
async function preferChange(error: unknown, marks: ReadonlyMap<string, string>): Promise<unknown> {
  if (!(error instanceof SessionMemoryExceeded)) return error;
  return await requireMarksLater(marks).then(() => error, (change: unknown) => change);
}

const makePlaneIdentity = ({ session, channel, position: { t, l, z } }: SessionPlane): string =>
  `${session.id} ${channel} ${t},${l},${z}`;

function isWithinSizes({ session: { summary }, position: { t, z, l } }: SessionPlane): boolean {
  const isInside = (index: number, axis: AxisLetter) =>
    index >= 0 && index < lengthOfAxis(summary.axes, axis);
  return isInside(t, "T") && isInside(z, "Z") && isInside(l, "L");
}
