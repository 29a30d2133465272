/** Asks workers. */

/**
 * The answer of a worker to an order; fails if the worker posts `{fault}`.
 *
 * @throws {Error} the worker failed, or the browser runs none
 */
export const askWorker = <Answer>(
  worker: Worker,
  order: object,
  transfer: Transferable[] = [],
): Promise<Answer> =>
  new Promise((done, failed) => {
    worker.onmessage = ({ data }) => data?.fault === undefined ? done(data) : failed(new Error(data.fault));
    worker.onerror = (event) => {
      event.preventDefault();
      failed(new Error(event.message || "The browser runs no workers"));
    };
    worker.postMessage(order, transfer);
  });
