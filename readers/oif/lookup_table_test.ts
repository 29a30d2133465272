import { equal } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { tableColor } from "./lookup_table.ts";
import type { NamedStreams } from "./named_streams.ts";
import { Settings } from "./settings.ts";

const PLANE = new Settings('[LUT Parameter]\nLUTFileName="LUT1"\n', "it");

function colorOf(table: Uint8Array | null, plane: Settings | null = PLANE): string | null {
  const settings = new DecodedBytes(new Uint8Array(), "it");
  const streams: NamedStreams = {
    ...{ settings, names: [], fileSize: 0, warnings: [], indexBytes: 0 },
    open: (name) => name === "s_LUT1.lut" && table ? new DecodedBytes(table, name) : null,
  };
  return tableColor(plane, streams, []);
}

/** A table behind some text; entries are blue, green, red, 0. */
function table(last: number[], entries = 65_536): Uint8Array {
  const bytes = new Uint8Array(10 + 4 * entries);
  bytes.set(last, bytes.length - 4);
  return bytes;
}

Deno.test("the colour of a channel is the last entry of its table", () => {
  equal(colorOf(table([1, 0xff, 0x20, 0])), "#20ff01");
  for (const name of ["s_LUT1.lut", "LUT1.LUT", "a.oif.files\\s_LUT1.lut"]) {
    equal(
      colorOf(table([1, 2, 3, 0]), new Settings(`[LUT Parameter]\nLUTFileName=${name}\n`, "it")),
      "#030201",
    );
  }
  equal(colorOf(table([0, 0, 0, 0])), null);
  equal(colorOf(table([1, 2, 3, 0], 1000)), null);
  equal(colorOf(null), null);
  equal(colorOf(table([1, 2, 3, 0]), null), null);
});
