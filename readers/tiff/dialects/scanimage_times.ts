/** When the frames of ScanImage were taken: by their stamps, else by the rates of the header. */
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import type { FrameAxes, FrameOrder } from "./scanimage_axes.ts";
import type { ScanImageHeader } from "./scanimage_header.ts";
import type { AcquiredFrames } from "./scanimage_parts.ts";
import type { FileFrames } from "./scanimage_stamps.ts";

/** Share by which two sources of one value may differ. */
const TOLERANCE = 0.01;

const differ = (a: number, b: number) => Math.abs(a / b - 1) > TOLERANCE;

const shown = (value: number) => Number(value.toPrecision(6));

/**
 * Reads the times of all time points, or of the first ones and the last where there are too many.
 *
 * @param header of the opened file, as `file` has its frames
 * @param acquired frames of all parts
 * @returns seconds from one time point to the next, `null` without one step, and of each from the first, where all have a stamp
 */
export function frameTiming({ header, order, axes, acquired, file }: {
  readonly header: ScanImageHeader;
  readonly order: FrameOrder;
  readonly axes: FrameAxes;
  readonly acquired: AcquiredFrames;
  readonly file: FileFrames;
}): { readonly step: number | null; readonly times: readonly number[] | null; readonly warnings: Warning[] } {
  if (axes.times < 2) return { step: null, times: null, warnings: [] };
  const declared = headerStep(header, order, axes);
  const points = file.stamped ? stampedPoints(axes, acquired, file) : [];
  const rises = points.slice(1).map(([t, seconds], i) => (seconds - points[i]![1]) / (t - points[i]![0]));
  if (rises.length === 0 || !rises.every((rise) => rise > 0)) {
    const warnings: Warning[] = [];
    if (!axes.isEven) {
      const text = `Along T the ${axes.perSlice} frames of a slice alternate with ${axes.volumes} volumes`;
      warnings.push(warning("step_uneven", `${text}; T has no one step`));
    }
    if (rises.length > 0) {
      const text = "The times of the frame stamps do not ascend and do not count";
      warnings.push(warning("metadata_disagree", text));
    }
    return { step: declared, times: null, warnings };
  }
  const [[first, start], [last, end]] = [points[0]!, points.at(-1)!];
  const times = points.length === axes.times ? points.map(([, seconds]) => seconds - start) : null;
  const step = (end - start) / (last - first);
  if (rises.some((rise) => differ(rise, step))) {
    const [least, most] = rises.reduce(
      ([a, b], rise) => [Math.min(a, rise), Math.max(b, rise)],
      [Infinity, 0],
    );
    const text = `Time points are ${shown(least)} to ${shown(most)} s apart by their stamps`;
    return { step: null, times, warnings: [warning("step_uneven", `${text}; T has no one step`)] };
  }
  if (declared === null || !differ(declared, step)) return { step, times, warnings: [] };
  const text = `The header declares ${shown(declared)} s from one time point to the next, the frame stamps ${
    shown(step)
  } s`;
  return { step, times, warnings: [warning("metadata_disagree", `${text}, which count`)] };
}

/** Time points with the seconds of their stamps, in order. */
function stampedPoints(
  axes: FrameAxes,
  acquired: AcquiredFrames,
  file: FileFrames,
): (readonly [t: number, seconds: number])[] {
  const pages = acquired.span * file.channels;
  const isShort = axes.times <= MAX_TIMES && (!acquired.isSplit || pages <= MAX_TIMES);
  const from = axes.timeOf(acquired.start);
  const points = isShort
    ? Array.from({ length: axes.times }, (_, t) => t)
    : new Set([from, from + 1, from + 2, axes.times - 1]);
  return [...points].flatMap((t) => {
    const found = acquired.find(axes.frame(t, 0));
    const seconds = found?.file.stamp(found.frame)?.seconds ?? NaN;
    return Number.isFinite(seconds) ? [[t, seconds] as const] : [];
  });
}

/** Seconds from one stored frame to the next, by the rates of the header. */
function framePeriod(header: ScanImageHeader, { averaged }: FrameOrder): number | null {
  const rate = header.positive("hRoiManager.scanFrameRate", "scanFrameRate", "acq.frameRate");
  const period = rate === null ? header.positive("hRoiManager.scanFramePeriod", "scanFramePeriod") : 1 / rate;
  return period && averaged * period;
}

/** Seconds from one stored frame to the next: by the stamps of a file, else by its header. */
export function storedPeriod(header: ScanImageHeader, order: FrameOrder, file: FileFrames): number | null {
  const last = file.count - 1;
  const span = file.stamped && last > 0 ? file.stamp(last)!.seconds - file.stamp(0)!.seconds : NaN;
  return span > 0 ? span / (file.span - 1) : framePeriod(header, order);
}

function headerStep(header: ScanImageHeader, order: FrameOrder, axes: FrameAxes): number | null {
  const frame = framePeriod(header, order);
  if (axes.volumes === 1) return frame;
  if (axes.perSlice > 1) return axes.isEven ? frame : null;
  // The header does not say how much time passes between two volumes of a slow stack.
  if (!order.fast) return null;
  const rate = order.averaged === 1 ? header.positive("hRoiManager.scanVolumeRate") : null;
  return rate !== null ? 1 / rate : frame && order.perVolume && frame * order.perVolume;
}
