/**
 * The images of a series, and how they are fetched.
 *
 * @typedef {(index: number, signal: AbortSignal) => Promise<readonly (Float32Array | null)[]>} ImagesAt fetches the planes of all channels; null for planes never recorded
 * @typedef {Along & {images: () => ImagesAt, at: () => import("./scan.js").About}} Source images along an axis, at the shown
 *   places along the other axes, which `at` describes
 */
import { measuredStack, positionWords, stackAxes } from "../../../measure/stack.js";

/** @import { OpenResponse } from "../../../client/v2/acq-client.d.ts" */
/** @import { Part } from "../../../measure/image_parts.js" */
/** @import { Along, Over, ProjectionOf } from "../../../measure/stack.js" */
/** @import { Place } from "../panels/plane_steps.js" */

/** Concurrent requests for planes: the server queues 16 per session. */
const AT_ONCE = 3;

/**
 * Images along time and focus, for each axis with several.
 *
 * @param {OpenResponse} info
 * @param {() => Place} place
 * @param {(place: Place, signal: AbortSignal) => Promise<readonly Float32Array[]>} planesAt of all channels
 * @returns {Map<Over, Source>}
 */
export function sourcesOf(info, place, planesAt) {
  /** @type {(name: Over) => ImagesAt} */
  const imagesAlong = (name) => {
    const here = place();
    return async (index, signal) => {
      try {
        return await planesAt({ ...here, [name.toLowerCase()]: index }, signal);
      } catch (error) {
        // The plane is declared but was never recorded.
        if (/** @type {{code?: string}} */ (error).code === "plane_not_found") return [];
        throw error;
      }
    };
  };
  return new Map([...stackAxes(info)].map(([name, along]) => [name, {
    ...along,
    images: () => imagesAlong(name),
    at: () => positionWords({ ...info.header.sizes, [name]: 1 }, place()),
  }]));
}

/**
 * Measures parts of the images, and projects them.
 *
 * @param {ReadonlyMap<Over, Source>} sources
 * @param {Pick<import("./scan.js").Scan["group"], "plane" | "channels">} shown
 * @param {{parts: readonly Part[], over: Over | null, projection: ProjectionOf | null}} wanted
 * @param {AbortSignal} signal
 * @param {(done: number, count: number) => void} [onProgress]
 * @throws {DOMException} `AbortError`
 * @throws {RangeError} an axis has only one image, or a line is degenerate
 */
export async function measuredSeries(sources, { plane, channels }, wanted, signal, onProgress = () => {}) {
  const order = { plane, channels: channels.map(({ name }) => name), along: sources, ...wanted };
  const found = await measuredStack(order, async (axis, count, take) => {
    const { images } = /** @type {Source} */ (sources.get(axis));
    await fetchImages(count, images(), signal, (planes, index, done) => {
      onProgress(done, count);
      take(planes, index);
    });
  });
  return { order, found };
}

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
