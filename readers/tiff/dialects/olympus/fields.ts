/** Values in the text file that FluoView writes beside an exported TIFF. */
import { type Moment, parseMonthFirst } from "../../../metadata/moment.ts";
import { StatedNumbers } from "../../../metadata/stated_numbers.ts";
import type { Warning } from "../../../warning.ts";

/** A length or duration with its unit as written. */
export type WrittenStep = readonly [value: number, unit: string];

/** The image described by a text. */
export interface OlympusFields {
  readonly imageSize: readonly [number, number] | null;
  readonly lineScan: boolean;
  /** Numbers of channels, slices and frames, each at least 1. */
  readonly counts: Readonly<Record<"C" | "Z" | "T", number>>;
  /** Pixel size and distance between slices; `Y` is `null` if rows are lines in time. */
  readonly steps: Readonly<Record<"X" | "Y" | "Z", WrittenStep | null>>;
  readonly duration: WrittenStep | null;
  readonly pixelTime: WrittenStep | null;
  /** `Oneway` or `Roundtrip`. */
  readonly direction: string | null;
  /** `Channel Name` of each section `[Channel n]`. */
  readonly names: readonly (string | null)[];
  readonly moment: Moment;
  /** What the text lacks: the section of a channel that it counts, or the end of its last line; `null` for nothing. */
  readonly lack: string | null;
  /** About numbers. */
  readonly warnings: readonly Warning[];
}

/** Longest value in characters; the longest known ones have 60. Searching a longer one takes quadratic time. */
const MAX_VALUE = 1024;

/** What may be a number with a decimal point or comma and an exponent, but not the end of a longer number. */
const NUMBER = String.raw`(?<![\w.,])(\d[\d.,]*(?:[eE][+-]?\d+)?)`;

const MEASURE = String.raw`${NUMBER}\s*\[([^\]/]+)\]`;

/** Key of the size of the image with units. */
const CONVERTED = "Image Size(Unit Converted)";

/** The fields of a text, or `null` for any other text. */
export function readStatedFields(text: string): OlympusFields | null {
  const sections = parseSections(text);
  const field = (section: string, key: string) => sections.get(section)?.get(key);
  const dimension = (letter: string) => field("Dimensions", `${letter} Dimension`) ?? "";
  const image = field("Image", "Image Size");
  if (dimension("X") === "" && image === undefined) return null;
  const size = /(\d+)\s*\*\s*(\d+)/.exec(image ?? "");
  const primary = (field("Image", "Primary Dimensions") ?? "").replace(/\s/g, "").toUpperCase();
  const lineScan = primary !== "" ? /^X\*T/.test(primary) : /^XT/i.test(field("General", "Scan Mode") ?? "");
  const converted = new RegExp(String.raw`${MEASURE}\s*\*\s*${MEASURE}`).exec(
    field("Image", CONVERTED) ?? "",
  );
  const [, width, widthUnit = "", height, heightUnit = ""] = converted ?? [];
  const numbers = new StatedNumbers("The text file beside the image", true);
  const each = (length: string | undefined, unit: string, pixels: string | undefined): WrittenStep | null => {
    const value = numbers.read(CONVERTED, length);
    return value !== null && Number(pixels) > 0 ? [value / Number(pixels), unit] : null;
  };
  const stepIn = (key: string, text: string) => statedStepIn(numbers, key, text);
  const names: (string | null)[] = [];
  for (let n = 1; sections.has(`Channel ${n}`); n += 1) {
    names.push(field(`Channel ${n}`, "Channel Name") || null);
  }
  const counted = readStatedCount(dimension("Channel"));
  const isCut = !COMPLETE_LINE.test(text.slice(text.lastIndexOf("\n") + 1).trimEnd().slice(0, MAX_VALUE));
  const lacksChannel = dimension("Channel") !== "" && names.length < counted;
  const lack = isCut ? "the end of its last line" : lacksChannel ? `"[Channel ${names.length + 1}]"` : null;
  const lines = lineScan ? numbers.read(CONVERTED, height) : null;
  const found: Omit<OlympusFields, "warnings"> = {
    imageSize: size ? [Number(size[1]), Number(size[2])] : null,
    lineScan,
    counts: { C: counted, Z: readStatedCount(dimension("Z")), T: readStatedCount(dimension("T")) },
    steps: {
      X: stepIn("X Dimension", dimension("X")) ?? each(width, widthUnit, size?.[1]),
      Y: stepIn("Y Dimension", dimension("Y")) ?? (lineScan ? null : each(height, heightUnit, size?.[2])),
      Z: stepIn("Z Dimension", dimension("Z")),
    },
    duration: readStatedDuration(numbers, dimension("T")) ?? (lines === null ? null : [lines, heightUnit]),
    pixelTime: stepIn("Sampling Speed", field("Acquisition", "Sampling Speed") ?? ""),
    direction: field("Acquisition", "Scan Direction") ?? null,
    names,
    moment: parseMonthFirst(field("General", "Date") ?? ""),
    lack,
  };
  return { ...found, warnings: numbers.warnings };
}

/** A section, or a key with its value, in quotes or without any; or no line at all. */
const COMPLETE_LINE = /^$|^"[^"]*"(?:\t"[^"]*")+$|^"?\[[^\]]*\]"?$|^[^"\t]+\t[^"]*$/;

/** True for a text with sections of FluoView, whether or not it describes an image. */
export const isOfFluoView = (text: string): boolean =>
  /^"?\[(?:General|Dimensions|Image|Acquisition)\]"?(?:\t"")?\r?$/m.test(text);

function parseSections(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [key = "", value = ""] = line.split("\t").map((part) => part.trim().replace(/^"|"$/g, ""));
    const title = /^\[(.*)\]$/.exec(key)?.[1];
    if (title !== undefined) current = sections.getOrInsertComputed(title, () => new Map());
    else if (key !== "") current.getOrInsert(key, value.slice(0, MAX_VALUE));
  }
  return sections;
}

/** The count at the start of `2 [Ch]` or `38, 0.0 - 10.796 [um], 0.284 [um/pixel]`. */
function readStatedCount(text: string): number {
  const value = Number.parseInt(text, 10);
  return value >= 1 ? value : 1;
}

/** The step at the end of `38, 0.0 - 10.796 [um], 0.284 [um/pixel]`. */
function statedStepIn(numbers: StatedNumbers, key: string, text: string): WrittenStep | null {
  const [, sign = "", step, unit = ""] =
    new RegExp(String.raw`(?<![\w.,])([+-]?)${NUMBER}\s*\[([^\]/]+)/[^\]]*\]`).exec(text) ?? [];
  const value = step === undefined ? null : numbers.read(key, sign + step);
  return value === null ? null : [value, unit];
}

/** The duration from the first to the last time in `1, 0.000 - 35.099 [s], Interval FreeRun`. */
function readStatedDuration(numbers: StatedNumbers, text: string): WrittenStep | null {
  const found = new RegExp(String.raw`${NUMBER}\s*-\s*${MEASURE}`).exec(text);
  const [, from, to, unit = ""] = found ?? [];
  const [start, end] = [from, to].map((one) => numbers.read("T Dimension", one)) as [
    number | null,
    number | null,
  ];
  return start !== null && end !== null && end > start ? [end - start, unit] : null;
}
