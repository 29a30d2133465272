/**
 * Writes the tables of docs/measure.md: error and confidence of velocities over angle, noise and window, from streaks of known
 * velocity (streaks.ts). Prints Markdown.
 *
 * usage: deno run -A tests/browser/velocity_table.ts
 */
import { velocityOverTime } from "../../static/demo/v2/measure/velocity.js";
import { streaks } from "./streaks.ts";

/** Windows of a recording, and recordings of each kind. */
const [WINDOWS, RECORDINGS] = [10, 4];

const NOISES = [0.25, 0.5, 1, 2];

const SIZES = [[64, 64], [128, 64], [128, 32], [256, 128]] as const;

interface Found {
  readonly errors: readonly number[];
  readonly confidence: number;
  readonly verdicts: ReadonlyMap<string, number>;
  readonly count: number;
}

function measure(window: number, columns: number, velocity: number, noise: number): Found {
  const lines = WINDOWS * window;
  const windows = { window, step: window, columns: [0, columns] as const };
  const all = Array.from({ length: RECORDINGS }, (_, i) => {
    const signed = i % 2 === 0 ? velocity : -velocity;
    const samples = streaks({ lines, columns, velocity: signed, noise, seed: 100 + i });
    return velocityOverTime({ samples, shape: [lines, columns] }, windows)
      .map((found) => ({ ...found, error: Math.abs(found.velocity / signed - 1) }));
  }).flat();
  const measured = all.filter(({ verdict }) => verdict === "measured");
  const verdicts = new Map<string, number>();
  for (const { verdict } of all) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  return {
    errors: measured.map(({ error }) => error).sort((a, b) => a - b),
    confidence: measured.reduce((sum, { confidence }) => sum + confidence, 0) / measured.length,
    verdicts,
    count: all.length,
  };
}

const percent = (part: number) => `${(100 * part).toFixed(part < 0.00995 ? 2 : 1)}`;

/** Median and 95th percentile of the error, confidence, and what happened to the other windows. */
function cell({ errors, confidence, verdicts, count }: Found): string {
  const rest = [...verdicts].filter(([verdict]) => verdict !== "measured")
    .map(([verdict, number]) => `${percent(number / count).replace(/\.0$/, "")} % ${verdict}`).join(", ");
  if (errors.length === 0) return rest;
  const at = (part: number) => errors[Math.min(errors.length - 1, Math.floor(part * errors.length))]!;
  const numbers = `${percent(at(0.5))} / ${percent(at(0.95))} (${confidence.toFixed(2)})`;
  return rest === "" ? numbers : `${numbers}; ${rest}`;
}

for (const [window, columns] of SIZES) {
  console.log(`\n${window} lines × ${columns} columns\n`);
  console.log(
    `| px/line | angle | moves (px × lines) | ${NOISES.map((noise) => `noise ${noise}`).join(" | ")} |`,
  );
  console.log(`| ---: | ---: | ---: | ${NOISES.map(() => "---").join(" | ")} |`);
  const speeds = [
    1.5 / window,
    3.2 / window,
    6 / window,
    0.25,
    1,
    4,
    columns / 6,
    columns / 3.2,
    columns / 1.6,
  ];
  for (const speed of [...new Set(speeds)].sort((a, b) => a - b)) {
    const angle = (Math.atan(speed) * 180 / Math.PI).toFixed(1);
    const moves = `${Math.min(columns, speed * window).toFixed(1)} × ${
      Math.min(window, columns / speed).toFixed(1)
    }`;
    const cells = NOISES.map((noise) => cell(measure(window, columns, speed, noise)));
    console.log(`| ${speed.toFixed(3)} | ${angle}° | ${moves} | ${cells.join(" | ")} |`);
  }
}
