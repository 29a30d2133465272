/** The sample of the page is what opening the example answers. */
import assert from "node:assert/strict";
import { FOLDER, pageSample } from "../../examples/make_page_sample.ts";

Deno.test("the sample of the page is what opening examples/line_scan.oir answers", async () => {
  const made = await pageSample();
  const stored = [...Deno.readDirSync(FOLDER)].map(({ name }) => name);
  assert.deepEqual(stored.sort(), [...made.keys()].sort());
  for (const [name, bytes] of made) assert.deepEqual(await Deno.readFile(new URL(name, FOLDER)), bytes, name);
});
