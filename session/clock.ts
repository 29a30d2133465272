/** The clock of the server. Tests advance theirs by hand. */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  now(): number;
  /** Calls `work` after `milliseconds`; the returned function cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

/** Longest delay that `setTimeout` accepts; longer waits are split. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, work) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number) => {
      const step = Math.min(left, LONGEST_WAIT);
      timer = setTimeout(() => left > step ? wait(left - step) : work(), step);
      Deno.unrefTimer(Number(timer));
    };
    wait(milliseconds);
    return () => clearTimeout(timer);
  },
};
