/** When the frames of ScanImage were taken: by their stamps, else by the rates of the header. */
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import type { FrameAxes, FrameOrder } from "./scanimage_axes.ts";
import type { ScanImageHeader } from "./scanimage_header.ts";
import type { AcquiredFrames } from "./scanimage_parts.ts";
import type { FileFrames } from "./scanimage_stamps.ts";

/** Two values for one thing differ when they are further apart, as a part of one of them. */
const TOLERANCE = 0.01;

const differ = (a: number, b: number) => Math.abs(a / b - 1) > TOLERANCE;

const shown = (value: number) => Number(value.toPrecision(6));

/** The order of frames with the frames of a slice that stamps count: of a slow stack each slice is an acquisition. */
export function framesOfSlice(order: FrameOrder, file: FileFrames): FrameOrder {
  const { perSlice, slices, fast } = order;
  if (fast || slices === 1 || !file.stamped || file.count > MAX_TIMES) return order;
  const ends: number[] = [];
  for (let i = 1; i < file.count; i += 1) {
    if (file.stamp(i)!.acquisition !== file.stamp(i - 1)!.acquisition) ends.push(i);
  }
  const [first, ...further] = ends;
  if (first === undefined || Number.isNaN(file.stamp(0)!.acquisition)) return order;
  const runs = further.map((end, i) => end - ends[i]!);
  // The first slice of a later part may have begun in the one before.
  const stamped = runs[0] ?? first;
  const even = runs.every((run) => run === stamped) && first <= stamped &&
    file.count - ends.at(-1)! <= stamped;
  if (even && stamped === perSlice) return order;
  const text = even
    ? `The header declares ${
      perSlice ?? "any number of"
    } stored frames a slice, the frame stamps show ${stamped}, which counts`
    : "The frame stamps show slices of different numbers of frames; pages are time points";
  return {
    ...order,
    perSlice: even ? stamped : null,
    slices: even ? slices : 1,
    perVolume: even && slices !== null ? stamped * slices : null,
    announced: null,
    warnings: [...order.warnings, warning(even ? "metadata_disagree" : "axes_assumed", text)],
  };
}

/** The time axis. */
export interface FrameTiming {
  /** Seconds from one time point to the next, `null` where no one step is known. */
  readonly step: number | null;
  /** Seconds of each time point from the first, where all have a stamp. */
  readonly times: readonly number[] | null;
  /** Contradictions of header and stamps, and uneven steps. */
  readonly warnings: readonly Warning[];
}

/** What time points are made of. */
export interface Timed {
  /** Settings. */
  readonly header: ScanImageHeader;
  /** Order of frames. */
  readonly order: FrameOrder;
  /** Where frames are along T and Z. */
  readonly axes: FrameAxes;
  /** Frames of all parts. */
  readonly acquired: AcquiredFrames;
  /** Frames of the opened file. */
  readonly file: FileFrames;
}

/** Judges the times of all time points, up to the common bound; of more the first ones and the last. */
export function frameTiming(timed: Timed): FrameTiming {
  const { header, order, axes, file } = timed;
  if (axes.times < 2) return { step: null, times: null, warnings: [] };
  const declared = headerStep(header, order, axes);
  const points = file.stamped ? stampedPoints(timed) : [];
  const rises = points.slice(1).map(([t, seconds], i) => (seconds - points[i]![1]) / (t - points[i]![0]));
  if (rises.length === 0 || !rises.every((rise) => rise > 0)) {
    const warnings = axes.isEven ? [] : [warning(
      "step_uneven",
      `Along T the ${axes.perSlice} frames of a slice alternate with ${axes.volumes} volumes; T has no one step`,
    )];
    if (rises.length > 0) {
      warnings.push(
        warning("metadata_disagree", "The times of the frame stamps do not ascend and do not count"),
      );
    }
    return { step: declared, times: null, warnings };
  }
  const [[first, start], [last, end]] = [points[0]!, points.at(-1)!];
  const times = points.length === axes.times ? points.map(([, seconds]) => seconds - start) : null;
  const step = (end - start) / (last - first);
  if (rises.some((rise) => differ(rise, step))) {
    const [least, most] = rises.reduce(([a, b], rise) => [Math.min(a, rise), Math.max(b, rise)], [
      Infinity,
      0,
    ]);
    const text = `Time points are ${shown(least)} to ${
      shown(most)
    } s apart by their stamps; T has no one step`;
    return { step: null, times, warnings: [warning("step_uneven", text)] };
  }
  const warnings = declared === null || !differ(declared, step) ? [] : [warning(
    "metadata_disagree",
    `The header declares ${shown(declared)} s from one time point to the next, the frame stamps ${
      shown(step)
    } s, which count`,
  )];
  return { step, times, warnings };
}

/** Time points with the seconds of their stamps, in order. */
function stampedPoints({ axes, acquired, file }: Timed): (readonly [t: number, seconds: number])[] {
  const pages = acquired.span * file.channels;
  const all = axes.times <= MAX_TIMES && (!acquired.isSplit || pages <= MAX_TIMES);
  const from = axes.timeOf(acquired.start);
  const some = [from, from + 1, from + 2, axes.times - 1];
  const points = all ? Array.from({ length: axes.times }, (_, t) => t) : [...new Set(some)];
  return points.flatMap((t) => {
    const found = acquired.find(axes.frame(t, 0));
    const seconds = found?.file.stamp(found.frame)?.seconds ?? NaN;
    return Number.isFinite(seconds) ? [[t, seconds] as const] : [];
  });
}

/** Seconds that a scan takes, before averaging. */
function framePeriod(header: ScanImageHeader): number | null {
  const rate = header.positive("hRoiManager.scanFrameRate", "scanFrameRate", "acq.frameRate");
  return rate === null ? header.positive("hRoiManager.scanFramePeriod", "scanFramePeriod") : 1 / rate;
}

/** Seconds from one stored frame to the next: by the stamps of a file, else by its header. */
export function storedPeriod(
  header: ScanImageHeader,
  { averaged }: FrameOrder,
  file: FileFrames,
): number | null {
  const last = file.count - 1;
  const span = file.stamped && last > 0 ? file.stamp(last)!.seconds - file.stamp(0)!.seconds : NaN;
  if (span > 0) return span / (file.span - 1);
  const period = framePeriod(header);
  return period && averaged * period;
}

function headerStep(header: ScanImageHeader, { fast, perVolume, averaged }: FrameOrder, axes: FrameAxes) {
  const period = framePeriod(header);
  const frame = period && averaged * period;
  if (axes.volumes === 1) return frame;
  if (axes.perSlice > 1) return axes.isEven ? frame : null;
  // What passes between two volumes of a slow stack is not in the header.
  if (!fast) return null;
  const rate = averaged === 1 ? header.positive("hRoiManager.scanVolumeRate") : null;
  return rate !== null ? 1 / rate : frame && perVolume && frame * perVolume;
}
