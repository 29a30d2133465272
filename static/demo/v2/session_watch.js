/**
 * Watches the session and the server: counts the remaining time down and asks the server every few seconds, and at
 * once when the page comes back into view.
 *
 * Tested in `tests/browser/surroundings_test.ts`.
 */
import { readHealth, readSession } from "./api.js";

const ASK_EVERY_MS = 10_000;

/** A server that has not answered by then is taken for gone, also when it still accepts connections. */
const ANSWER_WITHIN_MS = 5000;

/**
 * @param {object} listeners
 * @param {(seconds: number | null) => void} listeners.onTime remaining time, null without a session
 * @param {() => void} listeners.onExpired
 * @param {() => void} listeners.onGone the server does not answer
 * @param {() => void} listeners.onBack it answers again
 * @param {() => boolean} listeners.isBusy nothing is asked now
 */
export function watchSession({ onTime, onExpired, onGone, onBack, isBusy }) {
  let id = null;
  let end = 0;
  let isGone = false;

  let asking = null;

  /** One question at a time: whoever asks meanwhile gets the same answer. */
  const ask = () => asking ??= askNow().finally(() => asking = null);
  const askNow = async () => {
    const asked = id;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    try {
      if (asked === null) await readHealth(signal);
      else {
        const { ttlSecondsRemaining } = await readSession(asked, signal);
        if (asked === id) end = performance.now() + 1000 * ttlSecondsRemaining;
      }
      answered();
    } catch (error) {
      if (error.code === "server_gone") {
        if (!isGone) onGone();
        isGone = true;
        return;
      }
      answered();
      if (error.code === "session_not_found" && asked === id) expire();
    }
  };
  const answered = () => {
    if (isGone) onBack();
    isGone = false;
  };
  const expire = () => {
    id = null;
    onTime(null);
    onExpired();
  };
  const count = () => {
    if (id === null) return;
    const seconds = Math.max(0, (end - performance.now()) / 1000);
    onTime(seconds);
    if (seconds === 0) expire();
  };

  const askUnlessBusy = () => document.hidden || isBusy() || ask();
  setInterval(askUnlessBusy, ASK_EVERY_MS);
  setInterval(count, 1000);
  document.addEventListener("visibilitychange", askUnlessBusy);
  addEventListener("focus", askUnlessBusy);
  return {
    /** Begins with a session read, or ends with null. */
    watch(session) {
      id = session?.sessionId ?? null;
      if (session !== null) end = performance.now() + 1000 * session.ttlSecondsRemaining;
      if (id === null) onTime(null);
      else count();
    },
    ask,
  };
}
