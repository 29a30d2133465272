/** Sessions: their ids, times to live and planes. */
import { basename } from "node:path";
import type { AcquisitionSource, AcquisitionSummary } from "./acquisition_summary.ts";
import type { Channel, Division, WorkingMemory } from "../readers/reader.ts";
import type { Clock } from "./clock.ts";
import { ChannelNotFound, ReferenceChannelNotFound, SessionNotFound, ShuttingDown } from "./errors.ts";
import type { MemoryShare, Reservation } from "./memory_budget.ts";
import { PlaneBuffer, type PlaneParts } from "./plane_buffer.ts";
import type { PlaneMemory } from "./plane_memory.ts";

/** What a session needs to decode more planes of its acquisition. */
export interface OpenedAcquisition {
  readonly summary: AcquisitionSummary;
  /** Location of the acquisition, and the marks of its files when it was opened. */
  readonly source: AcquisitionSource;
  /** Memory that decoding a plane needs besides the plane. */
  readonly working: WorkingMemory;
  /** How workers can divide a plane; `null` if dividing is not worthwhile. */
  readonly division: Division | null;
  /** Holds the memory of this session and of the sessions that repeat its open. */
  readonly memoryShare: MemoryShare;
  /** Encoded marks of the files of the set and of the planes that were opened; an export compares with them. */
  readonly seen: readonly Uint8Array<ArrayBuffer>[];
  /** Bytes reserved for the session, its summary and marks, besides the planes. */
  readonly summaryBytes: number;
}

/** An acquisition with its first planes, before it has a session. */
export interface LoadedAcquisition extends OpenedAcquisition {
  readonly planes: readonly PlaneParts[];
  /** One row-major float32 plane per reference channel. */
  readonly referencePlanes: readonly Float32Array<ArrayBuffer>[];
  /** Covers the planes and the summary; it is larger if a reference image could not be decoded. */
  readonly reservation: Reservation;
}

/** An opened acquisition and its planes. */
export interface Session extends OpenedAcquisition {
  readonly id: string;
  readonly channels: ReadonlyMap<number, PlaneBuffer>;
  readonly referenceChannels: ReadonlyMap<number, PlaneBuffer>;
  readonly totalBytes: number;
  /** Time of its end, in milliseconds of the store's clock. */
  readonly expiresAt: number;
  /** Aborted when the session ends, with the error for requests that still wait for its planes. */
  readonly ended: AbortSignal;
}

/** Sessions below this size, and so many of them, need no look at whether their client still waits, which costs 1.4 to 2.4 ms. */
const [SMALL_BYTES, MOST_LINGERING] = [1 << 20, 64];

/** Name of the file or store of a session. */
export const nameSession = ({ summary }: Session): string => basename(summary.path);

/** All live sessions. The time to live counts from the open; nothing extends it. */
export class SessionStore {
  readonly #clock: Clock;
  readonly #memory: PlaneMemory;
  readonly #ended: (session: Session) => void;
  readonly #sessions = new Map<
    string,
    { session: Session; ended: AbortController; cancelExpiry: () => void; free: () => void }
  >();
  #closed = false;

  /** Creates an empty store, which gives planes of ended sessions to `memory` and calls `ended` after the end of each. */
  constructor(
    clock: Clock,
    readonly ttlSeconds: number,
    memory: PlaneMemory,
    ended: (session: Session) => void = () => {},
  ) {
    this.#clock = clock;
    this.#memory = memory;
    this.#ended = ended;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Whether a session takes so little, and so few others do, that it may live on if its client left before the answer. */
  mayLinger(session: Session): boolean {
    const isSmall = ({ totalBytes, summaryBytes }: Session) => totalBytes + summaryBytes < SMALL_BYTES;
    const small = this.#sessions.values().filter((other) => isSmall(other.session)).toArray().length;
    return isSmall(session) && small <= MOST_LINGERING;
  }

  /** Creates a session that owns the planes and their reservation. @throws {ShuttingDown} */
  create(id: string, loaded: LoadedAcquisition): Session {
    const { planes, referencePlanes, reservation, ...opened } = loaded;
    const { summary, summaryBytes } = opened;
    this.#requireOpen(reservation);
    const hold = (parts: PlaneParts, free: (buffer: ArrayBuffer, bytes: number) => void) =>
      new PlaneBuffer(parts, (buffer, bytes) => {
        free(buffer, bytes);
        reservation.release(bytes);
      });
    const channels = indexPlanes(
      planes.map((parts) => hold(parts, (buffer, bytes) => this.#memory.give(buffer, bytes))),
      summary.loaded,
    );
    const referenceChannels = indexPlanes(
      // Loads do not reuse the memory of reference images.
      referencePlanes.map((plane) => hold([plane], (buffer) => void buffer.transfer(0))),
      summary.reference?.channels,
    );
    const totalBytes = [...channels.values(), ...referenceChannels.values()]
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    reservation.release(reservation.bytes - totalBytes - summaryBytes);
    return this.#add({ ...opened, id, channels, referenceChannels, totalBytes }, () => {
      for (const plane of [...channels.values(), ...referenceChannels.values()]) plane.release();
      reservation.release(summaryBytes);
    });
  }

  /** Creates a session that shares the planes of another; the reservation covers its summary. @throws {ShuttingDown} */
  share(
    id: string,
    { ended: _ended, expiresAt: _expiresAt, ...shared }: Session,
    reservation: Reservation,
  ): Session {
    this.#requireOpen(reservation);
    const leases = [...shared.channels.values(), ...shared.referenceChannels.values()]
      .map((plane) => plane.lease());
    return this.#add({ ...shared, id }, () => {
      for (const end of leases) end();
      reservation.release();
    });
  }

  #requireOpen(reservation: Reservation): void {
    if (!this.#closed) return;
    reservation.release();
    throw new ShuttingDown();
  }

  #add(of: Omit<Session, "ended" | "expiresAt">, free: () => void): Session {
    const ended = new AbortController();
    const life = this.ttlSeconds * 1000;
    const session: Session = { ...of, expiresAt: this.#clock.now() + life, ended: ended.signal };
    const cancelExpiry = this.#clock.after(life, () => this.#drop(session.id));
    this.#sessions.set(session.id, { session, ended, cancelExpiry, free });
    return session;
  }

  find(id: string): Session | null {
    const session = this.#sessions.get(id)?.session;
    // The expiry timer may be late.
    return session && session.expiresAt > this.#clock.now() ? session : null;
  }

  /** The live session with this id. @throws {SessionNotFound} */
  get(id: string): Session {
    const session = this.find(id);
    if (session !== null) return session;
    throw new SessionNotFound(
      `No session "${
        id.slice(0, 64)
      }"; a session ends when it is deleted, or ${this.ttlSeconds} s after the open`,
    );
  }

  secondsRemaining(session: Session): number {
    return Math.max(0, (session.expiresAt - this.#clock.now()) / 1000);
  }

  /** The plane of a source channel at the opened position. @throws {SessionNotFound | ChannelNotFound} */
  channel(id: string, index: number): PlaneBuffer {
    const { channels } = this.get(id);
    const plane = channels.get(index);
    if (plane) return plane;
    throw new ChannelNotFound(`The session has no channel ${index}, only ${listChannelIndices(channels)}`);
  }

  /** The plane of a reference channel. @throws {SessionNotFound | ReferenceChannelNotFound} */
  referenceChannel(id: string, index: number): PlaneBuffer {
    const { referenceChannels } = this.get(id);
    const plane = referenceChannels.get(index);
    if (plane) return plane;
    throw new ReferenceChannelNotFound(
      referenceChannels.size === 0
        ? "The session has no reference image"
        : `The session has no reference channel ${index}, only ${listChannelIndices(referenceChannels)}`,
    );
  }

  delete(id: string): void {
    this.get(id);
    this.#drop(id);
  }

  /** Ends all sessions and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#sessions.keys()]) this.#drop(id);
  }

  #drop(id: string): void {
    const entry = this.#sessions.get(id);
    if (!entry) return;
    const { session, ended, cancelExpiry, free } = entry;
    this.#sessions.delete(id);
    cancelExpiry();
    ended.abort(new SessionNotFound(`The session "${id}" has ended`));
    free();
    this.#ended(session);
  }
}

/** A random id of 32 lower-case hexadecimal characters. */
export function makeSessionId(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toHex();
}

const indexPlanes = (planes: readonly PlaneBuffer[], channels: readonly Channel[] = []) =>
  new Map(planes.map((plane, i) => [channels[i]?.index ?? i, plane]));

const listChannelIndices = (planes: ReadonlyMap<number, PlaneBuffer>) =>
  [...planes.keys()].sort((a, b) => a - b).join(", ");
