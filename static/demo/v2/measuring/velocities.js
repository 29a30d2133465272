/** Measures velocities in a worker. */

/**
 * @param {import("../../../measure/velocity.js").Plane} plane its samples are copied
 * @param {Omit<import("../../../measure/velocity.js").Windows, "window"> & {window: number | null, lineTime: number | null}} windows
 *   without a window one is chosen, with a step of half of it; `lineTime` in seconds
 * @param {{signal: AbortSignal, onProgress: (done: number, of: number) => void}} options
 * @returns {Promise<{found: import("../../../measure/velocity.js").VelocityAt[], window: number, step: number}>}
 * @throws {DOMException} `AbortError` when the signal ends it
 * @throws {Error} invalid windows, or workers are unavailable
 */
export function measureVelocities(plane, windows, { signal, onProgress }) {
  return new Promise((done, failed) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL("velocity_worker.js", import.meta.url), { type: "module" });
    const end = () => {
      worker.terminate();
      signal.removeEventListener("abort", abort);
    };
    const abort = () => {
      end();
      failed(signal.reason);
    };
    signal.addEventListener("abort", abort);
    worker.addEventListener("message", ({ data }) => {
      if (data.done !== undefined) return onProgress(data.done, data.of);
      end();
      if (data.found !== undefined) done(data);
      else failed(new Error(data.fault));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      end();
      failed(new Error(event.message || "The browser runs no workers"));
    });
    worker.postMessage({ plane, windows });
  });
}
