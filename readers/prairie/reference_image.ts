/** The frame on which the line of a line scan was drawn, with one file per channel. */
import {
  checkScanPath,
  type ImageShape,
  NO_PATH,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  type ScanPath,
  warnReferenceLost,
} from "../metadata/reference.ts";
import {
  isStraight,
  type PvLine,
  type PvScan,
  type PvSequence,
  readSourceSteps,
} from "../metadata/pvscan.ts";
import { makeSourceName } from "../metadata/pvscan_files.ts";
import { buildReference, PlaneFiles, type ReferenceChannel } from "../tiff/plane_files.ts";
import { listed, warnIf, type Warning } from "../warning.ts";
import { selectChannelFiles } from "./cycles.ts";
import type { ScanFiles } from "./scan_files.ts";

/** Describes the reference image of a cycle. @param columns number of columns of the line scan */
export function readPrairieReference(
  scan: PvScan,
  sequence: PvSequence,
  { files, columns }: { readonly files: ScanFiles; readonly columns: number },
): ReferenceResult {
  const sources: ReferenceChannel[] = [];
  const missing: string[] = [];
  const [frame] = sequence.frames;
  const channels = frame === undefined ? [] : selectChannelFiles(frame);
  for (const [index, { name, source, channelName }] of channels.entries()) {
    const own = source ?? makeSourceName(name);
    if (own !== null && files.sizeOf(own) !== null) sources.push({ index, name: own, channelName });
    else if (source !== null) missing.push(`"${source}"`);
  }
  const { reference, warnings } = sources.length === 0 ? NO_REFERENCE : referenceUnlessLost(() => {
    const planes = PlaneFiles.open(sources, files.open, files.access);
    const { width, height } = planes.first.page;
    const { path, warnings } = scanPath(sequence.line, { columns: width, rows: height }, columns);
    const steps = readSourceSteps(scan, sequence.cycle);
    return { reference: buildReference(sources, planes, { steps, path }, files.access), warnings };
  });
  const text = `Source images of the line are missing: ${listed(missing)}`;
  return { reference, warnings: [...warnIf(missing.length > 0, "file_missing", text), ...warnings] };
}

/**
 * The scan path, with warnings if it is left out or contradicted.
 *
 * @param shape of the frame, in which the path must lie
 * @param scanned number of columns of the line scan; the path has one pixel per column
 */
export function scanPath(
  line: PvLine | null,
  shape: ImageShape,
  scanned: number,
): { readonly path: ScanPath; readonly warnings: readonly Warning[] } {
  const leftOut = (text: string) => ({ path: NO_PATH, warnings: [warnReferenceLost(text)] });
  if (line === null) return { path: NO_PATH, warnings: [] };
  const { columns, rows } = line.source;
  if ((columns ?? shape.columns) !== shape.columns || (rows ?? shape.rows) !== shape.rows) {
    return leftOut(
      `The line was drawn on a frame of ${columns} x ${rows} pixels, the source image has ${shape.columns} x ` +
        `${shape.rows}; its path is left out`,
    );
  }
  const straight = isStraight(line);
  if (!straight && !/^freeHand$/i.test(line.mode)) {
    return leftOut(`The line is of the mode "${line.mode.slice(0, 40)}", whose path is not known`);
  }
  const { x0, x1, y } = line.straight;
  // A straight line has a single row, since the whole raster is rotated.
  const points = straight ? [{ x: x0, y }, { x: x1, y }] : line.points;
  const drawn = { x: points.map(({ x }) => x ?? NaN), y: points.map(({ y }) => y ?? NaN) };
  const path = checkScanPath(drawn, shape, straight);
  if (path === null) {
    return leftOut("The path of the line does not lie in the source image and is left out");
  }
  const pixels = straight ? countPixelsBetween(line.straight) : points.length;
  return {
    path,
    warnings: warnIf(
      pixels !== null && Math.abs(pixels - scanned) >= 1,
      "metadata_disagree",
      `The path of the line has ${pixels} pixels, the line scan ${scanned} columns`,
    ),
  };
}

/** Number of pixels from one end of a straight line to the other, including both; or `null`. */
export const countPixelsBetween = ({ x0, x1 }: PvLine["straight"]): number | null =>
  x0 === null || x1 === null ? null : Math.abs(x1 - x0) + 1;
