/**
 * Builds pyramids of planes in a worker, one after the other. A plane without a pyramid is reduced sample by sample, which
 * shows the same and takes longer.
 */
import { asked } from "../controls/worker.js";

/** @type {Worker | null} */
let worker = null;
/** @type {Promise<import("./pyramid.js").Level[]>} */
let last = Promise.resolve([]);

/**
 * @param {import("./pyramid.js").Level} plane its samples are copied
 * @param {import("./reduction.js").Statistic} statistic
 * @returns {Promise<import("./pyramid.js").Level[]>} empty if workers are unavailable
 */
export function pyramidOf({ samples, rows, columns, isFinite }, statistic) {
  last = last.then(() => {
    worker ??= new Worker(new URL("pyramid_worker.js", import.meta.url), { type: "module" });
    return asked(worker, { samples, rows, columns, isFinite, statistic });
  }).catch(() => {
    worker?.terminate();
    worker = null;
    return [];
  });
  return last;
}
