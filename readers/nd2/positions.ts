/** Scenes of a file: the stage positions with frames. */
import { DecodeFailed } from "../errors.ts";
import { sceneNames } from "../metadata/channels.ts";
import type { Acquisition, SceneEntry, Scenes } from "../reader.ts";
import { listed, MAX_LISTED, type Warning, warning } from "../warning.ts";
import type { FrameNumbers } from "./experiment.ts";

/** One position of a file. */
export interface Positions {
  /** Length of the axes of each position. */
  readonly sizes: SceneEntry["sizes"];
  /** Opens a position by its index among the declared ones. */
  open(position: number): Acquisition;
}

/**
 * The positions with stored frames.
 *
 * @param frames numbers of the stored frames
 * @throws {DecodeFailed} all are beyond the declared frames
 */
export function positionScenes(
  numbers: FrameNumbers,
  frames: Iterable<number>,
  { sizes, open }: Positions,
): Scenes {
  const stored = new Set<number>();
  for (const frame of frames) if (frame < numbers.count) stored.add(numbers.sceneOf(frame));
  const declared = numbers.size("P");
  const served = declared === 1 ? [0] : [...stored].sort((a, b) => a - b);
  if (served.length === 0) throw new DecodeFailed("it holds no frames");
  const names = numbers.loop("P")?.names ?? [];
  return {
    count: served.length,
    own: 0,
    warnings: served.length === declared ? [] : [leftOut(stored, declared, names)],
    entries: (most) => served.slice(0, most).map((position) => ({ name: names[position] ?? null, sizes })),
    open: (scene) => Promise.try(() => open(served[scene]!)),
  };
}

function leftOut(stored: ReadonlySet<number>, declared: number, names: readonly (string | null)[]): Warning {
  const served = sceneNames(names.slice(0, 10_000));
  const named: string[] = [];
  for (let position = 0; position < declared && named.length < MAX_LISTED; position += 1) {
    if (!stored.has(position)) named.push(`"${served[position] ?? `Scene ${position + 1}`}"`);
  }
  const missing = declared - stored.size;
  const text = `${missing} of ${declared} positions have no frames and are left out`;
  return warning("scenes_left_out", `${text}: ${listed(named, missing)}`);
}
