/**
 * ScanImage: how pages become time points, slices and channels. Frame stamps decide first (`scanimage_stamps.ts`), then the
 * header (`scanimage_header.ts`), then the number of pages. Channels vary fastest; `scanimage_axes.ts` has the order of frames.
 */
import { basename } from "node:path";
import { DecodeFailed, PlaneNotFound } from "../../errors.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { differ } from "../../metadata/text.ts";
import { MAX_TIMES } from "../../metadata/time_stamps.ts";
import { type Warning, warning } from "../../warning.ts";
import { type PageLayout, readPage } from "../page.ts";
import type { Opened, PlaneIndex, PlaneSource, Stack } from "../stack.ts";
import { listedPlanes } from "../stored_planes.ts";
import {
  averagedFrames,
  FrameAxes,
  type FrameOrder,
  frameOrder,
  sliceStep,
  stampedOrder,
} from "./scanimage_axes.ts";
import { addScanImageDocuments, ScanImageHeader } from "./scanimage_header.ts";
import { joinedLines, lineScanOf, lineScanReason, lineScanWarnings, regionsOf } from "./scanimage_lines.ts";
import { AcquiredFrames } from "./scanimage_parts.ts";
import { FileFrames } from "./scanimage_stamps.ts";

/** The stack of a ScanImage file together with the other parts of its acquisition, or `null`. */
export function openScanImage(opened: Opened): Stack | null {
  const header = ScanImageHeader.read(opened);
  if (header === null) return null;
  const reason = lineScanReason(opened, header);
  if (reason !== null) {
    throw new DecodeFailed(
      `it belongs to a recording of ScanImage along arbitrary lines (${reason}): its samples are in the .pmt.dat file, ` +
        "which is not read, and its pages do not show the sample",
    );
  }
  return stackOf(opened, header);
}

/** The pages of an acquisition, according to its header, stamps and files. */
interface Acquired {
  readonly header: ScanImageHeader;
  /** Frames of the opened file, which `header` describes. */
  readonly file: FileFrames;
  readonly order: FrameOrder;
  /** Frames of all parts. */
  readonly acquired: AcquiredFrames;
  readonly axes: FrameAxes;
}

function stackOf(opened: Opened, header: ScanImageHeader): Stack {
  const saved = header.savedChannels();
  const layout = readPage(opened.first);
  const averaged = averagedFrames(header);
  const file = new FileFrames(opened.tiff, saved?.length ?? null, averaged);
  const order = stampedOrder(frameOrder(header), file);
  const slow = !order.fast && order.slices !== 1;
  const acquired = new AcquiredFrames(opened, { header, frames: file, averaged, slow });
  const axes = new FrameAxes(order, acquired.span);
  const all: Acquired = { header, file, order, acquired, axes };
  const timing = frameTiming(all);
  const regions = regionsOf(header);
  const pixel = regions === null ? header.pixelSize(layout.width, layout.height) : regions.pixel;
  const lineScan = lineScanOf(header);
  const secondsPerLine = lineScan?.secondsPerLine ?? null;
  const joins = secondsPerLine !== null && !acquired.isSplit && axes.slices === 1;
  const joined = joins ? joinedLines(file, layout, secondsPerLine) : null;
  const period = storedPeriod(header, order, file);
  const warnings: Warning[] = [
    ...assumptions(saved, all),
    ...file.warnings,
    ...order.warnings,
    ...acquired.warnings,
    ...countWarnings(all),
  ];
  if (!joined) warnings.push(...timing.warnings);
  const zStep = sliceStep(header, axes.slices, warnings);
  if (lineScan && !joined) {
    warnings.push(...lineScanWarnings(lineScan, layout.height, { frames: axes.times, period }));
  }
  if (regions?.warning) warnings.push(regions.warning);
  return {
    sizes: { T: joined ? 1 : axes.times, C: file.channels, Z: axes.slices },
    layout: joined?.layout ?? layout,
    calibrations: calibrationsOf({
      X: [pixel?.x, "um"],
      Y: lineScan === null ? [pixel?.y, "um"] : [secondsPerLine, "s"],
      Z: [zStep, "um"],
      T: [timing.step, "s"],
    }),
    names: saved?.length === file.channels ? header.namesOf(saved) : [],
    times: joined ? null : timing.times,
    lineScan,
    documents: (list) => addScanImageDocuments(list, opened),
    moment: header.moment(opened),
    fileSize: acquired.fileSize,
    files: () => acquired.paths,
    warnings,
    indexBytes: acquired.indexBytes,
    holds: (index) => joined !== null || pageOf(all, index) !== null,
    plane: (index) => joined?.plane(index.channel) ?? planeAt(opened, layout, all, index),
  };
}

/** File, path and page number of a plane; `null` if it is not stored. */
function pageOf({ acquired, axes }: Acquired, { t, z, channel }: Omit<PlaneIndex, "l">) {
  const found = acquired.find(axes.frame(t, z));
  if (found === null) return null;
  const { file, frame, path } = found;
  const page = frame * file.channels + channel;
  return page < file.offsets.length || page === 0 ? { file, path, page } : null;
}

function planeAt(opened: Opened, layout: PageLayout, all: Acquired, index: PlaneIndex): PlaneSource {
  const found = pageOf(all, index);
  if (found === null) {
    const { t, z, channel } = index;
    const number = all.axes.frame(t, z) * all.file.channels + channel;
    throw new PlaneNotFound(`plane ${number} is missing: no existing file holds T=${t} C=${channel} Z=${z}`);
  }
  const { file, path, page } = found;
  const name = path === opened.path ? {} : { name: basename(path) };
  return { ...name, ...listedPlanes(file.tiff, layout, file.offsets)(page) };
}

function assumptions(saved: readonly number[] | null, { file, order, acquired }: Acquired): Warning[] {
  const read = file.channels === 1 ? "those of one" : `those of ${file.channels}, as frame stamps show`;
  const unsaved = `The metadata of ScanImage do not say which channels were saved; pages are read as ${read}`;
  const uncounted =
    "The header of ScanImage says neither how many frames nor how many slices there are; pages are time points";
  return [
    ...saved === null ? [warning("axes_assumed", unsaved)] : [],
    ...order.counted && acquired.span > 1 ? [warning("axes_assumed", uncounted)] : [],
  ];
}

/** Warns if the header announces more frames than are stored, or if a volume is incomplete. */
function countWarnings(all: Acquired): Warning[] {
  const { file, order: { announced, perVolume }, acquired, axes } = all;
  const { span } = acquired;
  if (announced !== null && announced > span) {
    const isWhole = perVolume !== null && span % perVolume === 0;
    const [unit, size] = isWhole ? ["volumes", perVolume] : ["frames", 1];
    const text = `The header announces ${announced / size} ${unit}, ${span / size} are stored here`;
    return [warning("planes_missing", text)];
  }
  const isLong = acquired.isSplit && span * file.channels > MAX_TIMES;
  if (acquired.warnings.length > 0 || isLong) return [];
  const { times, slices } = axes;
  let missing = 0;
  for (let t = 0; t < times; t += 1) {
    for (let z = 0; z < slices; z += 1) {
      for (let channel = 0; channel < file.channels; channel += 1) {
        if (pageOf(all, { t, z, channel }) === null) missing += 1;
      }
    }
  }
  const planes = file.channels * slices * times;
  if (missing === 0) return [];
  const text = `The description declares ${planes} planes, but the file holds ${planes - missing}`;
  return [warning("planes_missing", text)];
}

const shown = (value: number) => Number(value.toPrecision(6));

/**
 * Reads the times of all time points; if there are too many, only those of the first ones and the last.
 *
 * @returns `step`: seconds between time points, `null` without a single step; `times`: seconds of each time point since the
 * first, if all have a stamp
 */
function frameTiming({ header, order, axes, acquired, file }: Acquired): {
  readonly step: number | null;
  readonly times: readonly number[] | null;
  readonly warnings: Warning[];
} {
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

/** Time points and the seconds of their stamps, in order. */
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

/** Seconds between stored frames, from the rates in the header. */
function framePeriod(header: ScanImageHeader, { averaged }: FrameOrder): number | null {
  const rate = header.positive("hRoiManager.scanFrameRate", "scanFrameRate", "acq.frameRate");
  const period = rate === null ? header.positive("hRoiManager.scanFramePeriod", "scanFramePeriod") : 1 / rate;
  return period && averaged * period;
}

/** Seconds between stored frames, from the stamps of a file or else from its header. */
function storedPeriod(header: ScanImageHeader, order: FrameOrder, file: FileFrames): number | null {
  const last = file.count - 1;
  const span = file.stamped && last > 0 ? file.stamp(last)!.seconds - file.stamp(0)!.seconds : NaN;
  return span > 0 ? span / (file.span - 1) : framePeriod(header, order);
}

function headerStep(header: ScanImageHeader, order: FrameOrder, axes: FrameAxes): number | null {
  const frame = framePeriod(header, order);
  if (axes.volumes === 1) return frame;
  if (axes.perSlice > 1) return axes.isEven ? frame : null;
  // For a slow stack, the header does not state the time between two volumes.
  if (!order.fast) return null;
  const rate = order.averaged === 1 ? header.positive("hRoiManager.scanVolumeRate") : null;
  return rate !== null ? 1 / rate : frame && order.perVolume && frame * order.perVolume;
}
