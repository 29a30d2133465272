/**
 * OME-TIFF of ThorImage LS: `Experiment.xml` beside the files contains the frame rate and the local date, which OME-XML lacks. If
 * both have pixel sizes, those of the OME-XML count.
 */
import { dirname, join } from "node:path";
import { DecodeFailed } from "../../errors.ts";
import { MAX_XML_BYTES } from "../../io/limits.ts";
import { selectCalibrations } from "../../metadata/axes.ts";
import { buildMoment, chooseMoment, convertHour, type Moment, UNDATED } from "../../metadata/moment.ts";
import { warnAboutZeros } from "../../metadata/lost_text.ts";
import { StatedNumbers } from "../../metadata/stated_numbers.ts";
import { decodeAnyText, differsByPercent, numberOf } from "../../metadata/text.ts";
import { findChild, parseXml, type XmlElement } from "../../metadata/xml.ts";
import { unlessLost, warning, type WarningCode } from "../../warning.ts";
import { EXPERIMENT_NAME as DOCUMENT } from "../marks.ts";
import type { OpenedTiff, SeriesList, Stack } from "../stack.ts";

const ROOT = "ThorImageExperiment";

/** Values of `areaMode` that mean frames: square and rectangle. */
const FRAMES = [0, 1];

/** The images of an OME-TIFF, with metadata from an `Experiment.xml` beside them. */
export function withExperiment(opened: OpenedTiff, list: SeriesList): SeriesList {
  const found = readExperiment(opened);
  return found ? { ...list, open: (index) => addExperiment(list.open(index), found) } : list;
}

/** The document, or `null`: with a warning if it is damaged, without one if it is from another program. */
const readExperiment = ({ path, files, warnings }: OpenedTiff) =>
  unlessLost(warnings, `"${DOCUMENT}"`, () => {
    using file = files.openNeighbour(join(dirname(path), DOCUMENT));
    if (file === null) return null;
    if (file.size > MAX_XML_BYTES) {
      throw new DecodeFailed(`it has ${file.size} bytes, more than ${MAX_XML_BYTES}`);
    }
    const text = decodeAnyText(file.read(0, file.size, "the document"));
    if (!text.slice(0, 4096).includes(ROOT)) {
      warnings.push(...warnAboutZeros(`"${DOCUMENT}"`, text));
      return null;
    }
    const experiment = parseXml(text.trim(), "the document");
    return experiment.name === ROOT ? { text, experiment } : null;
  });

function addExperiment(stack: Stack, { text, experiment }: { text: string; experiment: XmlElement }): Stack {
  const documents: NonNullable<Stack["documents"]> = (list) => {
    stack.documents?.(list);
    list.add(DOCUMENT, "application/xml", text);
  };
  const scan = findChild(experiment, "LSM")?.attributes ?? {};
  const numbers = new StatedNumbers(`"${DOCUMENT}"`);
  const number = (name: string) => numbers.step(name, scan[name]);
  const warnings = [...stack.warnings];
  const note = (code: WarningCode, text: string) => warnings.push(warning(code, text));
  const isLineScan = number("timeBasedLineScan") === 1 || !FRAMES.includes(number("areaMode") ?? 0);
  const { width, height } = stack.layout;
  const [columns, rows] = [number("pixelX"), number("pixelY")];
  if (isLineScan) {
    const { timeBasedLineScan = "", areaMode = "" } = scan;
    const reason = `timeBasedLineScan="${timeBasedLineScan}", areaMode="${areaMode}"`;
    const text = `"${DOCUMENT}" says that lines were scanned (${reason})`;
    note("axes_assumed", `${text}; rows are served without a step, as they may be lines in time`);
  } else if (columns !== width || rows !== height) {
    const text = `"${DOCUMENT}" describes ${columns} x ${rows} pixels, the images have ${width} x ${height}`;
    note("metadata_disagree", `${text}; it is left out`);
    return { ...stack, documents, warnings };
  }
  const { T, Z } = stack.sizes;
  const pixel = number("pixelSizeUM");
  const depth = Z > 1
    ? numbers.step("stepSizeUM", findChild(experiment, "ZStage")?.attributes.stepSizeUM)
    : null;
  // `averageNum` keeps its last value when `averageMode` is off.
  const averaged = number("averageMode") === 1 ? Math.max(1, number("averageNum") ?? 1) : 1;
  const rate = T > 1 ? keepPositive(number("frameRate")) : null;
  const isStream = numberOf(findChild(experiment, "Timelapse")?.attributes.intervalSec) === 0 ||
    numberOf(findChild(experiment, "Streaming")?.attributes.enable) === 1;
  const declared = selectCalibrations({
    X: [pixel, "um"],
    Y: [pixel, "um"],
    Z: [depth, "um"],
    // The frame rate does not apply to volumes or to frames at intervals.
    T: [Z === 1 && isStream ? rate && averaged / rate : null, "s"],
  }, warnings);
  warnings.push(...numbers.warnings);
  for (const letter of ["X", "Y", "Z", "T"] as const) {
    const [own, other] = [stack.calibrations[letter], declared[letter]];
    if (own && other && own.unit === other.unit && differsByPercent(own.step, other.step)) {
      const text = `OME-XML has a step of ${own.step} ${own.unit} along ${letter}, "${DOCUMENT}" one of`;
      note("metadata_disagree", `${text} ${other.step}; that of OME-XML counts`);
    }
  }
  const { Y, ...calibrations } = { ...declared, ...stack.calibrations };
  if (T > 1 && calibrations.T === undefined && !stack.stamps) {
    note("step_unknown", `"${DOCUMENT}" does not say how much time passes between two time points`);
  }
  return {
    ...stack,
    documents,
    calibrations: { ...calibrations, ...Y && !isLineScan && { Y } },
    moment: chooseMoment(readThorDate(findChild(experiment, "Date")?.attributes ?? {}), stack.moment),
    warnings,
  };
}

const keepPositive = (value: number | null) => value !== null && value > 0 ? value : null;

/** Largest offset of a time zone from UTC in seconds. */
const FARTHEST_ZONE = 15 * 3600;

/** Seconds of a day. */
const DAY = 24 * 3600;

/** The local date. `uTime`, the seconds since 1970, decides whether month or day comes first. */
function readThorDate({ date = "", uTime }: Readonly<Record<string, string | undefined>>): Moment {
  const [, one, two, year, hours, minutes, seconds, half] =
    /^\s*(\d\d?)[/.-](\d\d?)[/.-](\d{4})(?:[ T]+(\d\d?):(\d\d):(\d\d)(?:\s*([AP]M))?)?\s*/i.exec(date) ?? [];
  if (year === undefined) return UNDATED;
  const hour = convertHour(hours, half);
  const known = numberOf(uTime);
  // ThorImage 1 writes no time.
  const slack = hours === undefined ? DAY + FARTHEST_ZONE : FARTHEST_ZONE;
  const fitting = [[one, two], [two, one]].filter(([month, day]) => {
    const local = Date.UTC(Number(year), Number(month) - 1, Number(day), hour || 0, Number(minutes ?? 0)) /
      1000;
    return known === null || Math.abs(local - known) <= slack;
  });
  const time = hours === undefined ? [] : [hour, minutes, seconds];
  return chooseMoment(...fitting.map(([month, day]) => buildMoment([year, month, day], time)));
}
