import assert from "node:assert/strict";
import { join } from "node:path";
import { InvalidChannelIndices } from "./errors.ts";
import { sampleFolder } from "../tests/contract/harness.ts";
import { writeCollection } from "../tests/collection_tree.ts";
import { loadHere, planLoad, requestOf } from "../tests/load_here.ts";
import { wantedChannels } from "./request_bounds.ts";
import { FileAccess } from "./io/random_access.ts";
import type { Channel } from "./reader.ts";
import { StopFlag } from "./io/stop_flag.ts";

const channel = (index: number, rows: number, columns: number): Channel => ({
  index,
  name: `CH${index + 1}`,
  sampleType: index === 1 ? "uint8" : "uint16",
  rows,
  columns,
  color: null,
});

Deno.test("channels of one shape load together, whatever their sample types; others are refused with a way out", () => {
  const channels = [channel(0, 512, 512), channel(1, 512, 512), channel(2, 256, 256), channel(3, 256, 256)];
  assert.deepEqual(wantedChannels("a.czi", channels, [1, 0]).map((c) => c.index), [1, 0]);
  assert.deepEqual(wantedChannels("a.czi", channels, [3, 2]).map((c) => c.index), [3, 2]);
  for (const [indices, selection] of [[null, "0, 1"], [[2, 0, 3], "2, 3"]] as const) {
    assert.throws(() => wantedChannels("a.czi", channels, indices), (error: unknown) => {
      assert.ok(error instanceof InvalidChannelIndices);
      assert.match(error.message, /channel 2 is 256 x 256/);
      assert.match(error.message, /channel 0 is 512 x 512/);
      assert.ok(error.message.endsWith(`"channelIndices": [${selection}]`), error.message);
      return true;
    });
  }
  const wide = [channel(0, 512, 256), channel(1, 512, 128), channel(2, 64, 256), channel(3, 512, 256)];
  assert.throws(() => wantedChannels("a.czi", wide, null), /"channelIndices": \[0, 3\]$/);
});

Deno.test("a planned load is decoded by shares, in any order, as long as its files are open", async () => {
  await using sample = await sampleFolder();
  const files = new FileAccess();
  try {
    const { plan, decode } = await planLoad(requestOf(sample.image), files);
    assert.deepEqual(plan.channels, [0, 1]);
    assert.equal(plan.bytes, 2 * plan.planeBytes);
    const whole = await decode();
    const { rows, planeBytes } = plan;
    for (const channel of [1, 0]) {
      const parts = [[20, rows], [0, 20]].map(([start = 0, end = 0]) => ({
        channels: [channel],
        rows: { start, end },
      }));
      const { planes, summary } = await decode({ parts, reference: false, buffers: [] });
      const cut = 20 * planeBytes / rows / 4;
      const plane = whole.planes[channel]!;
      assert.deepEqual(planes, [plane.slice(cut), plane.slice(0, cut)]);
      assert.deepEqual(summary, whole.summary);
    }
  } finally {
    files.close();
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

Deno.test("a load that is stopped is stopped, also while it reads its reference image or its collection", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    writeCollection(folder);
    const load = (flag: StopFlag) =>
      loadHere(join(folder, "images/0001"), { files: new FileAccess(null, flag) });
    const whole = new CountedFlag(Infinity);
    assert.equal((await load(whole)).referencePlanes.length, 1);
    assert.ok(whole.looks > 20);
    for (let n = 1; n <= whole.looks; n += 1) {
      await assert.rejects(load(new CountedFlag(n)), { tag: "Stopped" }, `look ${n}`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
