/** Fetches the images of a series. */

/** @typedef {(index: number, signal: AbortSignal) => Promise<readonly (Float32Array | null)[]>} ImagesAt of all channels; null for planes never recorded */

/** Concurrent requests for planes: the server queues 16 per session. */
const AT_ONCE = 3;

/**
 * @param {number} count
 * @param {ImagesAt} imagesAt
 * @param {AbortSignal} signal
 * @param {(planes: readonly (Float32Array | null)[], index: number, done: number) => void} take in the order in which they arrive
 * @throws {DOMException} `AbortError`
 */
export async function fetchImages(count, imagesAt, signal, take) {
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const planes = await imagesAt(index, signal);
      signal.throwIfAborted();
      done += 1;
      take(planes, index, done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work));
}
