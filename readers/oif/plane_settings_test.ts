import { deepEqual, equal } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { PlaneSettings } from "./plane_settings.ts";
import { PlaneGrid, sortPlaneNames } from "./planes.ts";
import type { NamedStreams } from "./streams.ts";

function settingsOf(open: (name: string) => string | Uint8Array | null): PlaneSettings {
  const streams: NamedStreams = {
    settings: new DecodedBytes(new Uint8Array(), "it"),
    ...{ names: [], fileSize: () => 0, warnings: [], indexBytes: 0 },
    open(name) {
      const content = open(name);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      return bytes && new DecodedBytes(bytes, name);
    },
  };
  return new PlaneSettings(streams);
}

/** Time stamps of a series whose settings state a position in milliseconds, or `null` for none. */
function times(count: number, position: (t: number) => number | null): readonly number[] | null {
  const settings = settingsOf((name) => {
    const at = position(Number(/T(\d+)\.pty$/.exec(name)?.[1]));
    return at === null ? null : `[Axis 4 Parameters]\nAbsPositionValue=${at}\n`;
  });
  const names = Array.from({ length: count }, (_, i) => `s_C001T${String(i + 1).padStart(3, "0")}.tif`);
  const grid = new PlaneGrid(sortPlaneNames(names).places[0]!.planes, 1);
  const stamps = settings.stamps(grid, new StopFlag());
  return stamps && Array.from(stamps.seconds);
}

Deno.test("counts seconds of each time point from the first, which need not be 0", () => {
  deepEqual(times(3, (t) => [500, 750, 2000][t - 1]!), [0, 0.25, 1.5]);
  deepEqual(times(2, (t) => -1000 / t), [0, 0.5]);
});

Deno.test("gives the times as they are, and a missing one as not a number", () => {
  equal(times(1, () => 5), null);
  equal(times(3, () => null), null);
  deepEqual(times(3, (t) => t === 2 ? null : 1000 * t), [0, NaN, 2]);
  deepEqual(times(3, (t) => [1000, 2000, 500][t - 1]!), [0, 1, -0.5]);
});

Deno.test("reads the times of the first 4096 time points", () => {
  equal(times(4096, (t) => t)?.length, 4096);
  equal(times(4097, (t) => t)?.length, 4096);
});

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

Deno.test("takes the colour of a channel from the last entry of its table", () => {
  equal(colorBy([1, 0xff, 0x20, 0]), "#20ff01");
  for (const name of ["s_LUT1.lut", "LUT1.LUT", "a.oif.files\\s_LUT1.lut"]) {
    equal(colorBy([1, 2, 3, 0], 65_536, name), "#030201");
  }
  equal(colorBy([0, 0, 0, 0]), null);
  equal(colorBy([1, 2, 3, 0], 1000), null);
  equal(colorBy(null), null);
  deepEqual(settingsOf(() => null).colors([null, "s_C002.tif"]), [null, null]);
});
