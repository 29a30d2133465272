/** When the time points were scanned, by the settings of their planes. */
import type { StopFlag } from "../io/stop_flag.ts";
import { timesFrom } from "../metadata/time_stamps.ts";
import type { PlaneGrid } from "./plane_grid.ts";
import { type PlaneSettings, TIME } from "./plane_settings.ts";

/** Time points whose settings are read: half a millisecond each. Of longer series the planned step counts. */
const MAX_TIME_POINTS = 4096;

/** Seconds of each time point from the first; `null` where one is missing, or they do not rise. */
export function timesOf(grid: PlaneGrid, settings: PlaneSettings, stop: StopFlag): readonly number[] | null {
  const count = grid.sizes.T;
  if (count < 2 || count > MAX_TIME_POINTS) return null;
  const milliseconds: number[] = [];
  for (let t = 0; t < count; t += 1) {
    stop.check();
    const name = grid.find({ t, z: 0, l: 0, channel: 0 });
    const time = name === null ? null : settings.of(name)?.number(TIME, "AbsPositionValue") ?? null;
    if (time === null) return null;
    milliseconds.push(time);
  }
  return timesFrom(milliseconds, 1000);
}
