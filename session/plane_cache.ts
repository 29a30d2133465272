/** Decoded planes of all sessions at other positions than the opened one; the least recently used one is dropped first. */
import type { PlaneBuffer } from "./plane_buffer.ts";

/** Largest cache. Planes that are being decoded and sent, and memory left over in workers, bring the total to 256 MiB. */
const MOST_BYTES = 224 << 20;

/** The cache may take an eighth of the session memory. */
const MOST_PART = 8;

/** One plane. */
export interface CachedPlane {
  readonly plane: PlaneBuffer;
  /** Marks of the files that the plane was read from, by resolved path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Keeps planes until their memory is needed. A response that sends a plane holds a lease of its own. */
export class PlaneCache {
  readonly capacity: number;
  /** Planes by key, the last used one last. */
  readonly #planes = new Map<string, CachedPlane>();
  #bytes = 0;

  /** `sessionMemory` is in bytes. */
  constructor(sessionMemory: number) {
    this.capacity = Math.min(MOST_BYTES, Math.floor(sessionMemory / MOST_PART));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns a plane and marks it as the last used. */
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

  /** Releases planes until `bytes` are free or the cache is empty. A plane that is being sent frees its memory later. */
  giveUp(bytes: number): void {
    for (let free = 0; free < bytes && this.#planes.size > 0;) free += this.#removeOldest();
  }

  drop(isMeant: (key: string) => boolean): void {
    for (const [key, cached] of this.#planes) if (isMeant(key)) this.#remove(key, cached);
  }

  /** Releases the least recently used plane. @returns number of bytes that are free at once */
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
