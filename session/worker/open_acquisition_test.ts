import assert from "node:assert/strict";
import { join } from "node:path";
import { sampleFolder } from "../../tests/contract/harness.ts";
import { writeCollection } from "../../tests/collection_tree.ts";
import { loadHere, planLoad, requestOf } from "../../tests/load_here.ts";
import { temporaryFolder } from "../../tests/temporary_files.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";

Deno.test("decodes a planned load in pieces, in any order, while its files are open", async () => {
  await using sample = await sampleFolder();
  using files = new FileAccess();
  const { plan, decode } = await planLoad(requestOf(sample.image), files);
  assert.deepEqual(plan.channels, [0, 1]);
  assert.equal(plan.bytes, 2 * plan.planeBytes);
  const whole = await decode();
  const { rows, planeBytes } = plan;
  for (const channel of [1, 0]) {
    const plane = whole.planes[channel]!;
    for (const [start, end] of [[20, rows], [0, 20]] as const) {
      const piece = { channels: [channel], rows: { start, end }, reference: false, buffers: [] };
      const { planes, summary } = await decode(piece);
      const row = planeBytes / rows / 4;
      assert.deepEqual(planes, [plane.slice(start * row, end * row)]);
      assert.deepEqual(summary, whole.summary);
    }
  }
});

/** Is raised when it is looked at for the `n`th time. */
class CountedFlag extends StopFlag {
  looks = 0;
  readonly #n: number;

  constructor(n: number) {
    super();
    this.#n = n;
  }

  override check(): void {
    this.looks += 1;
    if (this.looks === this.#n) this.raise();
    super.check();
  }
}

Deno.test("stops a load, also while it reads its reference image or its collection", async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  writeCollection(folder);
  const load = (flag: StopFlag) =>
    loadHere(join(folder, "images/0001"), { files: new FileAccess(null, flag) });
  const whole = new CountedFlag(Infinity);
  assert.equal((await load(whole)).referencePlanes.length, 1);
  assert.ok(whole.looks > 20);
  for (let n = 1; n <= whole.looks; n += 1) {
    await assert.rejects(load(new CountedFlag(n)), { tag: "shutting_down" }, `look ${n}`);
  }
});
