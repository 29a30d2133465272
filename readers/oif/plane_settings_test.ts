import { deepEqual, equal } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { PlaneSettings } from "./plane_settings.ts";
import type { NamedStreams } from "./streams.ts";

function settingsOf(open: (name: string) => string | Uint8Array | null): PlaneSettings {
  const streams: NamedStreams = {
    settings: new DecodedBytes(new Uint8Array(), "it"),
    ...{ names: [], fileSize: 0, warnings: [], indexBytes: 0 },
    open(name) {
      const content = open(name);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      return bytes && new DecodedBytes(bytes, name);
    },
  };
  return new PlaneSettings(streams);
}

/** Colour by a table after some text, whose last entry is blue, green, red, 0. */
function colorBy(last: number[] | null, entries = 65_536, file = "LUT1"): string | null {
  const table = new Uint8Array(10 + 4 * entries);
  table.set(last ?? [], table.length - 4);
  const text = `[LUT Parameter]\nLUTFileName="${file}"\n`;
  const settings = settingsOf((name) =>
    name === "s_C001.pty" ? text : name === "s_LUT1.lut" && last ? table : null
  );
  return settings.colors(["s_C001.tif"])[0]!;
}

Deno.test("the colour of a channel is the last entry of its table", () => {
  equal(colorBy([1, 0xff, 0x20, 0]), "#20ff01");
  for (const name of ["s_LUT1.lut", "LUT1.LUT", "a.oif.files\\s_LUT1.lut"]) {
    equal(colorBy([1, 2, 3, 0], 65_536, name), "#030201");
  }
  equal(colorBy([0, 0, 0, 0]), null);
  equal(colorBy([1, 2, 3, 0], 1000), null);
  equal(colorBy(null), null);
  deepEqual(settingsOf(() => null).colors([null, "s_C002.tif"]), [null, null]);
});
