/**
 * ScanImage: how pages become time points, slices and channels. Frame stamps decide first (`scanimage_stamps.ts`), then the
 * header (`scanimage_header.ts`), then the number of pages. Channels vary fastest; `scanimage_axes.ts` has the order of frames.
 */
import { basename } from "node:path";
import { PlaneNotFound } from "../../../errors.ts";
import { selectCalibrations } from "../../../metadata/axes.ts";
import { computeStampedStep, MAX_TIMES, scaleStamps } from "../../../metadata/time_stamps.ts";
import type { LineScan, TimeStamps } from "../../../reader.ts";
import { warnIf, type Warning, warning } from "../../../warning.ts";
import { type PageLayout, readPage } from "../../page.ts";
import type { OpenedTiff, PlaneIndex, PlaneSource, Stack } from "../../stack.ts";
import { listPlanesAt } from "../../stored_planes.ts";
import { FrameAxes, type FrameOrder, orderByStamps, readFrameOrder, readSliceStep } from "./axes.ts";
import { addScanImageDocuments, ScanImageHeader } from "./header.ts";
import { joinFrames, readRegionSteps, readScanImageLines, requireFrames, warnAboutLines } from "./lines.ts";
import { AcquiredFrames } from "./parts.ts";
import { FileFrames } from "./stamps.ts";

/** The pages of an acquisition, according to its header, stamps and files; `file` is the opened one. */
interface Acquired {
  readonly header: ScanImageHeader;
  readonly file: FileFrames;
  readonly order: FrameOrder;
  readonly acquired: AcquiredFrames;
  readonly axes: FrameAxes;
}

/** The stack of a ScanImage file with the other parts of its acquisition, or `null`. @throws {DecodeFailed} arbitrary lines */
export function openScanImage(opened: OpenedTiff): Stack | null {
  const header = ScanImageHeader.read(opened);
  if (header === null) return null;
  requireFrames(opened, header);
  const layout = readPage(opened.first);
  const saved = header.savedChannels();
  const all = findAcquired(opened, header, saved);
  const { file, acquired, axes } = all;
  const timing = readFrameTiming(all);
  const regions = readRegionSteps(header);
  const pixel = regions === null ? header.pixelSize(layout) : regions.pixel;
  const lineScan = readScanImageLines(header);
  const secondsPerLine = lineScan?.secondsPerLine ?? null;
  const joins = secondsPerLine !== null && !acquired.isSplit && axes.slices === 1;
  const joined = joins ? joinFrames(file, layout, secondsPerLine) : null;
  const zStep = readSliceStep(header, axes.slices);
  const doubts: Warning[] = [];
  const calibrations = selectCalibrations({
    X: [pixel?.x, "um"],
    Y: lineScan === null ? [pixel?.y, "um"] : [secondsPerLine, "s"],
    Z: [zStep, "um"],
    T: [timing.step, "s"],
  }, doubts);
  const warnings = [
    ...warnAboutFrames(all, saved),
    ...joined ? [] : timing.warnings,
    ...lineScan && !joined ? warnAboutStampedLines(all, lineScan, layout) : [],
    ...regions?.warnings ?? [],
    ...doubts,
  ];
  return {
    sizes: { T: joined ? 1 : axes.times, C: file.channels, Z: axes.slices },
    layout: joined?.layout ?? layout,
    calibrations,
    names: saved?.length === file.channels ? saved.map((number) => header.names[number - 1] ?? null) : [],
    stamps: joined ? null : timing.stamps,
    lineScan,
    documents: (list) => addScanImageDocuments(list, opened),
    moment: header.moment(opened),
    fileSize: acquired.fileSize,
    files: () => acquired.paths,
    warnings,
    indexBytes: acquired.indexBytes,
    holds: (index) => joined !== null || locatePage(all, index) !== null,
    plane: (index) => joined ? joined.plane(index.channel) : readScanImagePlane(opened, all, layout, index),
  };
}

/** The pages by the header, or else the stamps. */
function findAcquired(
  opened: OpenedTiff,
  header: ScanImageHeader,
  saved: readonly number[] | null,
): Acquired {
  const declared = readFrameOrder(header);
  const file = new FileFrames(opened.tiff, saved?.length ?? null, declared.averaged);
  const order = orderByStamps(header, declared, file);
  const acquired = new AcquiredFrames(opened, header, file, order);
  return { header, file, order, acquired, axes: new FrameAxes(order, acquired.span) };
}

/** Warns about what was assumed, damaged or missing in the frames and their header. */
function warnAboutFrames(all: Acquired, saved: readonly number[] | null): Warning[] {
  const { header, file, order, acquired } = all;
  const read = file.channels === 1 ? "one" : `${file.channels}, as frame stamps show`;
  return [
    ...warnIf(
      saved === null,
      "axes_assumed",
      `The metadata of ScanImage do not say which channels were saved; pages are read as those of ${read}`,
    ),
    ...warnIf(
      order.counted && acquired.span > 1,
      "axes_assumed",
      "The header of ScanImage says neither how many frames nor how many slices there are; pages are time points",
    ),
    ...file.warnings,
    ...header.warnings,
    ...acquired.warnings,
    ...warnAboutFrameCount(all),
  ];
}

/** Warns about the lines of a line scan whose frames are not joined. */
function warnAboutStampedLines(all: Acquired, lineScan: LineScan, { height }: PageLayout): Warning[] {
  const { file, axes } = all;
  const stamped = file.stamped ? Math.min(file.count, MAX_FIRST) : 0;
  const seconds = Array.from({ length: stamped }, (_, frame) => file.stamp(frame)?.seconds ?? NaN);
  // The stamps count, else the rates in the header.
  const period = computeStampedStep(seconds).step ?? readFramePeriod(all);
  return warnAboutLines(lineScan, height, { frames: axes.times, period });
}

/** @throws {PlaneNotFound} no existing file holds the plane */
function readScanImagePlane(
  opened: OpenedTiff,
  all: Acquired,
  layout: PageLayout,
  index: PlaneIndex,
): PlaneSource {
  const found = locatePage(all, index);
  if (found === null) {
    const { t, z, channel } = index;
    const plane = `plane ${all.axes.frame(t, z) * all.file.channels + channel}`;
    throw new PlaneNotFound(`${plane} is missing: no existing file holds T=${t} C=${channel} Z=${z}`);
  }
  const source = listPlanesAt(found.file.tiff, layout, found.file.offsets)(found.page);
  return { ...found.path !== opened.path && { name: basename(found.path) }, ...source };
}

function locatePage({ acquired, axes }: Acquired, { t, z, channel }: Omit<PlaneIndex, "l">) {
  const found = acquired.find(axes.frame(t, z));
  if (found === null) return null;
  const { file, frame, path } = found;
  const page = frame * file.channels + channel;
  return page < file.offsets.length || page === 0 ? { file, path, page } : null;
}

/** Warns if the header announces more frames than are stored, or if a volume is incomplete. */
function warnAboutFrameCount(all: Acquired): Warning[] {
  const { file: { channels }, order: { announced, perVolume }, acquired, axes: { times, slices } } = all;
  const { span } = acquired;
  const isLong = acquired.isSplit && span * channels > MAX_TIMES;
  if (announced !== null && announced > span) {
    const frames = `The header announces ${announced} frames, ${acquired.stored} are stored here`;
    if (perVolume === null || isLong) return [warning("planes_missing", frames)];
    const { whole, cut } = countStoredVolumes(all);
    // The flyback after the last volume may not be stored.
    if (whole === announced / perVolume) return [];
    const more = cut === 0 ? "" : ` and ${cut} more in part`;
    const volumes = `The header announces ${announced / perVolume} volumes, ${whole} are stored here${more}`;
    return [warning("planes_missing", volumes)];
  }
  if (acquired.warnings.length > 0 || isLong) return [];
  const planes = channels * slices * times;
  let missing = 0;
  for (let n = 0; n < planes; n += 1) {
    const [channel, z, t] = [
      n % channels,
      Math.floor(n / channels) % slices,
      Math.floor(n / channels / slices),
    ];
    if (locatePage(all, { t, z, channel }) === null) missing += 1;
  }
  const text = `The description declares ${planes} planes, but the file holds ${planes - missing}`;
  return warnIf(missing > 0, "planes_missing", text);
}

/** Number of time points whose stamps are read in a long acquisition of several files. */
const MAX_FIRST = 4096;

/** Numbers of volumes of which all planes are stored, and only some. */
function countStoredVolumes(all: Acquired): { readonly whole: number; readonly cut: number } {
  const { file: { channels }, axes: { volumes, perSlice, slices } } = all;
  let [whole, cut] = [0, 0];
  const planes = perSlice * slices * channels;
  for (let volume = 0; volume < volumes; volume += 1) {
    let stored = 0;
    for (let n = 0; n < planes; n += 1) {
      const [channel, frame] = [n % channels, Math.floor(n / channels)];
      const t = volume * perSlice + Math.floor(frame / slices);
      if (locatePage(all, { t, z: frame % slices, channel }) !== null) stored += 1;
    }
    if (stored === planes) whole += 1;
    else if (stored > 0) cut += 1;
  }
  return { whole, cut };
}

/** The stamps of the time points, the step that the header states, and what makes the step uneven. Of too many, the first are read. */
function readFrameTiming(all: Acquired) {
  const { axes, file } = all;
  if (axes.times < 2) return { step: null, stamps: null, warnings: [] };
  const text = `Along T the ${axes.perSlice} frames of a slice alternate with ${axes.volumes} volumes`;
  const stamps = file.stamped ? readStampedPoints(all) : null;
  const warnings = warnIf(!axes.isEven && stamps === null, "step_uneven", `${text}; T has no one step`);
  return { step: computeHeaderStep(all), stamps, warnings };
}

function readStampedPoints({ axes, acquired, file }: Acquired): TimeStamps | null {
  const isShort = axes.times <= MAX_TIMES &&
    (!acquired.isSplit || acquired.span * file.channels <= MAX_TIMES);
  const seconds = Array.from({ length: isShort ? axes.times : Math.min(axes.times, MAX_FIRST) }, (_, t) => {
    const found = acquired.find(axes.frame(t, 0));
    return found?.file.stamp(found.frame)?.seconds ?? NaN;
  });
  return seconds.every(Number.isNaN) ? null : scaleStamps(seconds, 1, !isShort);
}

function readFramePeriod({ header, order }: Acquired): number | null {
  const rate = header.positive("hRoiManager.scanFrameRate", "scanFrameRate", "acq.frameRate");
  const period = rate === null ? header.positive("hRoiManager.scanFramePeriod", "scanFramePeriod") : 1 / rate;
  return period && order.averaged * period;
}

function computeHeaderStep(all: Acquired): number | null {
  const { header, order, axes } = all;
  const frame = readFramePeriod(all);
  if (axes.volumes === 1) return frame;
  if (axes.perSlice > 1) return axes.isEven ? frame : null;
  // For a slow stack, the header does not state the time between two volumes.
  if (!order.fast) return null;
  const rate = order.averaged === 1 ? header.positive("hRoiManager.scanVolumeRate") : null;
  return rate !== null ? 1 / rate : frame && order.perVolume && frame * order.perVolume;
}
