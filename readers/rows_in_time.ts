/**
 * Recordings whose time points have one row: line scans that a converter took apart. Bio-Formats stores line scans so, and with it
 * ImageJ, bfconvert and bioformats2raw. Their time points are served as the rows of one plane. Judged from the sizes alone, for all
 * formats.
 */
import { DecodeFailed, PlaneNotFound } from "./errors.ts";
import { MAX_PLANE_SAMPLES } from "./io/limits.ts";
import type { StopFlag } from "./io/stop_flag.ts";
import { type TimedAcquisition, withTimes } from "./metadata/time_stamps.ts";
import {
  type Acquisition,
  type Axis,
  type LineScan,
  NO_WORKING_MEMORY,
  type PlanePlan,
  type Position,
  type RowRange,
  type SceneEntry,
  sizesOf,
  workingOf,
} from "./reader.ts";
import { addWarning, warnIf, type Warning, warning } from "./warning.ts";

/** True for several time points of one row, at least two columns wide, without slices. */
const areRowsInTime = ({ T = 1, Z = 1, Y = 1, X = 1 }: SceneEntry["sizes"]): boolean =>
  T > 1 && Z === 1 && Y === 1 && X > 1;

const fitsPlane = ({ T = 1, X = 1 }: SceneEntry["sizes"]) => T * X <= MAX_PLANE_SAMPLES;

/** The sizes of a scene as it is served. */
export function servedSizes(sizes: SceneEntry["sizes"]): SceneEntry["sizes"] {
  if (!areRowsInTime(sizes) || !fitsPlane(sizes)) return sizes;
  const { T, ...rest } = sizes;
  return { ...rest, Y: T! };
}

/** An acquisition as it is served: with times in place of time stamps, and time points of one row as the rows of a line scan. */
export function servedAcquisition(given: Acquisition, stop: StopFlag): TimedAcquisition {
  const { planLines, ...acquisition } = given;
  const sizes = sizesOf(acquisition.axes);
  if (!areRowsInTime(sizes) || acquisition.channels.some(({ rows }) => rows !== 1)) {
    return withTimes(acquisition);
  }
  if (!fitsPlane(sizes)) {
    const text = `The ${sizes.T} time points of one row are too many for one plane and are served one by one`;
    return withTimes({ ...acquisition, warnings: [...acquisition.warnings, warning("axes_assumed", text)] });
  }
  const timed = withTimes(asLines(acquisition, planLines, stop));
  const isTimed = timed.lineScan?.secondsPerLine != null;
  return { ...timed, times: null, lineScan: isTimed ? timed.lineScan : null };
}

/** The acquisition with its time points as rows. Its line scan is dropped again if the time between lines is unknown. */
function asLines(acquisition: Acquisition, planLines: Acquisition["planLines"], stop: StopFlag): Acquisition {
  const { holds, axes } = acquisition;
  const time = axes.find(({ name }) => name === "T")!;
  const lineScan: LineScan = {
    secondsPerPixel: null,
    bidirectional: null,
    ...acquisition.lineScan,
    secondsPerLine: null,
  };
  const isTime = time.unit === "seconds" || (acquisition.stamps ?? null) !== null;
  const lines = new Lines({ ...acquisition, ...planLines && { planLines } }, time.size, stop);
  return {
    ...acquisition,
    axes: axes.filter((axis) => axis !== time).map((axis): Axis =>
      axis.name === "Y" ? { ...time, name: "Y" } : axis
    ),
    channels: acquisition.channels.map((channel) => ({ ...channel, rows: time.size })),
    lineScan: isTime ? lineScan : null,
    ...holds && { holds: (channel, { l }) => holds(channel, { t: 0, z: 0, l }) },
    plan: (channels, { l }, rows) => lines.plan(channels, l, rows),
  };
}

/** What planning found out about the lines of some channels. */
interface Survey {
  /** Number of lines before the first that is missing. */
  readonly count: number;
  readonly warnings: readonly Warning[];
  readonly working: NonNullable<PlanePlan["working"]>;
  readonly overwrites: boolean;
}

/** Plans the lines of an acquisition, each of which is a time point. */
class Lines {
  readonly #acquisition: Acquisition;
  readonly #declared: number;
  readonly #stop: StopFlag;
  /** By channels and spectral index. Files that change end the acquisition. */
  readonly #surveys = new Map<string, Survey>();

  constructor(acquisition: Acquisition, declared: number, stop: StopFlag) {
    this.#acquisition = acquisition;
    this.#declared = declared;
    this.#stop = stop;
  }

  /** Plans rows of the plane at a spectral index. @throws {PlaneNotFound | DecodeFailed} the first line is missing or damaged */
  async plan(channels: readonly number[], l: number, wanted?: RowRange): Promise<PlanePlan> {
    const key = `${l} ${channels}`;
    const survey = this.#surveys.get(key) ?? await this.#survey(channels, l);
    this.#surveys.set(key, survey);
    const { count, warnings, working, overwrites } = survey;
    const [start, end] = [wanted?.start ?? 0, wanted?.end ?? count].map((row) => Math.min(row, count));
    const filled = { start: start!, end: end! };
    const at = { t: 0, z: 0, l };
    const together = await this.#acquisition.planLines?.(channels, at, filled);
    if (together) return { ...together, rows: count, warnings: [...together.warnings, ...warnings] };
    const columns = this.#columns;
    return {
      rows: count,
      columns,
      filled,
      warnings,
      working,
      overwrites,
      decode: (planes) => this.#decode(channels, at, filled, planes),
    };
  }

  get #columns(): number {
    return this.#acquisition.axes.find(({ name }) => name === "X")!.size;
  }

  /** Finds the first line that is missing in one of the channels, and checks those before it. */
  async #survey(channels: readonly number[], l: number): Promise<Survey> {
    const { holds, planLines } = this.#acquisition;
    const warnings: Warning[] = [];
    let [count, working, overwrites, reason] = [0, NO_WORKING_MEMORY, true, ""];
    for (; count < this.#declared; count += 1) {
      this.#stop.check();
      const at = { t: count, z: 0, l };
      const isHeld = channels.every((channel) => holds?.(channel, at) ?? true);
      if (!isHeld && count > 0) break;
      if (planLines && isHeld) continue;
      try {
        const plan = await this.#planLine(channels, at);
        working = workingOf([{ ...plan, working }, plan]);
        overwrites &&= plan.overwrites ?? false;
        for (const one of plan.warnings) addWarning(warnings, one);
      } catch (error) {
        if (count === 0 || !(error instanceof PlaneNotFound || error instanceof DecodeFailed)) throw error;
        reason = `: ${error.message}`;
        break;
      }
    }
    const text = `${count} of ${this.#declared} lines are stored before the first that is missing${reason}`;
    return {
      count,
      warnings: [...warnings, ...warnIf(count < this.#declared, "lines_missing", text)],
      working,
      overwrites,
    };
  }

  /** @throws {PlaneNotFound | DecodeFailed} the line is missing or damaged */
  async #planLine(channels: readonly number[], at: Position): Promise<PlanePlan> {
    const plan = await this.#acquisition.plan(channels, at);
    if (plan.rows !== 1) throw new PlaneNotFound(`time point ${at.t} has ${plan.rows} rows, not one`);
    return plan;
  }

  async #decode(
    channels: readonly number[],
    first: Position,
    { start, end }: RowRange,
    planes: readonly Float32Array[],
  ): Promise<void> {
    const columns = this.#columns;
    // Each line is planned again, since the plans of all lines would pile up in memory.
    for (let t = start; t < end; t += 1) {
      this.#stop.check();
      const plan = await this.#planLine(channels, { ...first, t });
      const row = (t - start) * columns;
      await plan.decode(planes.map((plane) => plane.subarray(row, row + columns)));
    }
  }
}
