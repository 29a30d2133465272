/**
 * The document of a scan of Prairie View, versions 4 and 5.
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
 * A setting is a `PVStateValue` with `key` and `value` in version 5, where values of an axis stand in `IndexedValue` (index, value)
 * or `SubindexedValues` (index) > `SubindexedValue` (value); in version 4 it is a `Key` with the axis at the end of the key:
 * `micronsPerPixel_XAxis`.
 */
import { DecodeFailed, NoImage } from "../errors.ts";
import { lastNameOf } from "../io/names_inside.ts";
import { calibrated, type Calibration } from "./axes.ts";
import { hourOf, type Moment, moment, momentOf, UNDATED } from "./moment.ts";
import { numberOf } from "./numbers.ts";
import { child, children, parseXml, type XmlElement } from "./xml.ts";

/** The image of one channel in one frame. */
export interface PvFile {
  readonly channel: number;
  readonly channelName: string | null;
  /** Name of the TIFF file, in the folder of the document. */
  readonly name: string;
  /** Name of the frame on which the line was drawn, or `null`. */
  readonly source: string | null;
  /** Index of its page in the TIFF file. */
  readonly page: number;
}

/** One frame. */
export interface PvFrame {
  /** Seconds from the start of the sequence, or `null`. */
  readonly relativeTime: number | null;
  /** Seconds from the start of the program's clock, or `null`. */
  readonly absoluteTime: number | null;
  /** Images, one for each channel, ascending. */
  readonly files: readonly PvFile[];
  /** Settings of the frame itself. */
  readonly state: PvState;
}

/** The line of a line scan. */
export interface PvLine {
  /** `straightLine`, `freeHand` or another. */
  readonly mode: string;
  /** Columns and rows of the frame that it was drawn on, or `null` each. */
  readonly source: { readonly columns: number | null; readonly rows: number | null };
  /** Ends of a straight line, which is horizontal; `null` each where they are not stated. */
  readonly straight: {
    readonly x0: number | null;
    readonly x1: number | null;
    readonly y: number | null;
  };
  /** Length in um, or `null`. */
  readonly length: number | null;
  /** Points of a line drawn by hand. */
  readonly points: readonly { readonly x: number | null; readonly y: number | null }[];
}

/** Whether a line is of the mode that has two ends. */
export const isStraight = ({ mode }: PvLine): boolean => /^straightLine$/i.test(mode);

/** One cycle. */
export interface PvSequence {
  /** `Linescan`, `Single`, `ZSeries`, `TSeries Timed Element` and so on. */
  readonly type: string;
  /** Number of the cycle, or `null`. */
  readonly cycle: number | null;
  /** Time of day, as written. */
  readonly time: string | undefined;
  /** The line of a line scan, or `null`. */
  readonly line: PvLine | null;
  readonly frames: readonly PvFrame[];
  /** Settings of the sequence itself. */
  readonly state: PvState;
}

/** The document. */
export interface PvScan {
  /** Day and time of the start, as written. */
  readonly date: string | undefined;
  readonly sequences: readonly PvSequence[];
  /** Settings of the document. */
  readonly state: PvState;
}

/** Images of one frame; the program records eight channels at most. */
const MAX_FILES = 64;

/** Cycles of one document; a volume every half second fills this in fourteen hours. */
const MAX_SEQUENCES = 100_000;

/** Characters of a file name, at most, on all systems. */
const MAX_NAME = 255;

/** The first element of a document, after its declaration and comments. */
const START = /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--(?:(?!-->)[^])*-->\s*)*<PVScan[\s>/]/;

/** Whether a text begins as a document of a scan does. */
export const beginsScan = (text: string): boolean => START.test(text);

/**
 * Reads a document.
 *
 * @throws {NoImage} the document has another root
 * @throws {DecodeFailed} it is damaged, or over a bound of XML
 */
export function parseScan(text: string): PvScan {
  const root = parseXml(text, "the PVScan document");
  if (root.name !== "PVScan") {
    throw new NoImage(`the root of the XML document is <${root.name}> instead of <PVScan>`);
  }
  const sequences = children(root, "Sequence");
  if (sequences.length > MAX_SEQUENCES) {
    throw new DecodeFailed(
      `the PVScan document has ${sequences.length} sequences, more than ${MAX_SEQUENCES}`,
    );
  }
  return {
    date: root.attributes.date,
    sequences: sequences.map(sequenceOf),
    state: stateOf(root),
  };
}

function sequenceOf(element: XmlElement): PvSequence {
  const { type = "", cycle, time } = element.attributes;
  return {
    type,
    cycle: pvNumber(cycle),
    time,
    line: lineOf(child(element, "PVLinescanDefinition")),
    frames: children(element, "Frame").map(frameOf),
    state: stateOf(element),
  };
}

function frameOf(element: XmlElement): PvFrame {
  const stated = children(element, "File");
  if (stated.length > MAX_FILES) {
    throw new DecodeFailed(
      `a frame of the PVScan document has ${stated.length} images, more than ${MAX_FILES}`,
    );
  }
  const files: PvFile[] = [];
  for (const { attributes } of stated) {
    const { channel, channelName, page } = attributes;
    const name = ownName(attributes.filename);
    if (name === null) continue;
    files.push({
      channel: pvNumber(channel) ?? files.length + 1,
      channelName: channelName ?? null,
      name,
      source: ownName(attributes.source),
      page: (pvNumber(page) ?? 1) - 1,
    });
  }
  return {
    relativeTime: pvNumber(element.attributes.relativeTime),
    absoluteTime: pvNumber(element.attributes.absoluteTime),
    files: files.sort((a, b) => a.channel - b.channel),
    state: stateOf(element),
  };
}

/** The name without its folder, which is that of another machine: all files lie beside the document. */
function ownName(written: string | undefined): string | null {
  const name = lastNameOf(written ?? "");
  return name === "" || name.length > MAX_NAME ? null : name;
}

function lineOf(element: XmlElement | undefined): PvLine | null {
  if (element === undefined) return null;
  const { mode = "", SourcePixelsPerLine, SourceLinesPerFrame } = element.attributes;
  const line = child(element, "Line")?.attributes ?? {};
  return {
    mode,
    source: { columns: pvNumber(SourcePixelsPerLine), rows: pvNumber(SourceLinesPerFrame) },
    straight: {
      x0: pvNumber(line.startPixelX),
      x1: pvNumber(line.stopPixelX),
      y: pvNumber(line.startPixelY),
    },
    length: pvNumber(line.lineLength),
    points: children(element, "Freehand").map(({ attributes }) => ({
      x: pvNumber(attributes.x),
      y: pvNumber(attributes.y),
    })),
  };
}

/**
 * Steps of the frame that a line was drawn on: those of the document, or in version 4 those of a straight line. The points of
 * a line drawn by hand have other distances than the pixels of the frame.
 */
export function sourceSteps(
  scan: PvScan,
  cycle: number | null,
): { readonly y: Calibration; readonly x: Calibration } {
  const sequence = scan.sequences.find((one) => one.cycle === cycle) ?? scan.sequences[0];
  const inner = sequence === undefined || sequence.line !== null && !isStraight(sequence.line)
    ? []
    : [sequence.frames[0]?.state ?? sequence.state, sequence.state];
  const step = (axis: string) =>
    calibrated(settingOf([scan.state, ...inner], `micronsPerPixel/${axis}`), "um");
  return { y: step("YAxis"), x: step("XAxis") };
}

/** Month, day, year and a clock of twelve hours: `3/5/2024 2:18:23 PM`, as a system in US English writes them. */
const US = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s+(\d{1,2}):(\d\d):(\d\d)\s*([AP]M)\s*$/i;

/** A date that starts with its year. */
const YEAR_FIRST = /^\s*\d{4}[-/]\d/;

/**
 * Day of the document and time of the sequence, cut to seconds.
 *
 * @param date ignored in any other form, where the position of the month is unknown
 */
export function scanMoment(date: string | undefined, time: string | undefined): Moment {
  const day = dayOf(date);
  const found = /^\s*(\d{1,2}):(\d\d):(\d\d)(?:[.,]\d*)?\s*$/.exec(time ?? "");
  if (found === null || day === UNDATED) return day;
  const [, hours, minutes, seconds] = found;
  return moment([day.date.slice(0, 4), day.date.slice(4, 6), day.date.slice(6)], [hours, minutes, seconds]);
}

function dayOf(text: string | undefined): Moment {
  const found = US.exec(text ?? "");
  if (found === null) return YEAR_FIRST.test(text ?? "") ? momentOf(text) : UNDATED;
  const [, month = "", day = "", year, hours, minutes, seconds, half] = found;
  // English of other countries has the day first and writes both numbers with two digits, or the month.
  const padded = month.startsWith("0") || day.startsWith("0");
  if (padded && Number(day) <= 12) return UNDATED;
  return moment([year, month, day], [hourOf(hours, half), minutes, seconds]);
}

/** Settings that are kept of the dozens that each frame of a long series may repeat. */
const KEPT = new Set([
  "dwellTime",
  "framePeriod",
  "linesPerFrame",
  "micronsPerPixel",
  "pixelsPerLine",
  "positionCurrent",
  "scanLinePeriod",
  "xYStageGridIndex",
].map((key) => key.toLowerCase()));

/** Characters of a number; the program writes twenty. */
const MAX_DIGITS = 100;

/** Values by key in lower case, those of an axis by `key/axis`: `scanlineperiod`, `micronsperpixel/xaxis`. */
export type PvState = ReadonlyMap<string, number>;

/** That of a frame without settings of its own, as thousands are. */
const NO_STATE: PvState = new Map();

/** Settings of an element in its `PVStateShard`. */
function stateOf(element: XmlElement): PvState {
  const state = new Map<string, number>();
  for (const shard of element.children) {
    if (shard.name !== "PVStateShard") continue;
    for (const setting of shard.children) addSetting(state, setting);
  }
  return state.size === 0 ? NO_STATE : state;
}

function addSetting(state: Map<string, number>, { attributes, children }: XmlElement): void {
  const { key = "", value } = attributes;
  const [, name = "", axis] = /^(.*?)(?:_([XYZ]Axis))?$/i.exec(key) ?? [];
  const kept = name.toLowerCase();
  if (!KEPT.has(kept)) return;
  put(state, axis === undefined ? kept : `${kept}/${axis.toLowerCase()}`, value);
  for (const { attributes: of, children: below } of children) {
    const at = `${kept}/${(of.index ?? "").toLowerCase()}`;
    put(state, at, of.value);
    // Of a place that several motors move, each gives a part.
    const parts = below.map((one) => pvNumber(one.attributes.value)).filter((one) => one !== null);
    if (parts.length > 0) state.set(at, parts.reduce((sum, one) => sum + one, 0));
  }
}

/** What several motors may add up to. */
const PLACE = "positioncurrent";

function put(state: Map<string, number>, key: string, text: string | undefined): void {
  const value = pvNumber(text) ?? (key.startsWith(PLACE) ? sumOf(text) : null);
  if (value !== null) state.set(key, value);
}

/** Version 4 may list the places of two motors: `-4.00,30`. */
function sumOf(text: string | undefined): number | null {
  const parts = (text ?? "").split(",", 3).map((one) => numberOf(one));
  return parts.length === 2
    ? parts.reduce((sum, one) => sum === null || one === null ? null : sum + one)
    : null;
}

/** A number as the program writes it; in some languages the system writes a comma before the decimals. */
function pvNumber(text: string | null | undefined): number | null {
  const written = text !== null && text !== undefined && text.length <= MAX_DIGITS ? text.trim() : "";
  return numberOf(/^[-+]?\d+,\d+(?:[eE][-+]?\d+)?$/.test(written) ? written.replace(",", ".") : written);
}

/** The value of the innermost of some levels that has one, or `null`; the levels from the innermost out. */
export function settingOf(levels: readonly PvState[], key: string): number | null {
  const lower = key.toLowerCase();
  return levels.find((state) => state.has(lower))?.get(lower) ?? null;
}
