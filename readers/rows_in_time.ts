/**
 * Recordings whose time points have one row: line scans that a converter took apart. Bio-Formats stores line scans so, and with it
 * ImageJ, bfconvert and bioformats2raw. Their time points are served as the rows of one plane. Judged from the sizes alone, for all
 * formats.
 */
import { DecodeFailed, PlaneNotFound } from "./errors.ts";
import { MAX_PLANE_SAMPLES } from "./io/limits.ts";
import type { StopFlag } from "./io/stop_flag.ts";
import { settledWarnings } from "./metadata/axes.ts";
import { lengthOfAxis } from "./metadata/selection.ts";
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
export function foldSizes(sizes: SceneEntry["sizes"]): SceneEntry["sizes"] {
  if (!areRowsInTime(sizes) || !fitsPlane(sizes)) return sizes;
  const { T = 1, ...rest } = sizes;
  return { ...rest, Y: T };
}

/**
 * An acquisition as it is served: with times in place of time stamps, and time points of one row as the rows of a line scan.
 *
 * @throws {Stopped}
 */
export async function foldAcquisition(given: Acquisition, stop: StopFlag): Promise<TimedAcquisition> {
  const served = await withRowsInTime(given, stop);
  return { ...served, warnings: settledWarnings(served.warnings, given.axes, served.axes) };
}

async function withRowsInTime(given: Acquisition, stop: StopFlag): Promise<TimedAcquisition> {
  const { planLines: _planLines, ...acquisition } = given;
  const sizes = sizesOf(acquisition.axes);
  const areAlike = acquisition.channels.every(({ rows, columns }) => rows === 1 && columns === sizes.X);
  if (!areRowsInTime(sizes) || !areAlike) return withTimes(acquisition);
  if (!fitsPlane(sizes)) {
    const text = `The ${sizes.T} time points of one row are too many for one plane and are served one by one`;
    return withTimes({ ...acquisition, warnings: [...acquisition.warnings, warning("axes_assumed", text)] });
  }
  const lines = await Lines.find(given, sizes.T ?? 1, stop);
  const timed = withTimes(asLines(acquisition, lines));
  // Rows whose stamps show no step are not served as time.
  const isTimed = timed.lineScan?.secondsPerLine != null;
  return { ...timed, times: null, lineScan: isTimed ? timed.lineScan : null };
}

/** The acquisition with its time points as rows, and a line scan if it has steps or stamps of time. */
function asLines(acquisition: Acquisition, lines: Lines): Acquisition {
  const { holds, ...rest } = acquisition;
  const { axes, stamps = null } = rest;
  const time = axes.find(({ name }) => name === "T")!;
  const rows = lines.most;
  const lineScan: LineScan = {
    secondsPerPixel: null,
    bidirectional: null,
    ...acquisition.lineScan,
    secondsPerLine: null,
  };
  return {
    ...rest,
    axes: axes.filter((axis) => axis !== time).map((axis): Axis =>
      axis.name === "Y" ? { ...time, name: "Y", size: rows } : axis
    ),
    channels: acquisition.channels.map((channel) => ({ ...channel, rows })),
    stamps: stamps && { ...stamps, seconds: Array.prototype.slice.call(stamps.seconds, 0, rows) },
    lineScan: time.unit === "seconds" || stamps !== null ? lineScan : null,
    // Without any first line, the plan says why it is missing; other lines may be there.
    ...holds && !lines.areGone && { holds: (channel, { l }) => holds(channel, { t: 0, z: 0, l }) },
    plan: (channels, { l }, wanted) => lines.plan(channels, l, wanted),
  };
}

/** The lines of an acquisition, each of which is a time point. */
class Lines {
  readonly #acquisition: Acquisition;
  readonly #declared: number;
  readonly #stop: StopFlag;
  /** Number of lines of each channel before the first that is missing at one of its wavelengths. */
  readonly #counts = new Map<number, number>();
  /** Why the first missing line of a channel cannot be read, if it is not just missing. */
  readonly #reasons = new Map<number, string>();
  /** Errors of first lines by channel and wavelength. */
  readonly #failures = new Map<string, Error>();
  readonly #warnings: Warning[] = [];
  #working = NO_WORKING_MEMORY;
  #overwrites = true;

  private constructor(acquisition: Acquisition, declared: number, stop: StopFlag) {
    this.#acquisition = acquisition;
    this.#declared = declared;
    this.#stop = stop;
    for (const { index } of acquisition.channels) this.#counts.set(index, declared);
  }

  /** Checks the lines of all channels up to the first that is missing. @throws {Stopped} */
  static async find(acquisition: Acquisition, declared: number, stop: StopFlag): Promise<Lines> {
    const lines = new Lines(acquisition, declared, stop);
    const isSure = acquisition.planLines !== undefined && acquisition.holds === undefined;
    for (let t = 0; t < declared && !isSure; t += 1) {
      if (!await lines.#check(t)) break;
    }
    return lines;
  }

  /** Largest number of lines of a channel; those declared if no channel has its first one. */
  get most(): number {
    return Math.max(...this.#counts.values()) || this.#declared;
  }

  /** Whether no channel has its first line. */
  get areGone(): boolean {
    return this.#counts.values().every((count) => count === 0);
  }

  /** Checks a time point of the channels that have all lines before it. @returns whether a channel has it */
  async #check(t: number): Promise<boolean> {
    const { axes, holds, planLines } = this.#acquisition;
    for (let l = 0; l < lengthOfAxis(axes, "L"); l += 1) {
      const at = { t, z: 0, l };
      const left = this.#counts.entries()
        .filter(([channel, count]) => count > t && !this.#failures.has(`${channel} ${l}`))
        .map(([channel]) => channel)
        .toArray();
      this.#stop.check();
      const held = left.filter((channel) => holds?.(channel, at) ?? true);
      for (const channel of left) {
        if (held.includes(channel)) continue;
        if (t > 0) this.#counts.set(channel, t);
        // Asks for the plane that is missing, which says why.
        else await this.#survey([channel], at);
      }
      if (planLines !== undefined || held.length === 0) continue;
      const isWhole = await this.#survey(held, at);
      // Finds out which of several channels lack the line.
      for (const channel of isWhole || held.length === 1 ? [] : held) await this.#survey([channel], at);
    }
    return this.#counts.values().some((count) => count > t);
  }

  /** Plans a line to check it, and returns whether it can be read; a single channel ends before a line that cannot. */
  async #survey(channels: readonly number[], at: Position): Promise<boolean> {
    try {
      const plan = await this.#planLine(channels, at);
      this.#working = workingOf([{ ...plan, working: this.#working }, plan]);
      this.#overwrites &&= plan.overwrites ?? false;
      for (const one of plan.warnings) addWarning(this.#warnings, one);
      return true;
    } catch (error) {
      if (!(error instanceof PlaneNotFound || error instanceof DecodeFailed)) throw error;
      const [channel, ...others] = channels;
      if (channel !== undefined && others.length === 0) {
        this.#reasons.set(channel, error.message);
        this.#end(channel, at, error);
      }
      return false;
    }
  }

  #end(channel: number, { t, l }: Position, error: Error): void {
    if (t > 0) return void this.#counts.set(channel, t);
    this.#failures.set(`${channel} ${l}`, error);
    const wavelengths = lengthOfAxis(this.#acquisition.axes, "L");
    const isGone = Array.from({ length: wavelengths }, (_, l) => l)
      .every((l) => this.#failures.has(`${channel} ${l}`));
    if (isGone) this.#counts.set(channel, 0);
  }

  /** Plans rows of the plane at a wavelength. @throws {PlaneNotFound | DecodeFailed} the first line is missing or damaged */
  async plan(channels: readonly number[], l: number, wanted?: RowRange): Promise<PlanePlan> {
    for (const channel of channels) {
      const failure = this.#failures.get(`${channel} ${l}`);
      if (failure) throw failure;
    }
    const counts = channels.map((channel) => this.#counts.get(channel)!);
    const shortest = counts.indexOf(Math.min(...counts));
    const count = counts[shortest]!;
    const filled = { start: Math.min(wanted?.start ?? 0, count), end: Math.min(wanted?.end ?? count, count) };
    const reason = this.#reasons.get(channels[shortest]!);
    const text = `${count} of ${this.#declared} lines are stored before the first that is missing${
      reason === undefined ? "" : `: ${reason}`
    }`;
    const warnings = [
      ...this.#warnings,
      ...warnIf(count < this.#declared, "lines_missing", text),
    ];
    const at = { t: 0, z: 0, l };
    const together = await this.#acquisition.planLines?.(channels, at, filled);
    if (together) return { ...together, rows: count, warnings: [...together.warnings, ...warnings] };
    return {
      rows: count,
      columns: lengthOfAxis(this.#acquisition.axes, "X"),
      filled,
      warnings,
      working: this.#working,
      overwrites: this.#overwrites,
      decode: (planes) => this.#decode(channels, at, filled, planes),
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
    const columns = lengthOfAxis(this.#acquisition.axes, "X");
    // Each line is planned again, since the plans of all lines would pile up in memory.
    for (let t = start; t < end; t += 1) {
      this.#stop.check();
      const plan = await this.#planLine(channels, { ...first, t });
      const row = (t - start) * columns;
      await plan.decode(planes.map((plane) => plane.subarray(row, row + columns)));
    }
  }
}
