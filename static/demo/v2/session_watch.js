/**
 * Watches the session and the server: counts the remaining time down and asks the server every few seconds, and at
 * once when the page comes back into view.
 */
import { readHealth, readSession } from "./api.js";

const ASK_EVERY_MS = 10_000;

/**
 * @param {object} listeners
 * @param {(seconds: number | null) => void} listeners.onTime remaining time, null without a session
 * @param {() => void} listeners.onExpired
 * @param {() => void} listeners.onGone the server does not answer
 * @param {() => void} listeners.onBack it answers again
 */
export function watchSession({ onTime, onExpired, onGone, onBack }) {
  let id = null;
  let end = 0;
  let isGone = false;

  const ask = async () => {
    const asked = id;
    try {
      if (asked === null) await readHealth();
      else end = performance.now() + 1000 * (await readSession(asked)).ttlSecondsRemaining;
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

  setInterval(() => document.hidden || ask(), ASK_EVERY_MS);
  setInterval(count, 1000);
  document.addEventListener("visibilitychange", () => document.hidden || ask());
  addEventListener("focus", ask);
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
