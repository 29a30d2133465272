/**
 * Writes the tables: error and confidence of velocities over angle, noise and window, from streaks of known
 * velocity (streaks.ts). Prints Markdown.
 *
 * usage: deno run -A tests/browser/velocity_table.ts
 */
import { type Measured, measuredStreaks, percentile } from "./measured_streaks.ts";

const NOISES = [0, 0.25, 0.5, 1, 2];

const SIZES = [
  { window: 64, columns: 64, cells: [5, 14], recordings: 10 },
  { window: 128, columns: 32, cells: [5, 14], recordings: 10 },
  { window: 64, columns: 64, cells: [10, 30], recordings: 10 },
  { window: 128, columns: 64, cells: [5, 14], recordings: 10 },
  { window: 256, columns: 128, cells: [5, 14], recordings: 10 },
] as const;

const percent = (part: number) => `${(100 * part).toFixed(part < 0.00995 ? 2 : 1)}`;

/** Median and 95th percentile of the error, confidence, and what happened to the other windows. */
function cell(all: readonly Measured[]): string {
  const measured = all.filter(({ verdict }) => verdict === "measured");
  const verdicts = new Map<string, number>();
  for (const { verdict } of all) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  const rest = [...verdicts].filter(([verdict]) => verdict !== "measured")
    .map(([verdict, number]) => `${percent(number / all.length).replace(/\.0+$/, "")} % ${verdict}`).join(
      ", ",
    );
  if (measured.length === 0) return rest;
  const errors = measured.map(({ off }) => off);
  const confidence = measured.reduce((sum, found) => sum + found.confidence, 0) / measured.length;
  const numbers = `${percent(percentile(errors, 0.5))} / ${percent(percentile(errors, 0.95))} (${
    confidence.toFixed(2)
  })`;
  return rest === "" ? numbers : `${numbers}; ${rest}`;
}

for (const { window, columns, cells, recordings } of SIZES) {
  console.log(`\n#### ${window} lines × ${columns} columns, cells ${cells[0]} pixels wide\n`);
  console.log(
    `| px/line | angle | moves (px × lines) | ${NOISES.map((noise) => `noise ${noise}`).join(" | ")} |`,
  );
  console.log(`| ---: | ---: | ---: | ${NOISES.map(() => "---").join(" | ")} |`);
  // None but the slowest and fastest repeats the pixels after a whole number of lines, which would flatter it.
  const speeds = [
    1.5 / window,
    3.2 / window,
    6 / window,
    0.27,
    0.93,
    3.7,
    columns / 6,
    columns / 3.2,
    columns / 1.6,
  ];
  for (const speed of speeds.toSorted((a, b) => a - b)) {
    const angle = (Math.atan(speed) * 180 / Math.PI).toFixed(1);
    const moves = `${Math.min(columns, speed * window).toFixed(1)} × ${
      Math.min(window, columns / speed).toFixed(1)
    }`;
    const fields = NOISES.map((noise) =>
      cell(measuredStreaks({ window, columns, speed, noise, cells, recordings }))
    );
    console.log(`| ${speed.toFixed(3)} | ${angle}° | ${moves} | ${fields.join(" | ")} |`);
  }
}
