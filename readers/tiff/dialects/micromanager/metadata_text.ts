/** The records of `metadata.txt`, the document beside separate images. It is read in windows, since it may have hundreds of MiB. */
import { join } from "node:path";
import { DecodeFailed, Unreadable } from "../../../errors.ts";
import type { ByteSource } from "../../../io/byte_source.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { MAX_FOLDER_ENTRIES } from "../../../io/limits.ts";
import { endOfString, isJsonObject, type JsonObject, parseJsonText } from "../../../metadata/json.ts";
import { decodeAnyText } from "../../../metadata/text.ts";
import { lossWarning, type Warning } from "../../../warning.ts";
import { METADATA_NAME } from "../../marks.ts";
import { findJsonNumber, findJsonText } from "./index_map.ts";

/** Largest `metadata.txt` in bytes: a plane has about 3 KB, and 100,000 files are listed in a folder. */
const MAX_TEXT_BYTES = 384 << 20;

/** Bytes of `metadata.txt` in memory at a time. */
const WINDOW_BYTES = 4 << 20;

/** Longest name of a file, a channel or a time that is kept. */
const MAX_KEPT_TEXT = 255;

/** Bytes of `metadata.txt` in which the summary of a sibling folder is looked for; it comes first. */
const SUMMARY_BYTES = 1 << 20;

/** Most bytes of an entry. The summary lists all positions of a plate, with about 500 bytes for each. */
const MAX_RECORD = 1 << 20;

/** Most bytes of a key, which is the name of a file at most. */
const MAX_KEY = 1000;

/** Bytes in which an entry and the blanks around it fit. */
const MAX_ENTRY = 2 * (MAX_RECORD + MAX_KEY);

/** Largest number of entries: Micro-Manager 2 writes two for a plane, and a folder holds no more files. */
const MAX_ENTRIES = 2 * MAX_FOLDER_ENTRIES + 1;

/** What the record of a plane says. */
export interface PlaneRecord {
  readonly t: number | null;
  readonly channel: number | null;
  readonly channelName: string;
  readonly z: number | null;
  readonly milliseconds: number | null;
  readonly pixel: number | null;
  readonly time: string;
}

/** What `metadata.txt` holds. */
export interface MetadataFile {
  readonly summary: JsonObject;
  /** By the name of the plane's file. */
  readonly records: ReadonlyMap<string, PlaneRecord>;
  readonly size: number;
  readonly warnings: readonly Warning[];
}

/** The summary in a `metadata.txt`, or an empty object. @throws {Unreadable | DecodeFailed} the file cannot be read */
export function readSummaryBeside(files: FileAccess, path: string): JsonObject {
  using file = files.openNeighbour(path);
  if (file === null) return {};
  for (const [key, text] of walkEntries(file, Math.min(file.size, SUMMARY_BYTES))) {
    if (key === "Summary") return parseJsonObject(text);
  }
  return {};
}

/** Reads `metadata.txt` of a folder. Returns `null` if the folder has none, and warns if the file is damaged or unreadable. */
export function readMetadataText(files: FileAccess, folder: string): MetadataFile | null {
  const warnings: Warning[] = [];
  const records = new Map<string, PlaneRecord>();
  let summary: JsonObject = {};
  let size = 0;
  const lost = (error: DecodeFailed | Unreadable) =>
    void warnings.push(lossWarning(error, "metadata_damaged", `"${METADATA_NAME}"`));
  try {
    using file = files.openNeighbour(join(folder, METADATA_NAME));
    if (file === null) return null;
    size = file.size;
    if (size > MAX_TEXT_BYTES) {
      throw new DecodeFailed(`it has ${size} bytes, more than ${MAX_TEXT_BYTES}`);
    }
    const entries = walkEntries(file, size);
    for (let count = 0;; count += 1) {
      files.stop.check();
      const { done, value } = entries.next();
      if (done) {
        if (value !== null) throw new DecodeFailed(value);
        break;
      }
      if (count >= MAX_ENTRIES) throw new DecodeFailed(`it has more than ${MAX_ENTRIES} entries`);
      const [key, text] = value;
      const fields = parseJsonObject(text);
      if (key === "Summary") summary = fields;
      else addRecord(records, key, fields);
    }
  } catch (error) {
    if (!(error instanceof DecodeFailed || error instanceof Unreadable)) throw error;
    lost(error);
  }
  return { summary, records, size, warnings };
}

function parseJsonObject(text: string): JsonObject {
  const parsed = text.startsWith("{") ? parseJsonText(text, "an entry") : {};
  return isJsonObject(parsed) ? parsed : {};
}

/** Adds what an entry says of a plane, which may have two entries: `Coords-FOLDER/NAME` and `Metadata-FOLDER/NAME`. */
function addRecord(records: Map<string, PlaneRecord>, key: string, fields: JsonObject): void {
  const name = keptText(lastPart(findJsonText(fields.FileName) || key));
  if (!/\.tiff?$/i.test(name)) return;
  const before = records.get(name);
  const index = (...values: unknown[]) => values.map(findJsonNumber).find((value) => value !== null) ?? null;
  records.set(name, {
    t: index(fields.FrameIndex, fields.Frame) ?? before?.t ?? null,
    channel: index(fields.ChannelIndex) ?? before?.channel ?? null,
    channelName: keptText(findJsonText(fields.Channel)) || (before?.channelName ?? ""),
    z: index(fields.SliceIndex, fields.Slice) ?? before?.z ?? null,
    milliseconds: index(fields["ElapsedTime-ms"]) ?? before?.milliseconds ?? null,
    pixel: index(fields.PixelSizeUm) ?? before?.pixel ?? null,
    time: keptText(findJsonText(fields.Time)) || (before?.time ?? ""),
  });
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** A copy of what follows the last slash or backslash: a part of a text keeps the whole in memory. */
function lastPart(path: string): string {
  const at = 1 + Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return at === 0 || path.length - at > MAX_KEPT_TEXT ? path : decoder.decode(encoder.encode(path.slice(at)));
}

/** The text; `""` if it is too long. */
const keptText = (text: string): string => text.length > MAX_KEPT_TEXT ? "" : text;

/**
 * The entries of a JSON object as texts, one after the other, so that a file that was cut gives those before the cut. Reads a window of
 * the file at a time.
 *
 * @param size bytes of the file to look at
 * @returns where and why the text ends early, or `null`
 */
function* walkEntries(
  file: ByteSource,
  size: number,
): Generator<readonly [key: string, value: string], string | null> {
  let base = 0;
  let bytes = file.read(0, Math.min(size, WINDOW_BYTES), METADATA_NAME);
  /** Moves the window so that an entry fits into it. Returns the new index of a byte. */
  const moved = (at: number): number => {
    if (base + bytes.length === size || bytes.length - at > MAX_ENTRY) return at;
    base += at;
    bytes = file.read(base, Math.min(size - base, WINDOW_BYTES), METADATA_NAME);
    return 0;
  };
  const damagedAt = (at: number) => `it is damaged at ${base + at}`;
  let at = skipBlanks(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  if (at === bytes.length) return "it is empty";
  if (bytes[at] !== OPEN) {
    return bytes.every((byte) => byte === 0) ? "it holds nothing but zeros" : damagedAt(at);
  }
  for (;;) {
    // `moved` may replace the bytes.
    const next = moved(at + 1);
    at = skipBlanks(bytes, next);
    if (bytes[at] === CLOSE) {
      const rest = skipBlanks(bytes, at + 1);
      return base + rest === size ? null : damagedAt(rest);
    }
    const endOfKey = endOfString(bytes, at) + 1;
    const colon = skipBlanks(bytes, endOfKey);
    if (bytes[at] !== QUOTE || endOfKey - at > MAX_KEY || bytes[colon] !== COLON) {
      return colon >= bytes.length ? `it ends at ${base + bytes.length}` : damagedAt(at);
    }
    const name = decodeAnyText(bytes.subarray(at, endOfKey));
    const key = PLAIN_KEY.test(name) ? name.slice(1, -1) : parseJsonText(name, `the key at ${base + at}`);
    const start = skipBlanks(bytes, colon + 1);
    if (start < bytes.length && !VALUE_STARTS.test(String.fromCharCode(bytes[start]!))) {
      return damagedAt(start);
    }
    const end = endOfValue(bytes, start);
    if (end === null) return `it ends within ${name}, or ${name} has more than ${MAX_RECORD} bytes`;
    yield [String(key), decodeAnyText(bytes.subarray(start, end))];
    at = skipBlanks(bytes, end);
    if (bytes[at] === CLOSE) at -= 1;
    else if (bytes[at] !== COMMA) {
      return base + at === size ? `it ends after ${name}` : damagedAt(at);
    }
  }
}

const [QUOTE, COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d];

/** A key without escapes and characters that need one. */
const PLAIN_KEY = /^"[^"\\\p{Cc}]*"$/u;

/** First characters of JSON values. */
const VALUE_STARTS = /[{["\-\dtfn]/;

/** Whether JSON allows a byte between values: tab, line feed, carriage return and space. */
const isBlank = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Index of the first byte from `at` on that is not a blank, or the length. */
function skipBlanks(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && isBlank(bytes[at]!)) at += 1;
  return Math.min(at, bytes.length);
}

/** The end of the JSON value at `start`, by its brackets; `null` if the text ends before it, or it is longer than a record may be. */
function endOfValue(bytes: Uint8Array, start: number): number | null {
  const last = Math.min(bytes.length, start + MAX_RECORD);
  for (let at = start, depth = 0; at < last; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return null;
}
