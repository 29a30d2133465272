/**
 * The document of a Prairie View scan, versions 4 and 5.
 *
 *   PVScan version date                    one document, `NAME.xml`
 *     PVStateShard                         settings; those of inner elements override those of outer ones
 *     Sequence type cycle time             one cycle
 *       PVLinescanDefinition mode          the line of a line scan
 *       PVStateShard
 *       Frame relativeTime absoluteTime    one frame
 *         File channel channelName filename source page
 *         PVStateShard
 *
 * In version 5 a setting is a `PVStateValue` with `key` and `value`; values per axis are in `IndexedValue` (index, value)
 * or `SubindexedValues` (index) > `SubindexedValue` (value). In version 4 it is a `Key` that ends with the axis:
 * `micronsPerPixel_XAxis`.
 */
import { DecodeFailed, NoImage } from "../errors.ts";
import { takeLastName } from "../io/paths.ts";
import { type Calibration, convertStep } from "./axes.ts";
import { buildMoment, convertHour, findMoment, type Moment, UNDATED } from "./moment.ts";
import { StatedNumbers } from "./stated_numbers.ts";
import { numberOf } from "./text.ts";
import type { Warning } from "../warning.ts";
import { findChild, findChildren, parseXml, type XmlElement } from "./xml.ts";

/** The image of one channel in one frame. The TIFF files are in the folder of the document. */
export interface PvFile {
  readonly channel: number;
  readonly channelName: string | null;
  readonly name: string;
  /** Name of the image file of the frame on which the line was drawn, or `null`. */
  readonly source: string | null;
  /** Index of the image's page in the TIFF file. */
  readonly page: number;
}

/** One frame. */
export interface PvFrame {
  /** Seconds since the start of the sequence, or `null`. */
  readonly relativeTime: number | null;
  /** Seconds since the start of the program's clock, or `null`. */
  readonly absoluteTime: number | null;
  /** In ascending order of the channels, of which one may have several. */
  readonly files: readonly PvFile[];
  readonly state: PvState;
}

/** A number that the document may lack. */
export type Stated = number | null;

/** The line of a line scan. */
export interface PvLine {
  /** `straightLine`, `freeHand` or another mode. */
  readonly mode: string;
  /** Shape of the frame on which the line was drawn. */
  readonly source: { readonly columns: Stated; readonly rows: Stated };
  /** Ends of a straight line, which is horizontal. */
  readonly straight: { readonly x0: Stated; readonly x1: Stated; readonly y: Stated };
  /** In micrometres. */
  readonly length: Stated;
  readonly points: readonly { readonly x: Stated; readonly y: Stated }[];
}

/** Whether the line's mode is the one with two ends. */
export const isStraight = ({ mode }: PvLine): boolean => /^straightLine$/i.test(mode);

/** One cycle. */
export interface PvSequence {
  /** `Linescan`, `Single`, `ZSeries`, `TSeries Timed Element` and so on. */
  readonly type: string;
  readonly cycle: number | null;
  /** Time of day, as written. */
  readonly time: string | undefined;
  readonly line: PvLine | null;
  readonly frames: readonly PvFrame[];
  readonly state: PvState;
}

/** The document. */
export interface PvScan {
  /** Date and time of the start, as written. */
  readonly date: string | undefined;
  readonly sequences: readonly PvSequence[];
  readonly state: PvState;
  /** About numbers. */
  readonly warnings: readonly Warning[];
}

/** Largest number of images per frame; the program records at most eight channels. */
const MAX_FILES = 64;

/** Longest file name in characters, on all systems. */
const MAX_NAME = 255;

/** Whether a text begins like the document of a scan, after its declaration and comments. */
export const beginsScan = (text: string): boolean =>
  /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--(?:(?!-->)[^])*-->\s*)*<PVScan[\s>/]/.test(text);

/** Reads a document. @throws {NoImage} it has another root @throws {DecodeFailed} it is damaged, or above a limit of XML */
export function parseScan(text: string): PvScan {
  const root = parseXml(text, "the PVScan document");
  if (root.name !== "PVScan") {
    throw new NoImage(`the root of the XML document is <${root.name}> instead of <PVScan>`);
  }
  const numbers = new StatedNumbers("The PVScan document", true);
  const sequences = findChildren(root, "Sequence").map((element) => readSequence(element, numbers));
  const state = stateOf(root, numbers);
  return { date: root.attributes.date, sequences, state, warnings: numbers.warnings };
}

function readSequence(element: XmlElement, numbers: StatedNumbers): PvSequence {
  const { type = "", cycle, time } = element.attributes;
  return {
    type,
    cycle: numbers.read("cycle", cycle),
    time,
    line: readPvLine(findChild(element, "PVLinescanDefinition"), numbers),
    frames: findChildren(element, "Frame").map((frame) => readPvFrame(frame, numbers)),
    state: stateOf(element, numbers),
  };
}

function readPvFrame(element: XmlElement, numbers: StatedNumbers): PvFrame {
  const stated = findChildren(element, "File");
  if (stated.length > MAX_FILES) {
    throw new DecodeFailed(
      `a frame of the PVScan document has ${stated.length} images, more than ${MAX_FILES}`,
    );
  }
  const files: PvFile[] = [];
  for (const { attributes } of stated) {
    const { channel, channelName, page } = attributes;
    const name = dropFolder(attributes.filename);
    if (name === null) continue;
    files.push({
      channel: numbers.read("channel", channel) ?? files.length + 1,
      channelName: channelName ?? null,
      name,
      source: dropFolder(attributes.source),
      page: (numbers.read("page", page) ?? 1) - 1,
    });
  }
  return {
    relativeTime: numbers.read("relativeTime", element.attributes.relativeTime),
    absoluteTime: numbers.read("absoluteTime", element.attributes.absoluteTime),
    files: files.sort((a, b) => a.channel - b.channel),
    state: stateOf(element, numbers),
  };
}

/** A file name without its folder, which may be from another machine: all files are in the folder of the document. */
function dropFolder(written: string | undefined): string | null {
  const name = takeLastName(written ?? "");
  return name === "" || name.length > MAX_NAME ? null : name;
}

function readPvLine(element: XmlElement | undefined, numbers: StatedNumbers): PvLine | null {
  if (element === undefined) return null;
  const { mode = "", SourcePixelsPerLine, SourceLinesPerFrame } = element.attributes;
  const line = findChild(element, "Line")?.attributes ?? {};
  return {
    mode,
    source: {
      columns: numbers.read("SourcePixelsPerLine", SourcePixelsPerLine),
      rows: numbers.read("SourceLinesPerFrame", SourceLinesPerFrame),
    },
    straight: {
      x0: numbers.read("startPixelX", line.startPixelX),
      x1: numbers.read("stopPixelX", line.stopPixelX),
      y: numbers.read("startPixelY", line.startPixelY),
    },
    length: numbers.read("lineLength", line.lineLength),
    points: findChildren(element, "Freehand")
      .map(({ attributes: { x, y } }) => ({ x: numbers.read("x", x), y: numbers.read("y", y) })),
  };
}

/**
 * Steps of the frame on which a line was drawn: those of the document or, in version 4, those of a straight line. The points of
 * a freehand line have other distances than the frame's pixels.
 */
export function readSourceSteps(
  scan: PvScan,
  cycle: number | null,
): { readonly y: Calibration; readonly x: Calibration } {
  const sequence = scan.sequences.find((one) => one.cycle === cycle) ?? scan.sequences[0];
  const inner = sequence === undefined || sequence.line !== null && !isStraight(sequence.line)
    ? []
    : [sequence.frames[0]?.state ?? sequence.state, sequence.state];
  const step = (axis: string) =>
    convertStep(findSetting([scan.state, ...inner], `micronsPerPixel/${axis}`), "um");
  return { y: step("YAxis"), x: step("XAxis") };
}

/** Month, day, year and a twelve-hour clock, as in US English: `3/5/2024 2:18:23 PM`. */
const US = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d\d):(\d\d)\s*([AP]M)\s*$/i;

/** Date of the document, unless the position of the month is unknown, and time of the sequence, in whole seconds. */
export function scanMoment(date: string | undefined, time: string | undefined): Moment {
  const day = parseDay(date);
  const found = /^\s*(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d*)?\s*$/.exec(time ?? "");
  if (found === null || day === UNDATED) return day;
  const [, hours, minutes, seconds] = found;
  return buildMoment([day.date.slice(0, 4), day.date.slice(4, 6), day.date.slice(6)], [
    hours,
    minutes,
    seconds,
  ]);
}

function parseDay(text: string | undefined): Moment {
  const found = US.exec(text ?? "");
  if (found === null) return /^\s*\d{4}[-/]\d/.test(text ?? "") ? findMoment(text) : UNDATED;
  const [, month = "", day = "", year, hours, minutes, seconds, half] = found;
  // Other English-speaking countries write the day first, and pad both numbers or the month to two digits.
  const padded = month.startsWith("0") || day.startsWith("0");
  if (padded && Number(day) <= 12) return UNDATED;
  return buildMoment([year, month, day], [convertHour(hours, half), minutes, seconds]);
}

/** Settings to keep, out of the dozens that each frame of a long series may repeat. */
const KEPT =
  /^(?:dwellTime|framePeriod|linesPerFrame|micronsPerPixel|pixelsPerLine|positionCurrent|scanLinePeriod|xYStageGridIndex)$/i;

/** Settings by lower-case key; those of an axis by `key/axis`: `scanlineperiod`, `micronsperpixel/xaxis`. */
export type PvState = ReadonlyMap<string, number>;

/** State of a frame without settings of its own; a document may have thousands. */
const NO_STATE: PvState = new Map();

function stateOf(element: XmlElement, numbers: StatedNumbers): PvState {
  const state = new Map<string, number>();
  for (const shard of element.children) {
    if (shard.name !== "PVStateShard") continue;
    for (const setting of shard.children) addSetting(state, setting, numbers);
  }
  return state.size === 0 ? NO_STATE : state;
}

function addSetting(
  state: Map<string, number>,
  { attributes, children }: XmlElement,
  numbers: StatedNumbers,
): void {
  const { key = "", value } = attributes;
  const [, name = "", axis] = /^(.*?)(?:_([XYZ]Axis))?$/i.exec(key) ?? [];
  const kept = name.toLowerCase();
  if (!KEPT.test(kept)) return;
  put(state, axis === undefined ? kept : `${kept}/${axis.toLowerCase()}`, value, numbers);
  for (const { attributes: of, children: below } of children) {
    const at = `${kept}/${(of.index ?? "").toLowerCase()}`;
    put(state, at, of.value, numbers);
    // If several motors move along an axis, each contributes a part of the position.
    const parts = below.map((one) => numbers.read(at, one.attributes.value)).filter((one) => one !== null);
    if (parts.length > 0) state.set(at, parts.reduce((sum, one) => sum + one, 0));
  }
}

function put(
  state: Map<string, number>,
  key: string,
  text: string | undefined,
  numbers: StatedNumbers,
): void {
  // In version 4, a value may list the positions of two motors: `-4.00,30`.
  const parts = key.startsWith("positioncurrent") && numberOf(text) === null ? text?.split(",", 3) ?? [] : [];
  const value = parts.length === 2
    ? (numberOf(parts[0]) ?? NaN) + (numberOf(parts[1]) ?? NaN)
    : numbers.read(key, text);
  if (value !== null && Number.isFinite(value)) state.set(key, value);
}

/** The value in the innermost level that has one, or `null`. @param levels from the innermost outwards */
export function findSetting(levels: readonly PvState[], key: string): number | null {
  const lower = key.toLowerCase();
  return levels.find((state) => state.has(lower))?.get(lower) ?? null;
}
