import assert from "node:assert/strict";
import { keepView, keptView } from "../../static/demo/v2/opening/view_link.js";
import { channelSettings, keepChannelSettings } from "../../static/demo/v2/panels/channel_card.js";

const SETTINGS = { lutName: "fire", gamma: 0.5, isLog: true, isOpen: false };
const VIEW = { path: "/a", scene: 2, position: { t: 3, z: 1, l: 0 } };

/** A storage in memory. */
function storage(start: Record<string, string> = {}) {
  const items = new Map(Object.entries(start));
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

Deno.test("channel settings: the last 60 names", () => {
  const place = storage();
  for (let i = 0; i < 100; i += 1) {
    keepChannelSettings(`CH${i}`, { ...SETTINGS, gamma: 1 + i / 100 }, () => place);
  }
  keepChannelSettings("CH60", SETTINGS, () => place);
  assert.deepEqual(channelSettings("CH60", () => place), SETTINGS);
  assert.equal(channelSettings("CH99", () => place)?.gamma, 1.99);
  assert.equal(channelSettings("CH39", () => place), null);
});

Deno.test("a view comes back", () => {
  const place = storage();
  assert.equal(keptView(() => place), null);
  keepView(VIEW, () => place);
  assert.deepEqual(keptView(() => place), VIEW);
});

Deno.test("storage that is disabled or holds something else counts as empty", () => {
  const disabled = () => {
    throw new Error("denied");
  };
  const names = ["acq-server view 2", "acq-server channels 1"];
  const damaged = ["", "{", "3", "null", '{"path":1}'].map((text) => () =>
    storage(Object.fromEntries(names.map((name) => [name, text])))
  );
  for (const place of [disabled, ...damaged]) {
    assert.equal(keptView(place), null);
    assert.equal(channelSettings("a", place), null);
  }
  keepView(VIEW, disabled);
  keepChannelSettings("a", SETTINGS, disabled);
});
