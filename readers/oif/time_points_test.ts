import { deepEqual, equal } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { StopFlag } from "../io/stop_flag.ts";
import type { NamedStreams } from "./named_streams.ts";
import { PlaneGrid } from "./plane_grid.ts";
import { planeNames } from "./plane_names.ts";
import { PlaneSettings } from "./plane_settings.ts";
import { timesOf } from "./time_points.ts";

/** Times of a series of so many planes, whose settings state a position in milliseconds, or `null` for none. */
function times(count: number, position: (t: number) => number | null): readonly number[] | null {
  const settings = new DecodedBytes(new Uint8Array(), "it");
  const streams: NamedStreams = {
    ...{ settings, names: [], fileSize: 0, warnings: [], indexBytes: 0 },
    open(name) {
      const at = position(Number(/T(\d+)\.pty$/.exec(name)?.[1]));
      const text = `[Axis 4 Parameters]\nAbsPositionValue=${at}\n`;
      return at === null ? null : new DecodedBytes(new TextEncoder().encode(text), name);
    },
  };
  const names = Array.from({ length: count }, (_, i) => `s_C001T${String(i + 1).padStart(3, "0")}.tif`);
  return timesOf(
    new PlaneGrid(planeNames(names).planes, 1),
    new PlaneSettings(streams),
    new StopFlag(),
  );
}

Deno.test("seconds of each time point from the first, which need not be 0", () => {
  deepEqual(times(3, (t) => [500, 750, 2000][t - 1]!), [0, 0.25, 1.5]);
  deepEqual(times(2, (t) => -1000 / t), [0, 0.5]);
});

Deno.test("one time point, one without a time, and times that do not rise are none", () => {
  equal(times(1, () => 5), null);
  equal(times(3, (t) => t === 2 ? null : 10 * t), null);
  equal(times(3, (t) => [1, 2, 2][t - 1]!), null);
  equal(times(2, (t) => -t), null);
});

Deno.test("the settings of so many time points are read, and of no more", () => {
  equal(times(4096, (t) => t)?.length, 4096);
  equal(times(4097, (t) => t), null);
});
