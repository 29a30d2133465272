/** What the main settings tell of an acquisition. */
import type { AxisLetter } from "../reader.ts";
import { firstMoment, type Moment, momentOf } from "../metadata/moment.ts";
import type { Settings } from "./settings.ts";

/** Sections of the axes are numbered from 0 to this. */
const LAST_AXIS = 8;

/** Sections of channels that are looked at; scanners have five or six detectors, merged series a few more. */
const MAX_CHANNEL_SECTIONS = 10_000;

/** Keys of the date; the first is how FluoView spells it. */
const DATE_KEYS = ["ImageCaputreDate", "ImageCaptureDate"] as const;

/** One axis as it was planned. */
export interface PlannedAxis {
  /** Samples, 1 where the axis is not in use. */
  readonly size: number;
  /** Position of the first sample in `unit`. */
  readonly start: number | null;
  /** Position of the last sample. */
  readonly end: number | null;
  /** Distance of two samples in `unit`, where it is stated. */
  readonly interval: number | null;
  /** As it is written. */
  readonly unit: string | null;
}

/** The main settings, read. */
export interface MainSettings {
  /** Letters of the axes in use, fastest first; `""` where none are named. */
  readonly order: string;
  /**
   * Which axis the rows of a plane are: `Y`, `T` in a line scan, `Z` in a section, any other that follows `X` in the
   * order.
   */
  readonly rows: string;
  /** By letter. */
  readonly axes: ReadonlyMap<string, PlannedAxis>;
  /** Names of the recorded channels, in the order of their numbers. */
  readonly channels: readonly (string | null)[];
  /** When it was made. */
  readonly moment: Moment;
  /** What was scanned: `None` for a frame, `Line` and the like. */
  readonly region: string;
}

/** Reads the main settings. */
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

/** The date of the acquisition, then those of lasers, where very old files have it. */
function* datesIn({ sections }: Settings): Generator<Moment> {
  const acquisition = (name: string) => name.startsWith("Acquisition Parameters");
  for (const first of [true, false]) {
    for (const { name, values } of sections) {
      if (acquisition(name) !== first) continue;
      for (const key of DATE_KEYS) yield momentOf(values.get(key));
    }
  }
}

/** How many samples were planned along an axis that is in use, rows and columns aside. */
export function plannedSize({ order, rows, axes }: MainSettings, letter: AxisLetter): number {
  return letter !== rows && order.includes(letter) ? axes.get(letter)?.size ?? 1 : 1;
}
