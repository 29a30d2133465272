/** Velocities that are measured in the recordings of streak_conditions.ts, against what is true in them. */
import { hasCountedVelocity } from "../../static/measure/flow/velocity_summary.ts";
import { summarizeItems } from "../../static/measure/measurement.ts";
import { VELOCITY } from "../../static/measure/flow/mod.ts";
import { bandOf, measuredIn } from "../page/synthetic.ts";
import { COLUMNS, type Condition, type Kind, LINE_TIME, PIXEL } from "./streak_conditions.ts";
import { percentile } from "./measured_streaks.ts";

/** Measures as the page does; `settings` by hand. */
export function measuredCondition(made: Condition, settings: Readonly<Record<string, unknown>> = {}) {
  const axes = [{ step: LINE_TIME, unit: "seconds" }, { step: PIXEL, unit: "um" }] as const;
  const plane = { samples: made.samples, shape: [made.samples.length / COLUMNS, COLUMNS] as const };
  const { found, settings: used } = measuredIn("velocity", plane, settings, { axes });
  const summary = summarizeItems(VELOCITY, found, bandOf(plane, { axes }), used);
  return { found, window: used.window, quantities: new Map(summary.map(({ name, value }) => [name, value])) };
}

/** The 95 % interval of a share by Wilson, as text. */
export function shareText(count: number, of: number): string {
  if (of === 0) return "–";
  const [part, z] = [count / of, 1.96];
  const middle = (part + z * z / (2 * of)) / (1 + z * z / of);
  const half = z * Math.sqrt(part * (1 - part) / of + z * z / (4 * of * of)) / (1 + z * z / of);
  const [low, high] = [Math.max(0, middle - half), middle + half].map((share) => (100 * share).toFixed(1));
  return `${count} of ${of} (${low} to ${high} %)`;
}

/** Measures recordings of a kind. */
export function measuredKind(
  kind: Kind,
  seeds: readonly number[],
  lines: number,
  settings: Readonly<Record<string, unknown>> = {},
) {
  const offs: { off: number; error: number; isIndicative: boolean }[] = [];
  let [windows, gross, both, twos] = [0, 0, 0, 0];
  const [rests, lengths]: [number[], number[]] = [[], []];
  const verdicts: Record<string, number> = {};
  for (const seed of seeds) {
    const made = kind(seed, lines);
    const { found, window, quantities } = measuredCondition(made, settings);
    lengths.push(window);
    windows += found.length;
    if (made.rest !== undefined) {
      rests.push(Number(quantities.get("Time at rest") ?? 0) / 100 - made.rest);
    }
    for (const one of found) {
      verdicts[one.verdict] = (verdicts[one.verdict] ?? 0) + 1;
      const { velocity, error, verdict, line, second } = one as typeof one & { second?: number };
      const near = (value: number, truth: number) => Math.abs(value / truth - 1) < 0.2;
      if (made.second !== undefined) {
        twos += 1;
        const given = [velocity, second ?? NaN];
        if ([made.velocity(line)!, made.second].every((truth) => given.some((value) => near(value, truth)))) {
          both += 1;
        }
        continue;
      }
      if (!hasCountedVelocity(one) || verdict === "standing") continue;
      // The truth changes within some windows, whose velocity may lie between.
      const truths = [-0.5, -0.25, 0, 0.25, 0.5].map((part) => made.velocity(line + part * window));
      const truth = made.velocity(line);
      const isOff = truths.every((one) => one === null) ||
        (made.rest === undefined || truths.every((one) => one === truths[0])) &&
          !(Math.abs(velocity - truth!) < 0.2 * Math.abs(truth!));
      if (isOff) gross += 1;
      if (truth !== null && truth !== 0 && truths.every((one) => one === truth || made.rest === undefined)) {
        const { isIndicative = false } = one as { isIndicative?: boolean };
        offs.push({ off: velocity / truth - 1, error, isIndicative });
      }
    }
  }
  const square = (values: readonly number[]) =>
    Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return {
    windows,
    gross,
    lengths,
    verdicts,
    rests,
    numbers: offs.length,
    bias: percentile(offs.map(({ off }) => off), 0.5),
    most: percentile(offs.map(({ off }) => Math.abs(off)), 0.95),
    covered: offs.filter(({ off, error }) => Math.abs(off) <= 1.96 * error * (1 + off)).length / offs.length,
    indicative: offs.filter(({ isIndicative }) => isIndicative).length / offs.length,
    stated: square(offs.map(({ error }) => error)) / square(offs.map(({ off }) => off)),
    both: twos === 0 ? NaN : both / twos,
  };
}
