import assert from "node:assert/strict";
import { ChannelGroup } from "../../static/demo/v2/picture/channel_group.ts";

// deno-lint-ignore no-explicit-any
const plane: any = { shape: [1, 2] };

function group(names: string[]): ChannelGroup {
  const channels = names.map((name, index) => ({ index, name, samples: Float32Array.of(index, 10 + index) }));
  return new ChannelGroup({ plane, channels });
}

const shown = ({ channels }: ChannelGroup) => channels.map(({ visible }: { visible: boolean }) => visible);

Deno.test("keeps the choice of channels of the composite in single mode", () => {
  const rows: [toggled: number, single: boolean[], toggledInSingle: number | null, merged: boolean[]][] = [
    [1, [true, false, false], null, [true, false, true]],
    [1, [false, true, false], 1, [true, true, true]],
    // The first shown channel is the single one.
    [0, [false, true, false], null, [false, true, true]],
  ];
  for (const [toggled, single, toggledInSingle, merged] of rows) {
    const three = group(["a", "b", "c"]);
    three.toggle(toggled);
    three.mode = "single";
    if (toggledInSingle !== null) three.toggle(toggledInSingle);
    assert.deepEqual(shown(three), single);
    three.mode = "merged";
    assert.deepEqual(shown(three), merged);
  }
});

Deno.test("colour channels start with one range, alpha starts hidden", () => {
  const colors = group(["Red", "Green", "Blue", "Alpha"]);
  assert.deepEqual(shown(colors), [true, true, true, false]);
  const [red, , blue] = colors.channels;
  assert.deepEqual(red!.range, blue!.range);
});

Deno.test("updates automatic ranges, shares one range between colours, and keeps chosen ranges", () => {
  const colors = group(["Red", "Green", "Blue"]);
  const ranges = () => colors.channels.map(({ range }: { range: [number, number] }) => range);
  const begun = ranges();
  // Two values each: the 1st percentile lies at 0.01 of the way, the 99.5th at 0.995.
  colors.see(({ index }: { index: number }) => Float32Array.of(100 * index, 100 * index + 100));
  assert.deepEqual(ranges(), [[1, 299.5], [1, 299.5], [1, 299.5]]);
  colors.see(null);
  assert.deepEqual(ranges(), begun);
  colors.channels[0]!.setRange(3, 4);
  colors.see(() => Float32Array.of(0, 200));
  assert.deepEqual(ranges(), [[3, 4], [2, 199], [2, 199]]);
});
