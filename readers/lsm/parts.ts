/**
 * The parts to which the record of an LSM file points: colours and names, time stamps, events, drawings, and how it was recorded;
 * and their documents.
 */
import { BLACK, formatHexColor } from "../metadata/channels.ts";
import { DecodeFailed, unlessDamaged } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import { convertUnixTime, type Moment, UNDATED } from "../metadata/moment.ts";
import { MAX_STAMPS } from "../metadata/time_stamps.ts";
import { decodeText } from "../tiff/directory.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import type { InfoRecord } from "./info_record.ts";

const COLORS_HEAD_BYTES = 20;

/** Largest block of colours in bytes: 108 per channel, for the largest number of channels. */
const MAX_COLORS_BYTES = MAX_CHANNELS * 108;

/**
 * Reads the colours of the channels as `#rrggbb`, and their names, which may be blank. Offsets are relative to the block: i32
 * bytes, i32 colours, i32 names, i32 offset of the colours (red, green, blue, 0), i32 offset of the names. A name is a u32 length
 * that includes the final zero, and the text; old programs write texts without lengths.
 *
 * @throws {DecodeFailed} they are damaged or lie outside the file
 */
export function readChannelColors(
  tiff: TiffFile,
  offset: number,
): { readonly colors: readonly string[]; readonly names: readonly string[] } {
  const head = tiff.window.view(offset, COLORS_HEAD_BYTES, "the channel colours");
  const field = (index: number) => head.getInt32(4 * index, true);
  const [size, colors, names, colorsAt, namesAt] = [field(0), field(1), field(2), field(3), field(4)];
  const sound = size >= COLORS_HEAD_BYTES && size <= MAX_COLORS_BYTES &&
    [colors, names].every((n) => n >= 0 && n <= MAX_CHANNELS) &&
    [colorsAt, namesAt].every((at) => at >= COLORS_HEAD_BYTES && at <= size) && colorsAt + 4 * colors <= size;
  if (!sound) {
    const places = `at ${colorsAt} and ${namesAt} of ${size} bytes`;
    throw new DecodeFailed(
      `the channel colours at ${offset} are ${colors} colours and ${names} names ${places}`,
    );
  }
  const bytes = tiff.file.read(offset, size, "the channel colours");
  return {
    colors: Array.from({ length: colors }, (_, i) => {
      const at = colorsAt + 4 * i;
      const [red = 0, green = 0, blue = 0] = bytes.subarray(at, at + 3);
      const color = formatHexColor(red, green, blue);
      // Black means "no colour", and is displayed as white.
      return color === BLACK ? "#ffffff" : color;
    }),
    names: readNames(bytes.subarray(namesAt), names),
  };
}

function readNames(bytes: Uint8Array<ArrayBuffer>, count: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  for (let at = 0; names.length < count && at < bytes.length;) {
    const length = at + 4 <= bytes.length ? view.getUint32(at, true) : Infinity;
    const counted = length <= bytes.length - at - 4;
    const start = counted ? at + 4 : at;
    const zero = bytes.indexOf(0, start);
    const end = counted ? start + length : zero < 0 ? bytes.length : zero + 1;
    const name = bytes.subarray(start, end);
    const letters = name.findIndex((byte) => byte === 0);
    if (letters >= 0 && name.subarray(letters).some((byte) => byte !== 0)) {
      throw new DecodeFailed(`zeros stand in place of letters of the name of channel ${names.length}`);
    }
    names.push(decodeText(name));
    at = end;
  }
  return names;
}

/** Reads the time stamps: i32 bytes, i32 count, then f64 seconds per time point or line. @throws {DecodeFailed} damaged */
export function readLsmStamps(tiff: TiffFile, offset: number): Float64Array {
  const head = tiff.window.view(offset, 8, "the time stamps");
  const [size, count] = [head.getInt32(0, true), head.getInt32(4, true)];
  if (count < 0 || count > MAX_STAMPS || size !== 8 + 8 * count) {
    throw new DecodeFailed(`the time stamps at ${offset} are ${count} in ${size} bytes`);
  }
  const view = new DataView(tiff.file.read(offset + 8, 8 * count, "the time stamps").buffer);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true));
}

/** Bytes of an event before its text. */
const EVENT_HEAD_BYTES = 16;

/** Largest size of all events, of a list of drawings, and of the scan information; some hundred kilobytes are usual. */
const MAX_PART_BYTES = 4 << 20;

/** Reads the events: u32 bytes, u32 count; each u32 bytes, f64 seconds like a stamp, u32 type, text. @throws {DecodeFailed} damaged or too many */
export function readEvents(
  tiff: TiffFile,
  offset: number,
): { readonly seconds: number; readonly type: number; readonly text: string }[] {
  const count = tiff.window.view(offset, 8, "the events").getUint32(4, true);
  const events = [];
  let at = offset + 8;
  for (let i = 0; i < count; i += 1) {
    const head = tiff.window.view(at, EVENT_HEAD_BYTES, "an event");
    const size = head.getUint32(0, true);
    const [seconds, type] = [head.getFloat64(4, true), head.getUint32(12, true)];
    if (size < EVENT_HEAD_BYTES || at + size - offset > MAX_PART_BYTES) {
      throw new DecodeFailed(`event ${i} at ${at} has ${size} bytes`);
    }
    const text = tiff.textAt(at + EVENT_HEAD_BYTES, size - EVENT_HEAD_BYTES, "an event");
    events.push({ seconds, type, text });
    at += size;
  }
  return events;
}

/** Bytes before the elements of a list: i32 number of elements, i32 bytes of the list, and display settings. */
const LIST_HEAD_BYTES = 200;

const SHAPES: Readonly<Record<number, string>> = {
  13: "text",
  14: "line",
  15: "scale bar",
  16: "open arrow",
  17: "closed arrow",
  18: "rectangle",
  19: "ellipse",
  20: "closed polyline",
  21: "open polyline",
  22: "closed Bezier curve",
  23: "open Bezier curve",
  24: "circle",
  25: "palette",
  26: "polyline with arrow",
  27: "Bezier curve with arrow",
  28: "angle",
  29: "circle by three points",
};

const WITHOUT_POINTS = new Set([13, 15, 16, 17, 25]);

/** Smallest number of bytes of an element before its geometry: display settings and the name of the font. */
const ELEMENT_BYTES = 164;

/**
 * Reads the user's drawings, which include the scanned line. An element is: i32 shape, i32 bytes of the element, display
 * settings; a shape with points ends with i32 points and two f64 (column, row) per point. An unknown shape is named by its number.
 *
 * @throws {DecodeFailed} they lie outside the file, or their elements do not fill the list
 */
export function readDrawings(
  tiff: TiffFile,
  offset: number,
  name: string,
): { readonly shape: string; readonly points: readonly (readonly [x: number, y: number])[] }[] {
  const head = tiff.window.view(offset, 8, name);
  const [count, size] = [head.getInt32(0, true), head.getInt32(4, true)];
  if (size < LIST_HEAD_BYTES || size > MAX_PART_BYTES) {
    throw new DecodeFailed(`${name} at ${offset} has ${count} elements in ${size} bytes`);
  }
  const view = new DataView(tiff.file.read(offset, size, name).buffer);
  const drawings = [];
  let at = LIST_HEAD_BYTES;
  for (let i = 0; i < count; i += 1) {
    const length = at + 8 <= size ? view.getInt32(at + 4, true) : 0;
    if (length < ELEMENT_BYTES || at + length > size) {
      throw new DecodeFailed(`element ${i} of ${name} at ${offset + at} has ${length} bytes of ${size - at}`);
    }
    const shape = view.getInt32(at, true);
    drawings.push({
      shape: SHAPES[shape] ?? String(shape),
      points: WITHOUT_POINTS.has(shape) ? [] : readPointsAtEnd(new DataView(view.buffer, at, length)),
    });
    at += length;
  }
  return drawings;
}

/** The points at the end of an element, directly after their count. Programs differ in what precedes the count. */
function readPointsAtEnd(element: DataView): [number, number][] {
  const most = Math.floor((element.byteLength - ELEMENT_BYTES) / 16);
  for (let count = 2; count <= most; count += 1) {
    const at = element.byteLength - 4 - 16 * count;
    if (element.getInt32(at, true) !== count) continue;
    const points = Array.from({ length: count }, (_, i): [number, number] => [
      element.getFloat64(at + 4 + 16 * i, true),
      element.getFloat64(at + 12 + 16 * i, true),
    ]);
    if (points.flat().every(Number.isFinite)) return points;
  }
  return [];
}

/** An entry of a block: a value, or a nested block. */
export interface ScanEntry {
  readonly id: number;
  /** Text or number; `null` for a block and for a value of an unknown type. */
  readonly value: string | number | null;
  /** Entries of a block; empty for a value. */
  readonly entries: readonly ScanEntry[];
}

const RECORDING = 0x1000_0000;
const END_OF_BLOCK = 0xffff_ffff;

/** Deepest nesting of blocks; the channel of a track is in the fourth level. */
const MAX_DEPTH = 16;

/**
 * Reads how a file was recorded: a flat list of entries that describe a tree. An entry is u32 id, u32 type, u32 bytes and its value.
 * Type 0 opens a block; with the id 0xFFFFFFFF it closes one. The list ends where its first block, the recording, is closed.
 *
 * @throws {DecodeFailed} it lies outside the file, is not a recording, or is too large
 */
export function readScanInformation(tiff: TiffFile, offset: number): ScanEntry {
  const what = "the scan information";
  const open: { id: number; value: null; entries: ScanEntry[] }[] = [];
  for (let at = offset;;) {
    const head = tiff.window.view(at, 12, what);
    const [id, type, size] = [head.getUint32(0, true), head.getUint32(4, true), head.getUint32(8, true)];
    if (at === offset && id !== RECORDING) throw new DecodeFailed(`${what} at ${offset} is not a recording`);
    at += 12 + size;
    if (at - offset > MAX_PART_BYTES) throw new DecodeFailed(`${what} has more than ${MAX_PART_BYTES} bytes`);
    if (id === END_OF_BLOCK) {
      const closed = open.pop()!;
      if (open.length === 0) return closed;
    } else if (type !== 0 && open.length > 0) {
      open.at(-1)!.entries.push({ id, value: readEntryValue(tiff, at - size, type, size), entries: [] });
    } else {
      if (open.length >= MAX_DEPTH) throw new DecodeFailed(`${what} nests more than ${MAX_DEPTH} blocks`);
      const block = { id, value: null, entries: [] };
      open.at(-1)?.entries.push(block);
      open.push(block);
    }
  }
}

const TEXT = 2;

function readEntryValue(tiff: TiffFile, at: number, type: number, size: number): string | number | null {
  const what = "a value of the scan information";
  if (type === TEXT) return tiff.textAt(at, size, what);
  if (type === 4 && size === 4) return tiff.window.view(at, 4, what).getInt32(0, true);
  if (type === 5 && size === 8) return tiff.window.view(at, 8, what).getFloat64(0, true);
  return null;
}

const START_TIME = 0x1000_0036;
const SCAN_DIRECTION = 0x1000_0013;
const TRACKS = 0x2000_0000;
const TRACK_ACQUIRED = 0x4000_0006;
const TIME_BETWEEN_STACKS = 0x4000_000b;
const PIXEL_TIME = 0x4000_0019;
const DATA_CHANNELS = 0xc000_0000;
const DATA_CHANNEL_NAME = 0xd000_0001;
const DATA_CHANNEL_ACQUIRED = 0xd000_0017;

/** Facts about a recording that are served. */
export interface LsmRecording {
  readonly start: Moment;
  /** Seconds between lines or stacks of the first acquired track; `null` if unknown. */
  readonly timeBetweenStacks: number | null;
  /** Pixel dwell time of that track in microseconds; `null` if unknown. */
  readonly pixelTime: number | null;
  readonly bidirectional: boolean | null;
  readonly channelNames: readonly string[];
}

/** Collects the served facts from the tree, which is `null` if it is missing. */
export function collectRecording(tree: ScanEntry | null): LsmRecording {
  const root = tree ?? { id: RECORDING, value: null, entries: [] };
  const tracks = selectBlocks(root, TRACKS).filter((track) => findEntryNumber(track, TRACK_ACQUIRED) !== 0);
  const time = (id: number) =>
    tracks.map((track) => findEntryNumber(track, id)).find((one) => (one ?? 0) > 0) ?? null;
  const direction = findEntryNumber(root, SCAN_DIRECTION);
  const channels = tracks.flatMap((track) => selectBlocks(track, DATA_CHANNELS))
    .filter((channel) => findEntryNumber(channel, DATA_CHANNEL_ACQUIRED) !== 0);
  return {
    start: startMoment(findEntryNumber(root, START_TIME)),
    timeBetweenStacks: time(TIME_BETWEEN_STACKS),
    pixelTime: time(PIXEL_TIME),
    bidirectional: direction === null ? null : direction === 1,
    channelNames: channels.map((channel) => String(findEntryValue(channel, DATA_CHANNEL_NAME) ?? "")),
  };
}

const selectBlocks = ({ entries }: ScanEntry, list: number): ScanEntry[] =>
  entries.filter(({ id }) => id === list).flatMap(({ entries }) => entries);

const findEntryValue = ({ entries }: ScanEntry, id: number) =>
  entries.find((entry) => entry.id === id)?.value ?? null;

function findEntryNumber(block: ScanEntry, id: number): number | null {
  const value = findEntryValue(block, id);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Date and time from days since 1899-12-30, which was 25,569 days before 1970. */
export const startMoment = (days: number | null): Moment =>
  days === null || days <= 0 ? UNDATED : convertUnixTime(Math.round((days - 25_569) * 86_400_000));

/** Adds the parts as JSON. Damaged parts are left out: the open has warned about them, or does not need them. */
export function addLsmDocuments(list: DocumentList, tiff: TiffFile, { offsets, overlays }: InfoRecord): void {
  const { scanInformation, timeStamps, eventList } = offsets;
  const add = (name: string, offset: number, read: () => unknown) => {
    if (offset === 0) return;
    const value = unlessDamaged(read, null);
    if (value === null || Array.isArray(value) && value.length === 0) return;
    list.add(name, "application/json", JSON.stringify(value));
  };
  add("ScanInformation", scanInformation, () => writeEntryAsJson(readScanInformation(tiff, scanInformation)));
  add("TimeStamps", timeStamps, () => [...readLsmStamps(tiff, timeStamps)]);
  add("EventList", eventList, () => readEvents(tiff, eventList));
  for (const { name, offset } of overlays) add(name, offset, () => readDrawings(tiff, offset, name));
}

/** An entry as `{"id": "0x10000001", "value": ...}`; a block has `entries` instead of `value`. */
function writeEntryAsJson({ id, value, entries }: ScanEntry): unknown {
  const name = `0x${id.toString(16).padStart(8, "0")}`;
  return entries.length > 0 ? { id: name, entries: entries.map(writeEntryAsJson) } : { id: name, value };
}
