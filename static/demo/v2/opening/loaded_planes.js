/**
 * Loads the planes that the page shows: all source channels at one position, and all reference channels.
 *
 * Tested in `tests/page/session_controller_test.ts`.
 */

import { titled } from "../../../measure/axes.js";

/** @import { Acquisition, OnProgress, PlaneInfo, Position } from "../../../client/v2/acq-client.d.ts" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */

/**
 * Fetches all planes concurrently; progress counts them together.
 *
 * @param {Acquisition} acquisition
 * @param {Position} position
 * @param {{signal?: AbortSignal, onProgress?: OnProgress}} options
 * @returns {Promise<{source: LoadedGroup, reference: LoadedGroup | null}>}
 */
export async function loadPlanes(acquisition, position, { signal, onProgress = () => {} }) {
  const { info, reference } = acquisition;
  // The first failure cancels the others.
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  const channels = [...info.channels, ...info.reference?.channels ?? []];
  const total = channels.reduce((sum, { byteLength }) => sum + byteLength, 0);
  /** @type {Map<string, number>} */
  const counts = new Map();
  const options = (/** @type {string} */ dataUrl) => ({
    signal: ending.signal,
    onProgress(/** @type {number} */ received) {
      counts.set(dataUrl, received);
      onProgress([...counts.values()].reduce((sum, count) => sum + count, 0), total);
    },
  });
  onProgress(0, total);
  try {
    const [source, references] = await Promise.all([
      Promise.all(info.channels.map(async ({ index, name, dataUrl }) => {
        const { samples } = await acquisition.plane(index, { ...position, ...options(dataUrl) });
        return { index, name: nameOf(name, index), dataUrl, samples };
      })),
      Promise.all((reference?.channels ?? []).map(async ({ index, name, dataUrl }) => {
        const { samples } = await /** @type {NonNullable<typeof reference>} */ (reference)
          .plane(index, options(dataUrl));
        return { index, name: nameOf(name, index), dataUrl, samples };
      })),
    ]);
    return {
      source: { plane: named(info.plane), channels: source },
      reference: info.reference && { plane: named(info.reference.plane), channels: references },
    };
  } catch (error) {
    ending.abort();
    throw error;
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

/** Geometry whose axes have titles. @param {PlaneInfo} plane */
export const named = (plane) => ({ ...plane, axes: titled(plane.axes) });

/** Reference channels of other servers may have no name. @param {string | undefined} name @param {number} index */
const nameOf = (name, index) => name ?? `CH${index + 1}`;
