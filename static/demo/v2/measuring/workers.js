/** Workers that compute for a panel. */

/**
 * Runs work with workers that end with it.
 *
 * @template Result
 * @param {string} file of the worker, beside this one
 * @param {AbortSignal} signal ends work and workers
 * @param {(newWorker: () => Worker) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {DOMException} `AbortError` when the signal ends it
 */
export async function withWorkers(file, signal, work) {
  signal.throwIfAborted();
  /** @type {Worker[]} */
  const workers = [];
  const newWorker = () => {
    const worker = new Worker(new URL(file, import.meta.url), { type: "module" });
    workers.push(worker);
    return worker;
  };
  try {
    return await Promise.race([
      new Promise((_, failed) =>
        signal.addEventListener("abort", () => failed(signal.reason), { once: true })
      ),
      work(newWorker),
    ]);
  } finally {
    for (const worker of workers) worker.terminate();
  }
}

/**
 * The answer of a worker to an order.
 *
 * @type {(worker: Worker, order: object, transfer?: Transferable[]) => Promise<any>}
 * @throws {Error} the worker failed, or the browser runs none
 */
export const asked = (worker, order, transfer = []) =>
  new Promise((done, failed) => {
    worker.onmessage = ({ data }) => data?.fault === undefined ? done(data) : failed(new Error(data.fault));
    worker.onerror = (event) => {
      event.preventDefault();
      failed(new Error(event.message || "The browser runs no workers"));
    };
    worker.postMessage(order, transfer);
  });
