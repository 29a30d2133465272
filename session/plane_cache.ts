/** Decoded planes of all sessions at other positions than the opened one; the least recently used one goes first. */
import type { PlaneBuffer } from "./plane_buffer.ts";

/** Largest cache: 256 MiB with the planes that are being decoded and sent, and what their workers leave. */
const MOST_BYTES = 224 << 20;

/** The cache may take this fraction of the session memory: an eighth. */
const MOST_PART = 8;

/** One plane. */
export interface CachedPlane {
  readonly plane: PlaneBuffer;
  /** Marks of the files that it was read from, by resolved path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Keeps planes until their memory is needed. A response that sends one has a lease of its own. */
export class PlaneCache {
  /** Bytes that it may hold. */
  readonly capacity: number;
  /** By key, the last used one last. */
  readonly #planes = new Map<string, CachedPlane>();
  #bytes = 0;

  /** Takes the bytes of session memory. */
  constructor(sessionMemory: number) {
    this.capacity = Math.min(MOST_BYTES, Math.floor(sessionMemory / MOST_PART));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A plane, which is the last used one from now on. */
  get(key: string): CachedPlane | undefined {
    const found = this.#planes.get(key);
    if (found) {
      this.#planes.delete(key);
      this.#planes.set(key, found);
    }
    return found;
  }

  has(key: string): boolean {
    return this.#planes.has(key);
  }

  /** Takes over a plane; false if it is larger than the cache. */
  add(key: string, cached: CachedPlane): boolean {
    const { plane } = cached;
    if (plane.byteLength > this.capacity) return false;
    this.drop((other) => other === key);
    while (this.#bytes + plane.byteLength > this.capacity) this.#removeOldest();
    this.#planes.set(key, cached);
    this.#bytes += plane.byteLength;
    return true;
  }

  /** Releases planes until `bytes` are free or the cache is empty. A plane that is being sent frees nothing yet. */
  giveUp(bytes: number): void {
    for (let free = 0; free < bytes && this.#planes.size > 0;) free += this.#removeOldest();
  }

  /** Releases planes. */
  drop(isMeant: (key: string) => boolean): void {
    for (const [key, cached] of this.#planes) if (isMeant(key)) this.#remove(key, cached);
  }

  /** Releases the least recently used plane. @returns bytes that are free at once */
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
