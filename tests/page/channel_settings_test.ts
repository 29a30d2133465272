import assert from "node:assert/strict";
import { channelSettings, keepChannelSettings } from "../../static/demo/v2/panels/channel_settings.js";

const SETTINGS = { lutName: "fire", gamma: 0.5, isLog: true, isOpen: false };

function place(kept: string | null = null) {
  const box = { kept };
  return {
    getItem: () => box.kept,
    setItem: (_: string, value: string) => {
      box.kept = value;
    },
  };
}

Deno.test("settings are kept for each name, those used last", () => {
  const storage = place();
  for (let i = 0; i < 100; i += 1) {
    keepChannelSettings(`CH${i}`, { ...SETTINGS, gamma: 1 + i / 100 }, () => storage);
  }
  keepChannelSettings("CH60", SETTINGS, () => storage);
  assert.deepEqual(channelSettings("CH60", () => storage), SETTINGS);
  assert.equal(channelSettings("CH99", () => storage)?.gamma, 1.99);
  assert.equal(channelSettings("CH1", () => storage), null);
  keepChannelSettings("x".repeat(5000), SETTINGS, () => storage);
  assert(storage.getItem()!.length < 10_000);
});

Deno.test("what is no setting is none, and a browser without storage is empty", () => {
  const settings = [
    null,
    7,
    {},
    { ...SETTINGS, gamma: 0 },
    { ...SETTINGS, gamma: NaN },
    { ...SETTINGS, lutName: 3 },
  ];
  for (const kept of settings) {
    assert.equal(channelSettings("a", () => place(JSON.stringify([["a", kept]]))), null);
  }
  for (const kept of ["", "{", "{}", "[3, [], [4, 5]]"]) {
    assert.equal(channelSettings("a", () => place(kept)), null);
  }
  const none = () => {
    throw new Error("switched off");
  };
  assert.equal(channelSettings("a", none), null);
  keepChannelSettings("a", SETTINGS, none);
  assert.deepEqual(
    channelSettings("a", () => place(JSON.stringify([["a", { ...SETTINGS, isLog: "yes" }]]))),
    { ...SETTINGS, isLog: false },
  );
});
