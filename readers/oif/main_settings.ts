/** The main settings of an acquisition, the physical steps of its axes, and contradictions to the stored planes. */
import { type Calibration, convertStep, keepCalibrated, statedStep, UNCALIBRATED } from "../metadata/axes.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { chooseMoment, findMoment, type Moment } from "../metadata/moment.ts";
import { differsByPercent } from "../metadata/text.ts";
import type { AxisLetter, LineScan } from "../reader.ts";
import type { PageLayout } from "../tiff/page.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { IMAGE, SCAN } from "./plane_settings.ts";
import type { PlaneGrid } from "./planes.ts";
import type { OifSettings } from "./settings.ts";

/** Highest number of an axis section; numbers start at 0. */
const LAST_AXIS = 8;

/** One axis as planned: positions of the first and the last sample and their stated distance, in `unit`. */
export interface PlannedAxis {
  /** Number of samples; 1 for an unused axis. */
  readonly size: number;
  readonly start: number | null;
  readonly end: number | null;
  readonly interval: number | null;
  readonly unit: string | null;
}

/** The main settings, parsed. */
export interface MainSettings {
  /** Letters of the used axes, fastest first; may be `""`. */
  readonly order: string;
  /** Axis of the rows of a plane: `Y`, `T` in a line scan, `Z` in a section, else the axis after `X` in the order. */
  readonly rows: string;
  readonly axes: ReadonlyMap<string, PlannedAxis>;
  /** Names of the recorded channels, in order of channel number. */
  readonly channels: readonly (string | null)[];
  readonly moment: Moment;
  /** Shape of the scanned region: `None` for a frame, `Line` for a line scan. */
  readonly region: string;
}

/** Parses the main settings. */
export function parseMainSettings(settings: OifSettings): MainSettings {
  const written = settings.text("Axis Parameter Common", "AxisOrder") ?? "";
  const order = written.toUpperCase().replace(/[^A-Z]/g, "");
  const channels: (string | null)[] = [];
  for (let n = 1; settings.has(`Channel ${n} Parameters`); n += 1) {
    channels.push(settings.text(`Channel ${n} Parameters`, "CH Name"));
  }
  return {
    order,
    rows: order.includes("Y") ? "Y" : /[^XC]/.exec(order)?.[0] ?? "Y",
    axes: readPlannedAxes(settings),
    channels,
    moment: chooseMoment(...readDates(settings)),
    region: settings.text(SCAN, "RegionMode") ?? "None",
  };
}

function readPlannedAxes(settings: OifSettings): Map<string, PlannedAxis> {
  const axes = new Map<string, PlannedAxis>();
  for (let n = 0; n <= LAST_AXIS; n += 1) {
    const section = `Axis ${n} Parameters Common`;
    const code = settings.text(section, "AxisCode")?.toUpperCase();
    if (code === undefined || axes.has(code)) continue;
    const size = settings.number(section, "MaxSize") ?? 1;
    axes.set(code, {
      size: Number.isSafeInteger(size) && size >= 1 ? size : 1,
      start: settings.number(section, "StartPosition"),
      end: settings.number(section, "EndPosition"),
      interval: settings.number(section, "Interval"),
      unit: settings.text(section, "PixUnit") ?? settings.text(section, "UnitName"),
    });
  }
  return axes;
}

/** The date of the acquisition, then the dates of the lasers, which very old files have instead. */
function readDates({ sections }: OifSettings): Moment[] {
  const isOwn = ({ name }: { readonly name: string }) => name.startsWith("Acquisition Parameters");
  const ordered = sections.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  // The first key is FluoView's misspelling.
  const keys = ["ImageCaputreDate", "ImageCaptureDate"];
  return ordered.flatMap(({ values }) => keys.map((key) => findMoment(values.get(key))));
}

/** Number of planned samples along a used axis that is neither rows nor columns; else 1. */
export function findPlannedSize({ order, rows, axes }: MainSettings, letter: AxisLetter): number {
  return letter !== rows && order.includes(letter) ? axes.get(letter)?.size ?? 1 : 1;
}

/** Number of planned lines of a line scan; 1 if it is not stated. */
export const findPlannedLines = ({ axes }: MainSettings): number => axes.get("T")?.size ?? 1;

/** Warns if the number of stored planes differs from the planned one. */
export function countDoubts(main: MainSettings, { sizes, stored }: PlaneGrid): Warning[] {
  const plans = (["T", "L", "Z", "C"] as const).map((letter) => {
    return { letter, size: sizes[letter], planned: findPlannedSize(main, letter) };
  });
  const intended = plans.reduce((count, { size, planned }) => count * Math.max(size, planned), 1);
  const beyond = main.order === "" ? undefined : plans.find(({ size, planned }) => size > planned);
  const reach =
    `Planes reach ${beyond?.size} along ${beyond?.letter}, but the settings plan ${beyond?.planned}`;
  const missing =
    `${stored} of ${intended} planes are stored: the acquisition was interrupted or files are missing`;
  return [
    ...warnIf(beyond !== undefined, "metadata_disagree", reach),
    ...warnIf(stored < intended, "planes_missing", missing),
  ];
}

/** Warns if settings state a size other than that of the planes. @param plane settings of the first plane */
export function warnAboutSizes(
  main: MainSettings,
  plane: OifSettings | null,
  { width, height, bits }: Pick<PageLayout, "width" | "height" | "bits">,
): Warning[] {
  const own = (key: string) => plane?.number(IMAGE, key) ?? null;
  const planned = (letter: string) => {
    const size = main.axes.get(letter)?.size ?? 1;
    return size > 1 ? size : null;
  };
  const facts: readonly (readonly [source: string, stated: number | null, noun: string, stored: number])[] = [
    ["of the first plane state", own("ImageDepth"), "bytes per sample", bits[0]! / 8],
    ["of the first plane state", own("ImageWidth"), "columns", width],
    ["of the first plane state", own("ImageHeight"), "rows", height],
    ["plan", planned("X"), "columns", width],
    ["plan", main.rows === "T" ? null : planned(main.rows), "rows", height],
  ];
  return facts.flatMap(([source, stated, noun, stored]) => {
    const text = `The settings ${source} ${stated} ${noun}, but the planes have ${stored}`;
    return warnIf(stated !== null && stated !== stored, "metadata_disagree", text);
  });
}

/** Warns if rows are not those of a frame, or are more than planned. @param stored rows of the tallest channel */
export function warnAboutRows(main: MainSettings, stored: number): Warning[] {
  const { order, rows } = main;
  const assumed = "The settings do not name the axes, so the rows are assumed to be those of frames";
  const replaced = `Rows run along the axis ${rows} and are served as Y`;
  const lines = findPlannedLines(main);
  const more = `${stored} lines are stored, but the settings plan ${lines}`;
  return [
    ...warnIf(order === "", "axes_assumed", assumed),
    ...warnIf(rows !== "Y" && rows !== "T", "axis_replaced", replaced),
    ...warnIf(rows === "T" && lines > 1 && lines < stored, "metadata_disagree", more),
  ];
}

/** Section of the main settings that, despite its name, has the calibration of the main image. */
const MAIN_IMAGE = "Reference Image Parameter";

/** Sources of the steps; `settings` is the text of `main`. */
export interface StepSources {
  readonly settings: OifSettings;
  readonly main: MainSettings;
  readonly plane: OifSettings | null;
}

/** Known steps of all axes of the main image, and warnings about contradictions and an unknown line period. */
export function readMainSteps(
  sources: StepSources,
): {
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  readonly warnings: readonly Warning[];
} {
  const { main, settings, plane } = sources;
  const { axes } = main;
  const warnings: Warning[] = [];
  const length = (letter: "X" | "Y") => {
    const key = letter === "X" ? "Width" : "Height";
    const [ofMain, ofPlane] = [
      readImageStep(settings, MAIN_IMAGE, key, warnings),
      readImageStep(plane, IMAGE, key, warnings),
    ];
    if (ofMain && ofPlane && ofMain.unit === ofPlane.unit && differsByPercent(ofMain.step, ofPlane.step)) {
      const text = `The step along ${letter} is stated as ${ofMain.step} and, for the first plane, as`;
      warnings.push(warning("metadata_disagree", `${text} ${ofPlane.step} ${ofMain.unit}`));
    }
    // For a line scan, the main settings may state the size of the frame in which the line was drawn.
    const [first, second] = main.rows === "Y" ? [ofMain, ofPlane] : [ofPlane, ofMain];
    return first ?? second ?? computePlannedStep(axes.get(letter));
  };
  const spaced = (letter: "Z" | "L") => {
    const axis = axes.get(letter);
    return statedStep(letter, axis?.interval && Math.abs(axis.interval), axis?.unit, warnings) ??
      computePlannedStep(axis);
  };
  const steps: Partial<Record<string, Calibration>> = {
    X: length("X"),
    Z: spaced("Z"),
    L: spaced("L"),
    T: computePlannedStep(axes.get("T")),
  };
  const rows = main.rows === "Y"
    ? length("Y")
    : main.rows === "T"
    ? findScannerPeriod(sources, warnings)
    : steps[main.rows] ?? computePlannedStep(axes.get(main.rows));
  const unknown = main.rows === "T" && rows === undefined;
  warnings.push(...warnIf(unknown, "step_unknown", "The file does not state the line time"));
  const calibrations = Object.entries({ ...steps, Y: rows }).filter(([, step]) => step !== undefined);
  warnings.push(...settings.numberWarnings, ...plane?.numberWarnings ?? []);
  return { calibrations: Object.fromEntries(calibrations), warnings };
}

/** Facts of a line scan, from the settings of the first plane and the main settings. */
export const readLineScan = ({ plane, settings }: StepSources, lines: Calibration | undefined): LineScan =>
  buildLineScan(
    lines,
    convertStep(plane?.number(SCAN, "Time Per Pixel"), "us"),
    settings.text(SCAN, "ScanDirection"),
  );

/** Seconds per line: from the scanner, else from the planned series, else from the image. */
function findScannerPeriod(
  { main, plane, settings }: StepSources,
  warnings: Warning[],
): Calibration | undefined {
  const ofImage = readImageStep(plane, IMAGE, "Height", warnings) ??
    readImageStep(settings, MAIN_IMAGE, "Height", warnings);
  return statedStep("Y", plane?.number(SCAN, "Time Per Line"), "us", warnings) ??
    computePlannedStep(main.axes.get("T")) ??
    (ofImage?.unit === "seconds" ? ofImage : undefined);
}

/** Steps of an image, from its own settings. */
export const readImageSteps = (
  settings: OifSettings | null,
): { readonly y: Calibration; readonly x: Calibration } => ({
  y: readImageStep(settings, IMAGE, "Height", []) ?? UNCALIBRATED,
  x: readImageStep(settings, IMAGE, "Width", []) ?? UNCALIBRATED,
});

function readImageStep(
  settings: OifSettings | null,
  section: string,
  key: "Width" | "Height",
  warnings: Warning[],
): Calibration | undefined {
  const step = settings?.number(section, `${key}ConvertValue`);
  return statedStep(key === "Width" ? "X" : "Y", step, settings?.text(section, `${key}Unit`), warnings);
}

/** The mean step from the first to the last planned sample. */
function computePlannedStep(axis: PlannedAxis | undefined): Calibration | undefined {
  if (axis === undefined || axis.start === null || axis.end === null || axis.size < 2) return undefined;
  return keepCalibrated(convertStep(Math.abs(axis.end - axis.start) / (axis.size - 1), axis.unit));
}
