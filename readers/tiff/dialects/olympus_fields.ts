/** Values of the text file that FluoView writes beside an exported TIFF. */
import { type Moment, writtenMoment } from "../../metadata/moment.ts";

/** A length or duration with its unit as written. */
export type Step = readonly [value: number, unit: string];

/** The image that a text describes. */
export interface OlympusFields {
  /** Columns and rows. */
  readonly imageSize: readonly [number, number] | null;
  /** Whether rows are lines in time. */
  readonly lineScan: boolean;
  /** Number of channels, 1 at least. */
  readonly channels: number;
  /** Number of slices, 1 at least. */
  readonly depth: number;
  /** Number of frames, 1 at least. */
  readonly frames: number;
  /** Size of a pixel along a row. */
  readonly x: Step | null;
  /** Size of a pixel along a column; `null` for lines in time. */
  readonly y: Step | null;
  /** Distance between slices. */
  readonly z: Step | null;
  /** Duration of the scan. */
  readonly duration: Step | null;
  /** Time that the laser stays on a pixel. */
  readonly pixelTime: Step | null;
  /** `Oneway` or `Roundtrip`. */
  readonly direction: string | null;
  /** `Channel Name` of each section `[Channel n]`. */
  readonly names: readonly (string | null)[];
  /** Date and time of the acquisition. */
  readonly moment: Moment;
}

/** A number with a decimal point or comma and an exponent, but not the tail of a longer one. */
const NUMBER = String.raw`(?<![\w.,])(\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)`;

/** A number before its unit. */
const MEASURE = String.raw`${NUMBER}\s*\[([^\]/]+)\]`;

const valueOf = (text: string) => Number(text.replace(",", "."));

/** Channels whose names are read; the instruments have at most six detectors. */
const MAX_NAMED = 64;

/** The fields of a text, or `null` for any other text. */
export function readFields(text: string): OlympusFields | null {
  const sections = sectionsOf(text);
  const dimensions = sections.get("Dimensions");
  const image = sections.get("Image");
  if (!dimensions?.has("X Dimension") && !image?.has("Image Size")) return null;
  const dimension = (letter: string) => dimensions?.get(`${letter} Dimension`) ?? "";
  const size = /(\d+)\s*\*\s*(\d+)/.exec(image?.get("Image Size") ?? "");
  const general = sections.get("General");
  const acquisition = sections.get("Acquisition");
  const primary = (image?.get("Primary Dimensions") ?? "").replace(/\s/g, "").toUpperCase();
  const lineScan = primary !== "" ? /^X\*T/.test(primary) : /^XT/i.test(general?.get("Scan Mode") ?? "");
  const converted = new RegExp(String.raw`${MEASURE}\s*\*\s*${MEASURE}`).exec(
    image?.get("Image Size(Unit Converted)") ?? "",
  );
  const [, width, widthUnit = "", height, heightUnit = ""] = converted ?? [];
  const each = (length: string | undefined, unit: string, pixels: string | undefined): Step | null =>
    length !== undefined && Number(pixels) > 0 ? [valueOf(length) / Number(pixels), unit] : null;
  return {
    imageSize: size ? [Number(size[1]), Number(size[2])] : null,
    lineScan,
    channels: countIn(dimension("Channel")),
    depth: countIn(dimension("Z")),
    frames: countIn(dimension("T")),
    x: stepIn(dimension("X")) ?? each(width, widthUnit, size?.[1]),
    y: stepIn(dimension("Y")) ?? (lineScan ? null : each(height, heightUnit, size?.[2])),
    z: stepIn(dimension("Z")),
    duration: durationIn(dimension("T")) ??
      (lineScan && height !== undefined ? [valueOf(height), heightUnit] : null),
    pixelTime: stepIn(acquisition?.get("Sampling Speed") ?? ""),
    direction: acquisition?.get("Scan Direction") ?? null,
    names: namesIn(sections),
    moment: writtenMoment(general?.get("Date") ?? ""),
  };
}

function sectionsOf(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [key = "", value = ""] = line.split("\t").map((part) => part.trim().replace(/^"|"$/g, ""));
    const title = /^\[(.*)\]$/.exec(key)?.[1];
    if (title !== undefined) {
      current = sections.get(title) ?? new Map<string, string>();
      sections.set(title, current);
    } else if (key !== "" && !current.has(key)) {
      current.set(key, value);
    }
  }
  return sections;
}

/** `2 [Ch]`, `38, 0.0 - 10.796 [um], 0.284 [um/pixel]`: the number at the start. */
function countIn(text: string): number {
  const value = Number.parseInt(text, 10);
  return value >= 1 ? value : 1;
}

/** `38, 0.0 - 10.796 [um], 0.284 [um/pixel]`: the step at the end. */
function stepIn(text: string): Step | null {
  const found = new RegExp(String.raw`${NUMBER}\s*\[([^\]/]+)/[^\]]*\]`).exec(text);
  const [, step = "", unit = ""] = found ?? [];
  return found ? [valueOf(step), unit] : null;
}

/** `1, 0.000 - 35.099 [s], Interval FreeRun`: from the first time to the last. */
function durationIn(text: string): Step | null {
  const found = new RegExp(String.raw`${NUMBER}\s*-\s*${MEASURE}`).exec(text);
  const [, from = "", to = "", unit = ""] = found ?? [];
  const value = valueOf(to) - valueOf(from);
  return value > 0 ? [value, unit] : null;
}

function namesIn(sections: Map<string, Map<string, string>>): (string | null)[] {
  const names: (string | null)[] = [];
  for (let n = 1; n <= MAX_NAMED; n += 1) {
    const section = sections.get(`Channel ${n}`);
    if (!section) break;
    names.push(section.get("Channel Name") || null);
  }
  return names;
}
