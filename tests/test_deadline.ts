/** Gives each test a deadline, as the module that `deno task test` loads before the tests. */
import { runInThisContext } from "node:vm";

/** A test with several deadlines of {@linkcode PATIENCE} still reports the one that it missed. */
const MILLISECONDS = 5 * 60_000;

// Deno reports the first caller outside `ext:` as the place of a test, which this name keeps from being this file.
const withTimeout = runInThisContext(
  `(test, timeout) => Object.assign((...parts) => {
    const options = parts.map((part) =>
      typeof part === "string" ? { name: part } : typeof part === "function" ? { name: part.name, fn: part } : part
    );
    test(Object.assign({ timeout }, ...options.toReversed()));
  }, test)`,
  { filename: "ext:test_deadline.js" },
);
Object.assign(Deno, { test: withTimeout(Deno.test, MILLISECONDS) });
