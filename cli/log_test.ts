import { deepEqual, equal } from "node:assert/strict";
import { LevelLog, type Sink } from "./log.ts";

/** Takes at most 700 bytes at a time, once it may. */
class SlowSink implements Sink {
  text = "";
  readonly #mayRead = Promise.withResolvers<void>();

  async write(bytes: Uint8Array): Promise<number> {
    await this.#mayRead.promise;
    const some = bytes.subarray(0, 700);
    this.text += new TextDecoder().decode(some);
    return some.length;
  }

  read(): void {
    this.#mayRead.resolve();
  }

  /** The lines without their times. */
  get lines(): string[] {
    return this.text.trimEnd().split("\n").map((line) => line.replace(/^[\d:]{8} /, ""));
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}`);

Deno.test("writes lines in order when only a few bytes are accepted at a time", async () => {
  const sink = new SlowSink();
  const log = new LevelLog("info", false, sink);
  for (const line of numbers(0, 500)) log.line("info", line);
  sink.read();
  await log.written();
  log.line("warn", "two\nlines \u001b[2J");
  await log.written();
  deepEqual(sink.lines, [...numbers(0, 500), "WARN two", "         lines \\u001b[2J"]);
});

Deno.test("buffers 1000 lines while nobody reads, and counts the others", async () => {
  const sink = new SlowSink();
  const log = new LevelLog("warn", false, sink);
  for (const line of ["held", ...numbers(0, 1003)]) log.line("error", line);
  log.line("info", "not verbose enough");
  sink.read();
  await log.written();
  log.line("error", "after");
  await log.written();
  const lines = ["held", ...numbers(0, 1000)].map((line) => `ERROR ${line}`);
  deepEqual(sink.lines, [...lines, "WARN 3 lines were not read in time", "ERROR after"]);
});

Deno.test("drops lines after the reader has ended", async () => {
  let writes = 0;
  const log = new LevelLog("info", true, {
    write: () => {
      writes += 1;
      return Promise.reject(new Deno.errors.BrokenPipe());
    },
  });
  for (const line of numbers(0, 3)) log.line("info", line);
  await log.written();
  log.line("info", "later");
  await log.written();
  equal(writes, 2);
});
