/** Deadlines of tests: a wait that takes too long fails and names what never came. */

/** Seconds for anything that takes a moment. Generous, since a busy machine takes many times as long as a quiet one. */
export const PATIENCE = 60;

/**
 * Waits for a promise.
 *
 * @param what what the promise means, such as `the end of the transfer`
 * @throws {Error} it did not settle in time
 */
export async function within<T>(seconds: number, what: string, promise: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`Waited ${seconds} s in vain for ${what}`)),
    seconds * 1000,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits until a condition holds.
 *
 * @param what what the condition means; by default its source
 * @throws {Error} it did not hold in time, or threw
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = String(holds).replace(/^\(\) ?=> ?/, ""),
  seconds = PATIENCE,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!await holds()) {
    if (performance.now() > end) throw new Error(`Waited ${seconds} s in vain for ${what}`);
    await pause(2);
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
