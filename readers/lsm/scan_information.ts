/**
 * How an LSM file was recorded: a flat list of entries that describe a tree. An entry is u32 id, u32 type, u32 bytes and its
 * value. Type 0 opens a block; with the id 0xFFFFFFFF it closes one. The list ends where its first block, the recording, is
 * closed.
 */
import { DecodeFailed } from "../errors.ts";
import { type Moment, momentAt, UNDATED } from "../metadata/moment.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

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

/** Largest number of entries in a file: a hundred for each of the channels and lasers of several hundred tracks. */
const MAX_SCAN_ENTRIES = 100_000;

/** Deepest nesting of blocks; the channel of a track is in the fourth level. */
const MAX_DEPTH = 16;

const MAX_TEXTS_BYTES = 4 << 20;

/** Reads the tree. @throws {DecodeFailed} it lies outside the file, is not a recording, or is too large */
export function readScanInformation(tiff: TiffFile, offset: number): ScanEntry {
  const what = "the scan information";
  const open: { id: number; value: null; entries: ScanEntry[] }[] = [];
  let [at, texts] = [offset, 0];
  for (let count = 0; count < MAX_SCAN_ENTRIES; count += 1) {
    const head = tiff.window.view(at, 12, what);
    const [id, type, size] = [head.getUint32(0, true), head.getUint32(4, true), head.getUint32(8, true)];
    if (count === 0 && id !== RECORDING) throw new DecodeFailed(`${what} at ${offset} is not a recording`);
    at += 12 + size;
    if (id === END_OF_BLOCK) {
      const closed = open.pop()!;
      if (open.length === 0) return closed;
      continue;
    }
    const block = { id, value: null, entries: [] };
    if (type !== 0 && open.length > 0) {
      texts += type === TEXT ? size : 0;
      if (texts > MAX_TEXTS_BYTES) {
        throw new DecodeFailed(`${what} has texts of more than ${MAX_TEXTS_BYTES} bytes`);
      }
      open.at(-1)!.entries.push({ id, value: valueAt(tiff, at - size, type, size), entries: [] });
      continue;
    }
    if (open.length >= MAX_DEPTH) {
      throw new DecodeFailed(`${what} nests more than ${MAX_DEPTH} blocks`);
    }
    open.at(-1)?.entries.push(block);
    open.push(block);
  }
  throw new DecodeFailed(`${what} has more than ${MAX_SCAN_ENTRIES} entries`);
}

const TEXT = 2;

function valueAt(tiff: TiffFile, at: number, type: number, size: number): string | number | null {
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
export interface Recording {
  readonly start: Moment;
  /** Seconds between lines or stacks of the first acquired track; `null` if unknown. */
  readonly timeBetweenStacks: number | null;
  /** Pixel dwell time of that track in microseconds; `null` if unknown. */
  readonly pixelTime: number | null;
  readonly bidirectional: boolean | null;
  readonly channelNames: readonly string[];
}

/** Collects the served facts from the tree, which is `null` if it is missing. */
export function recordingOf(tree: ScanEntry | null): Recording {
  const root = tree ?? { id: RECORDING, value: null, entries: [] };
  const tracks = blocksIn(root, TRACKS).filter((track) => numberIn(track, TRACK_ACQUIRED) !== 0);
  const time = (id: number) =>
    tracks.map((track) => numberIn(track, id)).find((one) => (one ?? 0) > 0) ?? null;
  const direction = numberIn(root, SCAN_DIRECTION);
  const channels = tracks.flatMap((track) => blocksIn(track, DATA_CHANNELS))
    .filter((channel) => numberIn(channel, DATA_CHANNEL_ACQUIRED) !== 0);
  return {
    start: startMoment(numberIn(root, START_TIME)),
    timeBetweenStacks: time(TIME_BETWEEN_STACKS),
    pixelTime: time(PIXEL_TIME),
    bidirectional: direction === null ? null : direction === 1,
    channelNames: channels.map((channel) => String(valueIn(channel, DATA_CHANNEL_NAME) ?? "")),
  };
}

const blocksIn = ({ entries }: ScanEntry, list: number): ScanEntry[] =>
  entries.filter(({ id }) => id === list).flatMap(({ entries }) => entries);

const valueIn = ({ entries }: ScanEntry, id: number) =>
  entries.find((entry) => entry.id === id)?.value ?? null;

function numberIn(block: ScanEntry, id: number): number | null {
  const value = valueIn(block, id);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Date and time from days since 1899-12-30, which was 25,569 days before 1970. */
export const startMoment = (days: number | null): Moment =>
  days === null || days <= 0 ? UNDATED : momentAt(Math.round((days - 25_569) * 86_400_000));
