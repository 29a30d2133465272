/**
 * What the windows of a recording say together: which velocities hold beside those of their neighbours, whether the
 * pattern is one that flows, and how far errors must be widened.
 */
import { computeMean, findPercentile } from "../traces.ts";
import { measureStep } from "./velocity_summary.ts";
import type { WindowFlow } from "./window_flow.ts";

/** What flows in a window; `line` is the middle of the window, from 0. */
export type FlowAt = WindowFlow & { line: number };

/** Support lies at most this many windows away. */
const NEAR = 4;

/**
 * Velocities are similar if they differ by less than this part of the faster one and three standard errors: of windows that
 * overlap, and of those that do not.
 */
const [SMOOTH, SIMILAR, ERRORS] = [0.35, 0.5, 3];

/** A run of less than this many windows is short. */
const SHORT = 3;

/** What flows moves on by at least this part of the line; tissue that breathes or drifts does not. */
export const LEAST_WAY = 0.5;

/** Less variance than this part of the usual one that moves is not flow. */
const FAINT = 0.03;

/** Windows that are needed for an estimate of the whole recording. */
const SEVERAL = 8;

/** Flow is steady if at least this share of its windows does not change; then errors are widened by at most this more. */
const [STEADY, MOST_SCATTER] = [0.95, 2];

/** Errors are indicative if their variance had to be widened by more than this, or neighbouring residuals correlate more. */
const [CALIBRATED, ALIKE] = [1.5, 0.2];

/** Errors are indicative if the noise is below this part of the variance, as interpolation then matters more. */
const LEAST_NOISE = 0.005;

/** Whether a window has a velocity other than 0. */
export const isMoving = ({ verdict, velocity }: { verdict: string; velocity: number }): boolean =>
  Number.isFinite(velocity) && verdict !== "standing";

/**
 * Judges the windows beside each other: those without support lose their velocity, and errors are widened.
 *
 * @param found at equal distances
 * @param window lines
 */
export function requireAgreement(
  found: readonly FlowAt[],
  window: number,
  columns: number,
): (FlowAt & { isIndicative?: boolean })[] {
  const strengths = Float64Array.from(found.filter(isMoving), ({ strength }) => strength);
  const usual = findPercentile(strengths, 50);
  const clear = found.map((one) =>
    one.isBroken || isMoving(one) && one.strength < FAINT * usual ? asUnclear(one) : one
  );
  const supported = clear.map((one, i) =>
    !isMoving(one) || isSupported(one, i, clear, window) ? one : asUnclear(one)
  );
  const lasting = dropShortRuns(supported, window);
  const flowing = integrateWay(lasting) < LEAST_WAY * columns
    ? lasting.map((one) => isMoving(one) ? asUnclear(one) : one)
    : lasting;
  const isStill = !flowing.some(isMoving);
  const all = flowing.map((one) =>
    isStill && one.stands ? { ...one, verdict: "standing" as const, velocity: 0, error: NaN, rest: 1 } : one
  );
  return widenErrors(all, window, usual);
}

const asUnclear = ({ second: _, secondError: __, ...one }: FlowAt): FlowAt => ({
  ...one,
  verdict: "unclear",
  velocity: NaN,
  error: NaN,
});

/**
 * Whether the windows next to this one, where they have a velocity, have a similar one on at least one side; whether
 * another window near it that shares no line with it does, if there is one; and whether one beside it also has two
 * velocities if it has two.
 */
function isSupported(one: FlowAt, i: number, found: readonly FlowAt[], window: number): boolean {
  const near = found.slice(Math.max(0, i - 2), i + 3).filter((other) => other !== one && isMoving(other));
  if (one.second !== undefined && found.length > 1 && !near.some(({ second }) => second !== undefined)) {
    return false;
  }
  const beside = [found[i - 1], found[i + 1]].flatMap((other) =>
    other !== undefined && isMoving(other) ? [other] : []
  );
  if (beside.length > 0 && !beside.some((other) => isSimilar(one, other, SMOOTH))) return false;
  let apart = 0;
  for (const way of [-1, 1]) {
    let j = i + way;
    for (let other = found[j]; other !== undefined; other = found[j += way]) {
      const distance = Math.abs(other.line - one.line);
      if (distance > NEAR * window) break;
      if (distance < window) continue;
      apart += 1;
      if (isMoving(other) && isSimilar(one, other, SIMILAR)) return true;
    }
  }
  return apart === 0;
}

/** Without short runs of similar velocities that differ from the longer runs before and after them. */
function dropShortRuns(found: readonly FlowAt[], window: number): readonly FlowAt[] {
  const runs: FlowAt[][] = [];
  for (const one of found.filter(isMoving)) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && isSimilar(last, one, SIMILAR)) runs.at(-1)?.push(one);
    else runs.push([one]);
  }
  const lengthOf = (run: FlowAt[]) => (run.at(-1)?.line ?? 0) - (run.at(0)?.line ?? 0) + window;
  const broken = new Set(
    runs.filter((run, i) => {
      const neighbours = [runs[i - 1], runs[i + 1]].filter((other) => other !== undefined);
      return neighbours.length > 0 && lengthOf(run) < SHORT * window &&
        neighbours.every((other) => lengthOf(other) > lengthOf(run));
    }).flat(),
  );
  return found.map((one) => broken.has(one) ? asUnclear(one) : one);
}

/**
 * Whether each velocity of one window has a similar one in the other.
 *
 * @param part by which they may differ
 */
function isSimilar(one: FlowAt, other: FlowAt, part: number) {
  const [own, others] = [one, other].map(({ velocity, second = NaN }) =>
    [velocity, second].filter(Number.isFinite)
  ) as [number[], number[]];
  const noise = Math.hypot(one.rough.error || 0, other.rough.error || 0);
  const isNear = (a: number, b: number) =>
    Math.abs(a - b) <= part * Math.max(Math.abs(a), Math.abs(b)) + ERRORS * noise;
  return own.every((a) => others.some((b) => isNear(a, b))) ||
    others.every((b) => own.some((a) => isNear(a, b)));
}

/** How far the cells get from where they are at some time, in pixels; of two flows, the farther one. */
function integrateWay(found: readonly FlowAt[]) {
  const ways = [0, 1].map(() => ({ way: 0, low: 0, high: 0 }));
  for (const [i, { line, velocity, second = velocity }] of found.entries()) {
    const next = found[i + 1]?.line ?? line + (line - (found[i - 1]?.line ?? line - 1));
    for (const [which, one] of ways.entries()) {
      const speed = which === 0 ? velocity : second;
      one.way += (Number.isFinite(speed) ? speed : 0) * (next - line);
      [one.low, one.high] = [Math.min(one.low, one.way), Math.max(one.high, one.way)];
    }
  }
  return Math.max(...ways.map(({ low, high }) => high - low));
}

/** A window whose halves agree within widened errors. @param factor of errors */
function steadyWindow(found: FlowAt, factor: number): FlowAt {
  const { whole, change = Infinity, verdict } = found;
  if (verdict !== "changing" || whole === undefined || !(change <= ERRORS * factor)) return found;
  if (!Number.isFinite(whole.velocity)) return found;
  const { straight: _, ...one } = found;
  return { ...one, ...whole };
}

/**
 * Widens errors by what residuals have in common in the whole recording, and by how far neighbours differ in steady flow.
 *
 * @param usual strength
 */
function widenErrors(found: readonly FlowAt[], window: number, usual: number) {
  const own = Float64Array.from(
    found.filter(({ verdict }) => verdict === "measured"),
    ({ spread }) => spread,
  );
  const most = 4 * findPercentile(own, 50);
  const isCommon = own.length >= SEVERAL;
  const common = isCommon ? Math.max(1, computeMean(own.map((spread) => Math.min(most, spread)))) : 1;
  const all = found.map((one) => steadyWindow(one, Math.sqrt(common)));
  const alike = findPercentile(
    Float64Array.from(found.filter(({ verdict }) => verdict === "measured"), ({ likeness }) => likeness),
    50,
  );
  const factor = common * Math.min(MOST_SCATTER, Math.max(1, measureScatter(all, window) / common));
  return all.map((one) => {
    if (!isMoving(one)) return one;
    const { spread, error, confidence, strength, verdict } = one;
    const isUsual = verdict === "measured" && isCommon && strength > usual / 2;
    return {
      ...one,
      error: error * Math.sqrt(isCommon ? factor : Math.max(1, spread)),
      isIndicative: !isUsual || factor > CALIBRATED || alike > ALIKE || confidence > 1 - LEAST_NOISE,
    };
  });
}

/**
 * How far velocities of neighbours that share no line differ from the line through them, as a multiple of their variance; 0
 * if flow changes, or if there are too few.
 */
function measureScatter(found: readonly FlowAt[], window: number): number {
  const moving = found.filter(isMoving);
  const measured = moving.filter(({ verdict }) => verdict === "measured");
  if (found.length < 2 || measured.length < STEADY * moving.length) return 0;
  const away = Math.ceil(window / measureStep(found));
  const squares = found.flatMap((one, i) => {
    const three = [found[i - away], one, found[i + away]];
    if (!three.every((part): part is FlowAt => part?.verdict === "measured")) return [];
    const [before, here, after] = three.map(({ velocity }) => velocity) as [number, number, number];
    const [a, b, c] = three.map(({ velocity, error }) => (velocity * error) ** 2) as [number, number, number];
    return [(before - 2 * here + after) ** 2 / (a + 4 * b + c)];
  });
  // The median of a squared normal deviate is 0.455.
  return squares.length < 4 * SEVERAL ? 0 : findPercentile(Float64Array.from(squares), 50) / 0.455;
}
