/** Writes the table of velocities of docs/measure-accuracy.md; the published methods measure the recordings of 1 ms per line. */
import { measuredPulses } from "./measured_pulses.ts";
import { percentile } from "./measured_streaks.ts";

const LINES = [[0.0005, 64], [0.001, 100], [0.002, 128]] as const;
const FLOWS = [[0, "steady"], [Infinity, "accelerating"], [2, "2 Hz"], [5, "5 Hz"], [10, "10 Hz"]] as const;

const percent = (part: number) => `${(100 * part).toFixed(part < 0.00995 ? 2 : 1)} %`;
const rootMeanSquare = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

/** Median and half of the range of the middle 68 %, which outliers do not change. */
function biasAndSpread(off: readonly number[]): string {
  const [low, middle, high] = [0.16, 0.5, 0.84].map((part) => 100 * percentile(off, part));
  return `${middle!.toFixed(1)} ± ${((high! - low!) / 2).toFixed(1)} %`;
}

type Measured = ReturnType<typeof measuredPulses>;

/** Cells of recordings whose windows were chosen. */
function cells(measured: readonly Measured[]): string[] {
  const numbers = measured.flatMap(({ numbers }) => numbers);
  const off = numbers.map(({ off }) => off);
  const covered = numbers.filter(({ off, error }) => Math.abs(off) <= 1.96 * error * (1 + off)).length;
  const stated = rootMeanSquare(numbers.map(({ error }) => error));
  const count = measured.reduce((sum, { all }) => sum + all.length, 0);
  return [
    percent(numbers.length / count),
    biasAndSpread(off),
    percent(percentile(off.map(Math.abs), 0.5)),
    percent(covered / numbers.length),
    (stated / rootMeanSquare(off)).toFixed(1),
  ];
}

const row = (texts: readonly string[]) => console.log(`| ${texts.join(" | ")} |`);
const heads = ["with a number", "off", "median error", "covered", "stated / actual"];
row(["flow", "noise", ...heads, "Radon: off", "PIV: off"]);
row(Array.from({ length: 9 }, () => "---:"));
for (const [frequency, flow] of FLOWS) {
  for (const noise of [0, 0.5, 1, 2]) {
    const each = LINES.map(([lineTime, columns]) => {
      const what = { lineTime, columns, frequency, noise, pixelTime: 5e-6, recordings: 2 };
      return { what, measured: measuredPulses(what) };
    });
    const [, { what, measured: { windows } }] = each as [typeof each[0], typeof each[0]];
    const published = (["radon", "piv"] as const).map((method) =>
      biasAndSpread(measuredPulses({ ...what, method, window: windows[0]! }).numbers.map(({ off }) => off))
    );
    row([flow, String(noise), ...cells(each.map(({ measured }) => measured)), ...published]);
  }
}
