/** Chooses the window length for velocities by trying several in a few places of a recording. */
import { estimateStanding } from "./standing.ts";
import { isMoving, LEAST_WAY } from "./flow_agreement.ts";
import { hasCountedVelocity } from "./velocity_summary.ts";
import { SHORTEST_WINDOW, type VelocityAt, type Windows } from "./velocity.ts";
import { type ScanSamples } from "../line_scan.ts";
import type { LineOrder } from "../measurement.ts";

/** Seconds of a window: tens of milliseconds resolve the pulse of a mouse; slow flow needs the longer ones. */
const DURATIONS = [0.02, 0.04, 0.08];
const LONGER = [0.16, 0.32, 0.64, 1.28];

/** Assumed seconds per line if unknown, so that windows have at least 25 lines. */
const LINE_TIME = 0.0008;

/** A window needs at least this many lines to show whether the velocity changes in it. */
const LEAST_LINES = 16;

/** Number of places in which each length is tried. */
const PLACES = 12;

/** A length measures most places if at least this share of its windows has a velocity. */
const LEAST_SHARE = 0.8;

/**
 * Yields orders that try lengths, and returns the lines of a window. Among windows of tens of milliseconds that measure
 * most places, that with the least error is chosen; otherwise the shortest longer one that measures most places;
 * otherwise the one that measures the most places.
 *
 * @param lineTime seconds per line, null if unknown
 */
export function* chooseWindow(
  plane: ScanSamples,
  windows: Omit<Windows, "window" | "method" | "standing">,
  lineTime: number | null,
): Generator<LineOrder[], number, VelocityAt[][]> {
  const [rows] = plane.shape;
  const lengthsOf = (durations: readonly number[]) => [
    ...new Set(durations.map((duration) => countWindowLines(duration, lineTime, rows))),
  ];
  const tried = function* (
    lengths: readonly number[],
  ): Generator<LineOrder[], { window: number; share: number; error: number }[], VelocityAt[][]> {
    const trials = lengths.map((window) =>
      // The published methods have no error to choose by.
      divideIntoOrders(
        plane,
        { ...windows, window, method: "autocorrelation" },
        spreadPlaces(rows - window),
        1,
      )
    );
    const found = (yield trials.flat().map((order) => ({ ...order, isTrial: true }))).flat();
    return lengths.map((window, i) => {
      const own = found.splice(0, trials[i]?.length);
      const errors = own.filter(hasCountedVelocity).map(({ error }) => error).sort((a, b) => a - b);
      const error = errors[Math.floor(errors.length / 2)] ?? Infinity;
      return { window, share: errors.length / PLACES, error };
    });
  };
  const short = lengthsOf(DURATIONS);
  const all = yield* tried(short);
  const good = all.filter(({ share }) => share >= LEAST_SHARE);
  if (good.length > 0) return good.reduce((one, other) => other.error < one.error ? other : one).window;
  for (const window of lengthsOf(LONGER)) {
    for (const found of yield* tried([window])) {
      if (found.share >= LEAST_SHARE) return window;
      all.push(found);
    }
  }
  const greatest = all.reduce((one, other) => other.share > one.share ? other : one);
  return greatest.share > 0 ? greatest.window : short.slice(0, 2).at(-1) ?? greatest.window;
}

/** Longest window, in seconds, where shorter ones may disagree. */
const SHORT = [...DURATIONS, ...LONGER.slice(0, 1)];

/** Velocities contradict each other beyond this many standard errors and this part of the faster one. */
const [CONTRADICTING, APART] = [3, 0.15];

/** Lines of a window that is tried, at most: longer ones are tried on means of lines, as they are for slow flow. */
const MOST_LINES = 160;

/** Of the places, the longest windows are tried in every such one first. */
const SPARSE = 3;

/** Fractional parts of the multiples of this number are spread evenly, without a period. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Fewer places than this with a velocity show no flow. */
const FEW = 2;

/**
 * Yields orders that try lengths, and returns the lines of a window, for the method whose windows agree. Of windows up to
 * 80 ms in which most places show that cells move or stand, that with the least error is chosen, else one of 160 ms. A longer
 * one is chosen if the shorter ones see nothing in most places, or see everything stand where the longer one sees slow
 * flow, and if no shorter one contradicts it.
 *
 * @param lineTime seconds per line, null if unknown
 */
export function* chooseAgreeingWindow(
  plane: ScanSamples,
  windows: Omit<Windows, "window" | "method" | "standing">,
  lineTime: number | null,
): Generator<LineOrder[], number, VelocityAt[][]> {
  const [rows] = plane.shape;
  const width = windows.columns[1] - windows.columns[0];
  const tried = (durations: readonly number[], every = 1) =>
    tryLengths(
      plane,
      windows,
      durations.map((duration) => countWindowLines(duration, lineTime, rows)),
      every,
    );
  const isFlow = (one: VelocityAt) => isMoving(one) && Math.abs(one.velocity) * rows >= LEAST_WAY * width;
  const flows = ({ found }: Tried) => found.filter(isFlow).length;
  let short: Tried[] = [];
  const isSlow = (place: number, than: Tried) =>
    short.some(({ window, found }) =>
      window > than.window && found[place] !== undefined && isFlow(found[place]) &&
      !contradictsLonger(than.found[place], found[place])
    );
  const sees = (one: Tried) =>
    one.found.filter((here, place) => isFlow(here) || here.verdict === "standing" && !isSlow(place, one))
      .length;
  const most = LEAST_SHARE * PLACES;
  for (const durations of [DURATIONS, SHORT.slice(DURATIONS.length)]) {
    const former = short;
    short = [...former, ...yield* tried(durations)];
    const good = short.filter((one) => sees(one) >= most);
    if (good.length > 0 && short.some((one) => flows(one) >= FEW)) {
      return good.reduce((one, other) => other.error < one.error ? other : one).window;
    }
  }
  const best = short.reduce((one, other) => sees(other) > sees(one) ? other : one);
  if (sees(best) >= PLACES / 2 && short.some((one) => flows(one) >= FEW)) return best.window;
  for (const duration of LONGER.slice(1)) {
    // A few places show whether there is slow flow.
    const [few] = yield* tried([duration], SPARSE);
    if (few === undefined || few.window <= best.window || flows(few) < FEW) continue;
    for (const longer of yield* tried([duration])) {
      const isContradicted = longer.found.some((one, i) =>
        isMoving(one) && short.some(({ found }) => contradictsLonger(found[i], one))
      );
      if (flows(longer) >= most && !isContradicted) return longer.window;
    }
  }
  return (sees(best) > 0 ? best : short.slice(0, 2).at(-1) ?? best).window;
}

/** Yields orders that try windows of these lines, at every so many of the places. */
function* tryLengths(
  plane: ScanSamples,
  windows: Omit<Windows, "window" | "method" | "standing">,
  all: readonly number[],
  every: number,
): Generator<LineOrder[], Tried[], VelocityAt[][]> {
  const [rows] = plane.shape;
  // At unequal distances, so that no period of the flow hides between them.
  const centres = Array.from({ length: PLACES }, (_, i) => (i + 1) * GOLDEN % 1).sort((a, b) => a - b)
    .map((part) => part * rows).filter((_, i) => i % every === 0);
  const lengths = [...new Set(all)];
  const trials = lengths.map((window) => {
    if (window > rows) return [];
    const starts = centres.map((centre) =>
      Math.max(0, Math.min(rows - window, Math.round(centre - window / 2)))
    );
    const trial = { ...windows, window, every: Math.ceil(window / MOST_LINES), method: "agreeing" as const };
    return divideIntoOrders(plane, trial, starts, 1);
  });
  const found = (yield trials.flat().map((order) => ({ ...order, isTrial: true }))).flat();
  return lengths.map((window, i) => evaluateWindow(window, found.splice(0, trials[i]?.length)));
}

/** `error` is the median of the velocities'. */
type Tried = { window: number; found: readonly VelocityAt[]; error: number };
function evaluateWindow(window: number, found: readonly VelocityAt[]): Tried {
  const errors = found.filter(isMoving).map(({ error }) => error).sort((a, b) => a - b);
  return { window, found, error: errors[Math.floor(errors.length / 2)] ?? Infinity };
}

/** Whether what a shorter window sees contradicts a longer one. */
function contradictsLonger(shorter: VelocityAt | undefined, longer: VelocityAt) {
  if (shorter === undefined || !isMoving(shorter) && shorter.verdict !== "standing") return false;
  const [one, other] = [shorter, longer].map(({ rough }) => rough ?? { velocity: NaN, error: NaN }) as [
    { velocity: number; error: number },
    { velocity: number; error: number },
  ];
  const noise = Math.hypot(one.error, other.error);
  return Math.abs(one.velocity - other.velocity) >
    CONTRADICTING * noise + APART * Math.max(Math.abs(one.velocity), Math.abs(other.velocity));
}

/**
 * Lines of a window before anything is measured: 40 ms.
 *
 * @param lineTime seconds
 * @param rows of the recording
 */
export const chooseFirstWindow = (lineTime: number | null, rows: number): number =>
  countWindowLines(DURATIONS[1]!, lineTime, rows);

/** Lines of a window of some seconds. */
const countWindowLines = (duration: number, lineTime: number | null, rows: number): number =>
  Math.min(
    Math.max(SHORTEST_WINDOW, Math.floor(rows / 3)),
    Math.max(LEAST_LINES, Math.round(duration / (lineTime ?? LINE_TIME))),
  );

/** @param last first line of the last window */
const spreadPlaces = (last: number) =>
  last < 0 ? [] : Array.from({ length: PLACES }, (_, i) => Math.round(last * i / (PLACES - 1)));

/** Divides the windows that begin at the given lines into orders of `size` windows. */
export function divideIntoOrders(
  { samples, shape: [rows, columns] }: ScanSamples,
  windows: Omit<Windows, "standing">,
  starts: readonly number[],
  size: number,
  wall?: Float64Array,
): LineOrder[] {
  if (starts.length === 0) return [];
  const standing = wall ?? estimateStanding(samples, rows, columns, windows.window);
  return Array.from({ length: Math.ceil(starts.length / size) }, (_, i) => {
    const own = starts.slice(i * size, (i + 1) * size);
    const [first = NaN, last = NaN] = [own.at(0), own.at(-1)];
    const lines = [first, last + windows.window] as const;
    return { lines, windows: { ...windows, standing }, starts: own.map((start) => start - first) };
  });
}
