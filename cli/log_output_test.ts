import { deepEqual, equal } from "node:assert/strict";
import { LogOutput, type Sink } from "./log_output.ts";

/** Takes bytes a few at a time, as it is told. */
class SlowSink implements Sink {
  text = "";
  #taken = Promise.withResolvers<void>();

  async write(bytes: Uint8Array): Promise<number> {
    await this.#taken.promise;
    const some = bytes.subarray(0, 700);
    this.text += new TextDecoder().decode(some);
    return some.length;
  }

  read(): void {
    this.#taken.resolve();
  }
}

const told = (lost: number) => `${lost} lost`;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}`);

Deno.test("lines are written in their order, however few bytes are taken at once", async () => {
  const sink = new SlowSink();
  const output = new LogOutput(sink, told);
  for (const line of numbers(0, 500)) output.line(line);
  sink.read();
  await output.written();
  for (const line of numbers(500, 600)) output.line(line);
  await output.written();
  deepEqual(sink.text.split("\n"), [...numbers(0, 600), ""]);
});

Deno.test("while nobody reads 1000 lines wait, and of more the number is told", async () => {
  const sink = new SlowSink();
  const output = new LogOutput(sink, told);
  output.line("held");
  for (const line of numbers(0, 1003)) output.line(line);
  sink.read();
  await output.written();
  output.line("after");
  await output.written();
  deepEqual(sink.text.split("\n"), ["held", ...numbers(0, 1000), "3 lost", "after", ""]);
});

Deno.test("where the reader has ended, lines are dropped and nothing else happens", async () => {
  let writes = 0;
  const output = new LogOutput({
    write: () => {
      writes += 1;
      return Promise.reject(new Deno.errors.BrokenPipe());
    },
  }, told);
  for (const line of numbers(0, 3)) output.line(line);
  await output.written();
  output.line("later");
  await output.written();
  equal(writes, 2);
});
