/**
 * Gives back what loads and sessions left behind. A thread that waits allocates nothing, so that V8 sees no reason to
 * collect: hundreds of megabytes of read chunks would stay resident in a worker, ten of answers in the server.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Longer than the pause within a burst of loads; a full collection of a small heap takes a few milliseconds. */
const QUIET_MS = 200;

/** After a load of so many bytes the collection does not wait. */
const LARGE_LOAD_BYTES = 64 << 20;

let collector: (() => void) | null | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Runs a full collection; where the runtime offers none, nothing happens. */
export function collectGarbage(): void {
  if (collector === undefined) {
    try {
      setFlagsFromString("--expose-gc");
      collector = runInNewContext("gc") as () => void;
    } catch {
      collector = null;
    }
  }
  collector?.();
}

/** Collects once the answer is on its way: at once after a large load, else when nothing follows soon. */
export function collectAfter(loadedBytes: number): void {
  clearTimeout(timer);
  timer = setTimeout(collectGarbage, loadedBytes > LARGE_LOAD_BYTES ? 0 : QUIET_MS);
}

/** A load begins: what the last one left is collected after this one. */
export function keepGarbage(): void {
  clearTimeout(timer);
}
