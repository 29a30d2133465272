/**
 * Line scans of ScanImage. If the slow mirror stands still, each row of a frame is a line in time, and the TIFF is served as a
 * kymograph. Scans along arbitrary lines are stored as NAME.pmt.dat, NAME.meta.txt and NAME.scnnr.dat (positions of the mirrors);
 * the TIFF of such a recording does not show the sample.
 */
import { basename, dirname, join } from "node:path";
import { DecodeFailed, unlessDamaged } from "../../../errors.ts";
import { MAX_PLANE_SAMPLES } from "../../../io/limits.ts";
import { isJsonObject, type JsonObject, parseJsonText } from "../../../metadata/json.ts";
import { MAX_TIMES } from "../../../metadata/time_stamps.ts";
import type { LineScan } from "../../../reader.ts";
import { warnIf, type Warning, warning } from "../../../warning.ts";
import { MAX_SEGMENTS, type PageLayout } from "../../page.ts";
import type { OpenedTiff, PlaneSource } from "../../stack.ts";
import { findPlanePage } from "../../stored_planes.ts";
import { TAG } from "../../tags.ts";
import type { ScanImageHeader } from "./header.ts";
import type { FileFrames } from "./stamps.ts";

/** Keys, without prefix, whose value `line` or `true` indicates a scan along arbitrary lines. */
const LINE_KEYS =
  /^(?:hRoiManager\.(?:scanType|scanMode|isLineScan)|hScan[^.]*\.(?:\w+\.)*(?:isL|l)ineScan\w*)$/;

/** Refuses a file of a scan along arbitrary lines. @throws {DecodeFailed} */
export function requireFrames({ path, files }: OpenedTiff, { fields }: ScanImageHeader): void {
  const switched = fields.entries()
    .find(([key, value]) => LINE_KEYS.test(key) && /^(?:'line'|true|1)$/i.test(value));
  const names = [".pmt.dat", ".meta.txt"].map((end) => basename(path).replace(/\.[^.]*$/, "") + end);
  let reason = `"${names.join('" and "')}" are beside it`;
  if (switched) reason = `${switched[0]} is ${switched[1].slice(0, 20)}`;
  else if (!names.every((name) => files.kind(join(dirname(path), name)) === "file")) return;
  throw new DecodeFailed(
    `it belongs to a recording of ScanImage along arbitrary lines (${reason}): its samples are in the .pmt.dat file, ` +
      "which is not read, and its pages do not show the sample",
  );
}

/** Facts of the line scan; `null` if the slow mirror moved. */
export function readScanImageLines(header: ScanImageHeader): LineScan | null {
  const slow = header.number(
    "hRoiManager.scanAngleMultiplierSlow",
    "scanAngleMultiplierSlow",
    "acq.scanAngleMultiplierSlow",
  );
  if (slow !== 0 && header.flag("acq.linescan", "acq.lineScan") !== true) return null;
  const scanMode = header.fields.get("scanMode");
  return {
    secondsPerLine: readScanImagePeriod(header),
    secondsPerPixel: header.positive("hScan2D.scanPixelTimeMean", "scanPixelTimeMean", "acq.pixelTime"),
    bidirectional: header.flag("hScan2D.bidirectional", "bidirectionalAcq", "acq.bidirectionalScan") ??
      (scanMode === undefined ? null : /bidirectional/.test(scanMode)),
  };
}

function readScanImagePeriod(header: ScanImageHeader): number | null {
  const stated = header.positive("hRoiManager.linePeriod", "scanLinePeriod", "linePeriod");
  if (stated !== null) return stated;
  const milliseconds = header.positive("acq.msPerLine");
  if (milliseconds !== null) return milliseconds / 1000;
  // Version 5 states the period of a frame and the number of flyback lines.
  const back = header.count(["flybackLinesPerFrame"], 0);
  const [frame, lines] = [header.positive("scanFramePeriod"), header.count(["linesPerFrame"])];
  return frame !== null && lines !== null && back !== null ? frame / (lines + back) : null;
}

/**
 * Joins the frames of a file to one plane per channel if, by their stamps, each begins within half a line period after the last row
 * of the previous frame.
 */
export function joinFrames(
  frames: FileFrames,
  layout: PageLayout,
  secondsPerLine: number,
): { readonly layout: PageLayout; plane(channel: number): PlaneSource } | null {
  const count = Math.floor(frames.offsets.length / frames.channels);
  const { height, width, down, segmentHeight, tiled, planar } = layout;
  const fits = height * width * count <= MAX_PLANE_SAMPLES && down * count <= MAX_SEGMENTS &&
    count <= MAX_TIMES && !tiled && !planar && height % segmentHeight === 0;
  if (!fits || count < 2 || !frames.stamped || frames.span !== frames.count) return null;
  for (let i = 1; i < count; i += 1) {
    const period = frames.stamp(i)!.seconds - frames.stamp(i - 1)!.seconds;
    if (!(Math.abs(period - height * secondsPerLine) <= secondsPerLine / 2)) return null;
  }
  const joined: PageLayout = { ...layout, height: height * count, down: down * count };
  return {
    layout: joined,
    plane: (channel) => {
      const offsets = new Float64Array(joined.down);
      const lengths = new Float64Array(joined.down);
      for (let i = 0; i < count; i += 1) {
        const directory = frames.tiff.directoryAt(frames.offsets[i * frames.channels + channel]!);
        const what = `the page of channel ${channel} in frame ${i}`;
        const page = findPlanePage(directory, layout, what);
        offsets.set(directory.numbers(TAG.StripOffsets, MAX_SEGMENTS).subarray(0, page.down), i * down);
        lengths.set(directory.numbers(TAG.StripByteCounts, MAX_SEGMENTS).subarray(0, page.down), i * down);
      }
      return { tiff: frames.tiff, page: joined, strips: { offsets, lengths } };
    },
  };
}

/** Warnings about a line scan whose frames are not joined, or whose period is unknown. */
export function warnAboutLines(
  { secondsPerLine }: LineScan,
  rows: number,
  { frames, period }: { readonly frames: number; readonly period: number | null },
): Warning[] {
  if (secondsPerLine === null) {
    return [warning("step_unknown", "The header does not say how long a line of the line scan takes")];
  }
  if (frames < 2) return [];
  if (period === null) {
    return [warning("line_scan_gap", "How much time passes between the kymographs along T is unknown")];
  }
  const gap = period - rows * secondsPerLine;
  const shown = `${Number((1000 * Math.abs(gap)).toPrecision(4))} ms`;
  if (gap < -secondsPerLine / 2) {
    const text = `A frame takes ${period} s and its ${rows} rows of ${secondsPerLine} s take ${shown} more`;
    return [warning("metadata_disagree", `${text}; rows are spaced by the latter`)];
  }
  const text = gap <= secondsPerLine / 2
    ? "The kymographs along T follow each other without a gap and are not joined"
    : `${shown} pass between one kymograph and the next along T`;
  return [warning("line_scan_gap", text)];
}

/** Micrometres per pixel, if alike, of the regions of a frame, one below the other, and warnings; `null` for a single field. */
export function readRegionSteps(
  header: ScanImageHeader,
): { pixel: { x: number; y: number } | null; warnings: Warning[] } | null {
  if (header.flag("hRoiManager.mroiEnable") !== true) return null;
  const fields = scanFields(header.regions);
  const text = `A frame holds ${fields.length || "several"} regions one below the other`;
  // Micrometres per degree of scan angle, the unit of `sizeXY`.
  const resolution = header.positive("objectiveResolution");
  const shapes = fields.map(({ sizeXY, pixelResolutionXY }) =>
    [sizeXY, pixelResolutionXY].flat().map(Number)
  );
  const [first = []] = shapes;
  const areAlike = first.length === 4 && first.every((value) => value > 0) &&
    shapes.every((shape) => shape.join() === first.join());
  const [width = 0, height = 0, columns = 1, rows = 1] = first;
  return {
    pixel: areAlike && resolution !== null
      ? { x: width * resolution / columns, y: height * resolution / rows }
      : null,
    warnings: warnIf(fields.length !== 1, "regions_stacked", `${text}; Y is not a length throughout`),
  };
}

/** The first field of each scanned region; empty if the header does not describe them. */
function scanFields(text: string): JsonObject[] {
  // Matlab writes a list of one item as the item.
  const listOf = (value: unknown) => [value].flat().filter(isJsonObject);
  const document = unlessDamaged(() => parseJsonText(text, "the regions"), null);
  const [groups] = isJsonObject(document) && isJsonObject(document.RoiGroups) ? [document.RoiGroups] : [];
  const group = groups?.imagingRoiGroup;
  return listOf(isJsonObject(group) ? group.rois : null)
    .filter(({ enable }) => enable !== 0 && enable !== false)
    .flatMap(({ scanfields }) => listOf(scanfields).slice(0, 1));
}
