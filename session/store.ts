/** Sessions: ids, time to live, and the planes that they hold. */
import type { AcquisitionSource, AcquisitionSummary } from "../readers/open_acquisition.ts";
import type { Channel, Division, WorkingMemory } from "../readers/reader.ts";
import type { Clock } from "./clock.ts";
import type { LoadedAcquisition } from "./load_acquisition.ts";
import { ChannelNotFound, ReferenceChannelNotFound, SessionNotFound, ShuttingDown } from "./errors.ts";
import { PlaneBuffer, type PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";

/** The planes of one opened acquisition. */
export interface Session {
  /** 32 lower-case hexadecimal characters. */
  readonly id: string;
  /** Metadata of the acquisition. */
  readonly summary: AcquisitionSummary;
  /** Source planes by channel index. */
  readonly channels: ReadonlyMap<number, PlaneBuffer>;
  /** Reference planes by channel index. */
  readonly referenceChannels: ReadonlyMap<number, PlaneBuffer>;
  /** Bytes of all planes. */
  readonly totalBytes: number;
  /** When it ends, by the clock of the store, in milliseconds. */
  readonly expiresAt: number;
  /** Where its acquisition is, and what the files were when it was opened. */
  readonly source: AcquisitionSource;
  /** What decoding one of its planes takes beside it, about. */
  readonly working: WorkingMemory;
  /** How its planes can be divided among workers; `null` where it does not pay. */
  readonly division: Division | null;
  /** Aborted when the session has ended, with the reason for those who wait for one of its planes. */
  readonly ended: AbortSignal;
}

/** A plane that a session was opened with. */
export interface HeldPlane {
  /** The session. */
  readonly session: Session;
  /** Its plane at index 0 of every axis. */
  readonly plane: PlaneBuffer;
}

/** All live sessions. The time to live counts from creation; nothing extends it. */
export class SessionStore {
  /** Time to live in seconds. */
  readonly ttlSeconds: number;
  readonly #clock: Clock;
  readonly #memory: PlaneMemory;
  readonly #ended: (session: Session) => void;
  readonly #sessions = new Map<
    string,
    { session: Session; ended: AbortController; cancelExpiry: () => void }
  >();
  #closed = false;

  /**
   * Begins without sessions.
   *
   * @param ttlSeconds time to live of each session
   * @param memory takes the planes of sessions that have ended
   * @param ended called after the end of each session
   */
  constructor(
    clock: Clock,
    ttlSeconds: number,
    memory: PlaneMemory,
    ended: (session: Session) => void = () => {},
  ) {
    this.#clock = clock;
    this.#memory = memory;
    this.#ended = ended;
    this.ttlSeconds = ttlSeconds;
  }

  /** Live sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Makes a session that owns the planes and their reservation.
   *
   * @param id by {@linkcode newSessionId}
   * @throws {ShuttingDown}
   */
  create(id: string, loaded: LoadedAcquisition): Session {
    const { summary, planes, referencePlanes, reservation, source, working, division } = loaded;
    if (this.#closed) {
      reservation.release();
      throw new ShuttingDown("The server is stopping");
    }
    const hold = (parts: PlaneParts, free: (buffer: ArrayBuffer, bytes: number) => void) =>
      new PlaneBuffer(parts, (buffer, bytes) => {
        free(buffer, bytes);
        reservation.release(bytes);
      });
    const byIndex = (held: readonly PlaneBuffer[], channels: readonly Channel[] = []) =>
      new Map(held.map((plane, i) => [channels[i]?.index ?? i, plane]));
    const channels = byIndex(
      planes.map((parts) => hold(parts, (buffer, bytes) => this.#memory.give(buffer, bytes))),
      summary.loaded,
    );
    const referenceChannels = byIndex(
      // No load takes the memory of a reference image, so none is kept in place of what loads take.
      referencePlanes.map((plane) => hold([plane], (buffer) => void buffer.transfer(0))),
      summary.reference?.channels,
    );
    const totalBytes = [...channels.values(), ...referenceChannels.values()]
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    // What was reserved for a reference image that could not be decoded.
    reservation.release(reservation.bytes - totalBytes);
    const ended = new AbortController();
    const session: Session = {
      id,
      summary,
      channels,
      referenceChannels,
      totalBytes,
      expiresAt: this.#clock.now() + this.ttlSeconds * 1000,
      source,
      working,
      division,
      ended: ended.signal,
    };
    const cancelExpiry = this.#clock.after(this.ttlSeconds * 1000, () => this.#drop(id));
    this.#sessions.set(id, { session, ended, cancelExpiry });
    return session;
  }

  /** The session of an id, or `null`. */
  find(id: string): Session | null {
    const entry = this.#sessions.get(id);
    // A timer may be late; an expired session is gone all the same.
    return entry && entry.session.expiresAt > this.#clock.now() ? entry.session : null;
  }

  /** The session of an id. @throws {SessionNotFound} unknown, deleted or expired */
  get(id: string): Session {
    const session = this.find(id);
    if (session !== null) return session;
    throw new SessionNotFound(
      `There is no session "${
        id.slice(0, 64)
      }"; sessions end ${this.ttlSeconds} s after they were opened or when they are deleted`,
    );
  }

  /** Seconds until a session ends. */
  secondsRemaining(session: Session): number {
    return Math.max(0, (session.expiresAt - this.#clock.now()) / 1000);
  }

  /** The plane of a loaded source channel. @throws {SessionNotFound | ChannelNotFound} */
  channel(id: string, index: number): HeldPlane {
    const session = this.get(id);
    const { channels } = session;
    const plane = channels.get(index);
    if (plane) return { session, plane };
    throw new ChannelNotFound(`The session holds no channel ${index}; it holds ${listed(channels)}`);
  }

  /** The plane of a reference channel. @throws {SessionNotFound | ReferenceChannelNotFound} */
  referenceChannel(id: string, index: number): HeldPlane {
    const session = this.get(id);
    const { referenceChannels } = session;
    const plane = referenceChannels.get(index);
    if (plane) return { session, plane };
    throw new ReferenceChannelNotFound(
      referenceChannels.size === 0
        ? "The session has no reference image"
        : `The session holds no reference channel ${index}; it holds ${listed(referenceChannels)}`,
    );
  }

  /** Ends a session. @throws {SessionNotFound} */
  delete(id: string): void {
    this.get(id);
    this.#drop(id);
  }

  /** Ends all sessions; no further one can be made. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#sessions.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    const entry = this.#sessions.get(id);
    if (!entry) return;
    this.#sessions.delete(id);
    entry.cancelExpiry();
    entry.ended.abort(new SessionNotFound(`The session "${id}" has ended`));
    for (const plane of entry.session.channels.values()) plane.release();
    for (const plane of entry.session.referenceChannels.values()) plane.release();
    this.#ended(entry.session);
  }
}

/** 32 lower-case hexadecimal characters from a cryptographic source. */
export function newSessionId(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toHex();
}

const listed = (planes: ReadonlyMap<number, PlaneBuffer>) =>
  [...planes.keys()].sort((a, b) => a - b).join(", ");
