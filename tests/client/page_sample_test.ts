/** The sample of the page is what opening the example answers. */
import assert from "node:assert/strict";
import { FOLDER, pageSample } from "../../examples/make_page_sample.ts";
import { Harness } from "../contract/harness.ts";

Deno.test("the sample of the page is what opening examples/line_scan.oir answers", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const made = await pageSample(socket.base);
  const stored = [...Deno.readDirSync(FOLDER)].map(({ name }) => name);
  assert.deepEqual(stored.sort(), [...made.keys()].sort());
  for (const [name, bytes] of made) {
    const kept = await Deno.readFile(new URL(name, FOLDER));
    const text = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
    if (name.endsWith(".json")) assert.deepEqual(text(kept), text(bytes));
    else assert.deepEqual(kept, bytes, name);
  }
});
