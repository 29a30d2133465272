/**
 * Checks every few seconds, and when the page becomes visible, whether the server answers.
 *
 * Tested in `tests/browser/surroundings_test.ts`.
 */
const ASK_EVERY_MS = 10_000;

/** A server without an answer in this time counts as gone, even if it accepts connections. */
const ANSWER_WITHIN_MS = 5000;

/**
 * @param {object} listeners
 * @param {(signal: AbortSignal) => Promise<unknown>} listeners.readHealth asks the server
 * @param {() => void} listeners.onGone the server does not answer
 * @param {() => void} listeners.onBack it answers again
 * @param {() => boolean} listeners.isBusy nothing is asked now
 */
export function watchServer({ readHealth, onGone, onBack, isBusy }) {
  let isGone = false;
  /** @type {Promise<void> | null} */
  let asking = null;

  /** One request at a time; concurrent callers share its answer. */
  const ask = () => asking ??= askNow().finally(() => asking = null);
  const askNow = async () => {
    try {
      await readHealth(AbortSignal.timeout(ANSWER_WITHIN_MS));
      if (isGone) onBack();
      isGone = false;
    } catch (error) {
      if (/** @type {{code?: string}} */ (error).code !== "server_gone") return;
      if (!isGone) onGone();
      isGone = true;
    }
  };

  const askUnlessBusy = () => document.hidden || isBusy() || ask();
  setInterval(askUnlessBusy, ASK_EVERY_MS);
  document.addEventListener("visibilitychange", askUnlessBusy);
  addEventListener("focus", askUnlessBusy);
  return { ask };
}
