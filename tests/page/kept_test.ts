import assert from "node:assert/strict";
import { keepView, readKeptView } from "../../static/demo/v2/opening/view_link.ts";
import { keepChannelSettings, readChannelSettings } from "../../static/demo/v2/panels/channel_card.ts";

const SETTINGS = { lutName: "fire", gamma: 0.5, isLog: true, isOpen: false };

Deno.test("channel settings: the last 60 names", () => {
  for (let i = 0; i < 100; i += 1) keepChannelSettings(`CH${i}`, { ...SETTINGS, gamma: 1 + i / 100 });
  keepChannelSettings("CH60", SETTINGS);
  assert.deepEqual(readChannelSettings("CH60"), SETTINGS);
  assert.equal(readChannelSettings("CH99")?.gamma, 1.99);
  assert.equal(readChannelSettings("CH39"), null);
});

Deno.test("storage that holds something else counts as empty", () => {
  for (const text of ["", "{", "3", "null", '{"path":1}']) {
    sessionStorage.setItem("acq-server view 2", text);
    localStorage.setItem("acq-server channels 1", text);
    assert.equal(readKeptView(), null);
    assert.equal(readChannelSettings("CH60"), null);
  }
  const view = { path: "/a", scene: 2, position: { t: 3, z: 1, l: 0 } };
  keepView(view);
  assert.deepEqual(readKeptView(), view);
});
