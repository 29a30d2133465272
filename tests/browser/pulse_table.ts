/**
 * Writes the table of pulsatile flow of docs/measure.md. Prints Markdown.
 *
 * usage: deno run -A tests/browser/pulse_table.ts
 */
import { percentile } from "./measured_streaks.ts";
import { measuredPulses } from "./measured_pulses.ts";

const percent = (part: number) => `${(100 * part).toFixed(part < 0.00995 ? 2 : 1)} %`;

console.log(
  "| ms per line | Hz | noise | windows (ms) | with a number | error: median | 95th percentile | covered | changing |",
);
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const [lineTime, columns] of [[0.0005, 64], [0.001, 100], [0.002, 128]] as const) {
  for (const frequency of [0, 2, 5, 10]) {
    for (const noise of [0, 0.5, 1, 2]) {
      const what = { lineTime, columns, frequency, noise, pixelTime: 5e-6, recordings: 4 };
      const { all, numbers, covered, windows } = measuredPulses(what);
      const off = numbers.map((number) => Math.abs(number.off));
      const changing = all.filter(({ verdict }) => verdict === "changing").length;
      const times = [...new Set(windows)].toSorted((a, b) => a - b).map((window) => window * lineTime * 1000);
      console.log(
        `| ${lineTime * 1000} | ${frequency} | ${noise} | ${times.join(", ")} | ${
          percent(numbers.length / all.length)
        } | ${percent(percentile(off, 0.5))} | ${percent(percentile(off, 0.95))} | ${percent(covered)} | ${
          percent(changing / all.length)
        } |`,
      );
    }
  }
}
