/** The main settings of an acquisition, and their contradictions to the stored planes. */
import type { AxisLetter } from "../reader.ts";
import type { PageLayout } from "../tiff/page.ts";
import { type Warning, warning } from "../warning.ts";
import { firstMoment, type Moment, momentOf } from "../metadata/moment.ts";
import { IMAGE } from "./plane_settings.ts";
import type { PlaneGrid } from "./planes.ts";
import type { Settings } from "./settings.ts";

/** Highest number of an axis section; numbers start at 0. */
const LAST_AXIS = 8;

/** Largest number of channel sections to read; scanners have five or six detectors, merged series a few more. */
const MAX_CHANNEL_SECTIONS = 10_000;

/** Keys of the date; the first is FluoView's misspelling. */
const DATE_KEYS = ["ImageCaputreDate", "ImageCaptureDate"] as const;

/** One axis as planned. */
export interface PlannedAxis {
  /** Number of samples; 1 for an unused axis. */
  readonly size: number;
  /** Position of the first sample in `unit`. */
  readonly start: number | null;
  /** Position of the last sample in `unit`. */
  readonly end: number | null;
  /** Stated distance between samples in `unit`. */
  readonly interval: number | null;
  /** Unit as written. */
  readonly unit: string | null;
}

/** The main settings, parsed. */
export interface MainSettings {
  /** Letters of the used axes, fastest first; may be `""`. */
  readonly order: string;
  /** Axis of the rows of a plane: `Y`, `T` in a line scan, `Z` in a section, else the axis after `X` in the order. */
  readonly rows: string;
  /** Axes by letter. */
  readonly axes: ReadonlyMap<string, PlannedAxis>;
  /** Names of the recorded channels, in order of channel number. */
  readonly channels: readonly (string | null)[];
  readonly moment: Moment;
  /** Shape of the scanned region: `None` for a frame, `Line` for a line scan. */
  readonly region: string;
}

/** Parses the main settings. */
export function mainSettings(settings: Settings): MainSettings {
  const order = (settings.text("Axis Parameter Common", "AxisOrder") ?? "").toUpperCase().replace(
    /[^A-Z]/g,
    "",
  );
  return {
    order,
    rows: rowsOf(order),
    axes: axesIn(settings),
    channels: channelsIn(settings),
    moment: firstMoment(...datesIn(settings)),
    region: settings.text("Acquisition Parameters Common", "RegionMode") ?? "None",
  };
}

function rowsOf(order: string): string {
  if (order === "" || order.includes("Y")) return "Y";
  return [...order].find((letter) => letter !== "X" && letter !== "C") ?? "Y";
}

function axesIn(settings: Settings): Map<string, PlannedAxis> {
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

function channelsIn(settings: Settings): (string | null)[] {
  const names: (string | null)[] = [];
  for (let n = 1; n <= MAX_CHANNEL_SECTIONS && settings.has(`Channel ${n} Parameters`); n += 1) {
    names.push(settings.text(`Channel ${n} Parameters`, "CH Name"));
  }
  return names;
}

/** The date of the acquisition, then the dates of the lasers, which very old files have instead. */
function* datesIn({ sections }: Settings): Generator<Moment> {
  const acquisition = (name: string) => name.startsWith("Acquisition Parameters");
  for (const first of [true, false]) {
    for (const { name, values } of sections) {
      if (acquisition(name) !== first) continue;
      for (const key of DATE_KEYS) yield momentOf(values.get(key));
    }
  }
}

/** Number of planned samples along a used axis that is neither rows nor columns; else 1. */
export function plannedSize({ order, rows, axes }: MainSettings, letter: AxisLetter): number {
  return letter !== rows && order.includes(letter) ? axes.get(letter)?.size ?? 1 : 1;
}

/** Number of planned lines of a line scan; 1 if it is not stated. */
export const plannedLines = ({ axes }: MainSettings): number => axes.get("T")?.size ?? 1;

const contradiction = (text: string) => warning("metadata_disagree", text);

/** Warns if the number of stored planes differs from the planned one. */
export function countDoubts(main: MainSettings, { sizes, stored }: PlaneGrid): Warning[] {
  const letters = ["T", "L", "Z", "C"] as const;
  const intended = letters.reduce(
    (count, letter) => count * Math.max(sizes[letter], plannedSize(main, letter)),
    1,
  );
  const beyond = letters.find((letter) => main.order !== "" && sizes[letter] > plannedSize(main, letter));
  const warnings: Warning[] = [];
  if (beyond !== undefined) {
    const [last, planned] = [sizes[beyond], plannedSize(main, beyond)];
    warnings.push(contradiction(`Planes reach ${last} along ${beyond}, but the settings plan ${planned}`));
  }
  if (stored < intended) {
    const text =
      `${stored} of ${intended} planes are stored: the acquisition was interrupted or files are missing`;
    warnings.push(warning("planes_missing", text));
  }
  return warnings;
}

/** Warns if settings state a size other than that of the planes. @param plane settings of the first plane */
export function sizeDoubts(main: MainSettings, plane: Settings | null, page: PageLayout): Warning[] {
  const { width, height, bits } = page;
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
  return facts.filter(([, stated, , stored]) => stated !== null && stated !== stored)
    .map(([source, stated, noun, stored]) =>
      contradiction(`The settings ${source} ${stated} ${noun}, but the planes have ${stored}`)
    );
}

/** Warns if rows are not those of a frame, or are more than planned. @param stored rows of the tallest channel */
export function rowDoubts(main: MainSettings, stored: number): Warning[] {
  if (main.order === "") {
    return [
      warning(
        "axes_assumed",
        "The settings do not name the axes, so the rows are assumed to be those of frames",
      ),
    ];
  }
  if (main.rows === "Y") return [];
  if (main.rows !== "T") {
    return [
      warning("axis_replaced", `Rows run along the axis ${main.rows} and are served as Y`),
    ];
  }
  const lines = plannedLines(main);
  return lines > 1 && lines < stored
    ? [contradiction(`${stored} lines are stored, but the settings plan ${lines}`)]
    : [];
}
