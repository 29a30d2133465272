/**
 * Builds pyramids of planes in a worker. A plane without a pyramid is reduced sample by sample, which shows the same
 * and takes longer.
 */

/** @type {Worker | null} */
let worker = null;
let asked = 0;
/** @type {Map<number, (levels: import("./pyramid.js").Level[]) => void>} */
const waiting = new Map();

/**
 * @param {import("./pyramid.js").Level} plane its samples are copied
 * @param {import("./reduction.js").Statistic} statistic
 * @returns {Promise<import("./pyramid.js").Level[]>} empty where workers are unavailable
 */
export function pyramidOf({ samples, rows, columns, isFinite }, statistic) {
  return new Promise((done) => {
    const id = asked += 1;
    waiting.set(id, done);
    try {
      worker ??= started();
      worker.postMessage({ id, samples, rows, columns, isFinite, statistic });
    } catch {
      giveUp();
    }
  });
}

function started() {
  const made = new Worker(new URL("pyramid_worker.js", import.meta.url), { type: "module" });
  made.addEventListener("message", ({ data: { id, levels } }) => {
    waiting.get(id)?.(levels);
    waiting.delete(id);
  });
  made.addEventListener("error", (event) => {
    event.preventDefault();
    giveUp();
  });
  return made;
}

function giveUp() {
  worker?.terminate();
  worker = null;
  for (const done of waiting.values()) done([]);
  waiting.clear();
}
