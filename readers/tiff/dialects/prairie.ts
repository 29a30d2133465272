/**
 * TIFF of Prairie View, opened by itself: the frame on which the line of a line scan was drawn, with the steps from the scan's
 * document, and images whose document is missing. The Prairie View reader opens images that are named in a document.
 */
import { basename } from "node:path";
import { selectCalibrations } from "../../metadata/axes.ts";
import { readSourceSteps } from "../../metadata/pvscan.ts";
import { findScanDocument, parseScanFileName } from "../../metadata/pvscan_files.ts";
import { warning, type WarningCode } from "../../warning.ts";
import { PRAIRIE_SOFTWARE } from "../marks.ts";
import type { OpenedTiff, SeriesList, Stack } from "../stack.ts";
import { TAG } from "../tags.ts";

const LINE_SCAN = /^LineScan-/i;
const FRAMES = /^(?:TSeries|ZSeries|SingleImage|BrightnessOverTime)-/i;

const ROWS_UNKNOWN = "whether its rows are lines in time, and how far apart they are, is unknown";

/** The series of a file, with metadata from its document if the file is from Prairie View. */
export function withPrairieDocument(opened: OpenedTiff, list: SeriesList): SeriesList {
  const named = parseScanFileName(basename(opened.path)) !== null;
  if (!named && !PRAIRIE_SOFTWARE.test(opened.first.note(TAG.Software, 64))) return list;
  const document = findScanDocument(opened.path, opened.files);
  const warn = (code: WarningCode, reason: string, unknown: string) =>
    opened.warnings.push(warning(code, `It is an image of Prairie View, but ${reason}; ${unknown}`));
  if (document === null) {
    warn("step_unknown", "its name does not say which document it belongs to", ROWS_UNKNOWN);
    return mapStacks(list, withoutRowStep);
  }
  const { part, found } = document;
  if ("reason" in found) {
    // Steps and date of the file's own metadata count.
    if (part.kind !== "image" || FRAMES.test(part.scan)) {
      return mapStacks(list, (stack) => withDoubts(stack, found.reason));
    }
    const lines = "its rows are lines in time, how long one takes is unknown";
    warn("metadata_missing", found.reason, LINE_SCAN.test(part.scan) ? lines : ROWS_UNKNOWN);
    return mapStacks(list, withoutRowStep);
  }
  if (part.kind !== "source") return list;
  return mapStacks(list, (stack) => {
    const { y, x } = readSourceSteps(found.scan, part.cycle);
    return { ...stack, calibrations: selectCalibrations({ Y: [y.step, y.unit], X: [x.step, x.unit] }, []) };
  });
}

/** Adds a warning about a missing document, with what is unknown without it. */
function withDoubts(stack: Stack, reason: string): Stack {
  const { calibrations: { Y, X }, moment: { date } } = stack;
  const isStated = [Y !== undefined && X !== undefined, date !== ""].map(Number).join("");
  const rest = {
    "00": "; its steps and date are unknown",
    "01": "; its steps are unknown",
    "10": "; its date is unknown",
  }[isStated] ?? "";
  const text = `It is an image of Prairie View, but ${reason}; it is served without the other images${rest}`;
  return { ...stack, warnings: [...stack.warnings, warning("metadata_missing", text)] };
}

const mapStacks = (list: SeriesList, change: (stack: Stack) => Stack): SeriesList => ({
  ...list,
  open: (index) => change(list.open(index)),
});

/** Removes the step of the rows, which OME-XML copies from the frame on which the line was drawn. */
function withoutRowStep(stack: Stack): Stack {
  const { Y: _rows, ...calibrations } = stack.calibrations;
  return { ...stack, calibrations };
}
