import assert from "node:assert/strict";
import { ChannelGroup } from "../../../static/demo/v2/channel_group.js";

// deno-lint-ignore no-explicit-any
const plane: any = { shape: [1, 2] };

function group(names: string[]): ChannelGroup {
  const channels = names.map((name, index) => ({
    index,
    name,
    dataUrl: "",
    samples: Float32Array.of(index, 10 + index),
  }));
  return new ChannelGroup({ plane, channels });
}

const shown = ({ channels }: ChannelGroup) => channels.map(({ visible }: { visible: boolean }) => visible);

Deno.test("leaving the composite and coming back keeps the choice of channels", () => {
  const three = group(["a", "b", "c"]);
  three.toggle(1);
  assert.deepEqual(shown(three), [true, false, true]);
  three.composite = false;
  assert.deepEqual(shown(three), [true, false, false]);
  three.composite = true;
  assert.deepEqual(shown(three), [true, false, true]);
});

Deno.test("a channel chosen alone is shown in the composite too", () => {
  const three = group(["a", "b", "c"]);
  three.toggle(1);
  three.composite = false;
  three.toggle(1);
  assert.deepEqual(shown(three), [false, true, false]);
  three.composite = true;
  assert.deepEqual(shown(three), [true, true, true]);
});

Deno.test("leaving the composite shows a channel that was shown", () => {
  const three = group(["a", "b", "c"]);
  three.toggle(0);
  three.composite = false;
  assert.deepEqual(shown(three), [false, true, false]);
});

Deno.test("colours begin with one range, opacity begins hidden", () => {
  const colors = group(["Red", "Green", "Blue", "Alpha"]);
  assert.deepEqual(shown(colors), [true, true, true, false]);
  const [red, , blue] = colors.channels;
  assert.deepEqual(red!.range, blue!.range);
});
