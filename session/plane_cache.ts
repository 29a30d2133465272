/** Decoded planes of other positions than the opened one, for all sessions: the least recently used one goes first. */
import type { PlaneBuffer } from "./plane_buffer.ts";

/** Most bytes of planes that are kept: 256 MiB with the planes that are being decoded and sent, and what their workers leave. */
const MOST_BYTES = 224 << 20;

/** The part of the session memory that they may take. */
const MOST_PART = 8;

/** One plane. */
export interface CachedPlane {
  /** Its samples. */
  readonly plane: PlaneBuffer;
  /** By resolved path, the marks of the files that it was read from. */
  readonly files: ReadonlyMap<string, string>;
}

/** Holds planes until they are given up; whoever sends one holds a lease beside it. */
export class PlaneCache {
  /** Bytes that it may hold. */
  readonly capacity: number;
  /** By key; the one that was used last is the last. */
  readonly #planes = new Map<string, CachedPlane>();
  #bytes = 0;

  /** Takes the memory of all sessions, in bytes. */
  constructor(sessionMemory: number) {
    this.capacity = Math.min(MOST_BYTES, Math.floor(sessionMemory / MOST_PART));
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A plane, which counts as used now. */
  get(key: string): CachedPlane | undefined {
    const found = this.#planes.get(key);
    if (found) {
      this.#planes.delete(key);
      this.#planes.set(key, found);
    }
    return found;
  }

  /** Whether a plane is there. */
  has(key: string): boolean {
    return this.#planes.has(key);
  }

  /** Takes a plane over; false for one that is larger than the cache. */
  add(key: string, cached: CachedPlane): boolean {
    const { plane } = cached;
    if (plane.byteLength > this.capacity) return false;
    this.drop((other) => other === key);
    while (this.#bytes + plane.byteLength > this.capacity) this.#removeOldest();
    this.#planes.set(key, cached);
    this.#bytes += plane.byteLength;
    return true;
  }

  /** Releases planes until `bytes` are free, or all are released; those that are being sent keep their memory until then. */
  giveUp(bytes: number): void {
    for (let free = 0; free < bytes && this.#planes.size > 0;) free += this.#removeOldest();
  }

  /** Releases the planes whose keys are meant. */
  drop(isMeant: (key: string) => boolean): void {
    for (const [key, cached] of this.#planes) if (isMeant(key)) this.#remove(key, cached);
  }

  /** Releases the plane that was used least recently, and tells how many bytes are free at once. */
  #removeOldest(): number {
    const [oldest] = this.#planes;
    if (oldest === undefined) return 0;
    const { byteLength, leases } = oldest[1].plane;
    this.#remove(...oldest);
    return leases === 0 ? byteLength : 0;
  }

  #remove(key: string, { plane }: CachedPlane): void {
    this.#planes.delete(key);
    this.#bytes -= plane.byteLength;
    plane.release();
  }
}
