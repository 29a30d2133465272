/**
 * Nikon ND2, as written by NIS-Elements. Little-endian, a list of chunks:
 *
 *     +0   DA CE BE 0A   +4  u32 length of the name field   +8  u64 length of the data   +16  name with `!`, padding
 *     then the data
 *
 *     ImageAttributes    size and type of the frames, all alike         ImageDataSeq|N   f64 time, frame N
 *     ImageMetadataSeq|0 channels, pixel size, time                     ImageMetadata    loops of the experiment
 *     ImageTextInfo      texts for users, including the date            last 40 bytes    offset of the map of all chunks
 *
 * Metadata are XML (version 2) or a binary tree (version 3, names end with `LV`). A frame holds all channels,
 * interleaved, raw or as one zlib stream. Loops over time, stage and focus number the frames; the outermost varies slowest.
 * Stage positions are scenes. Files from before 2010 consist of JPEG 2000 boxes (`legacy.ts`).
 *
 * Not supported: lossy compression; kinds of loops of which no file is known.
 */
import { DecodeFailed, unlessDamaged } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { RandomAccessFile } from "../io/random_access_file.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { buildAxes } from "../metadata/axes.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { MAX_STAMPS, MAX_TIME_RECORDS, scaleStamps } from "../metadata/time_stamps.ts";
import { type Acquisition, type Scenes, sizesOf, type Source } from "../reader.ts";
import { warnIf, type Warning } from "../warning.ts";
import {
  CHUNK_MAGIC,
  findChunks,
  locateChunk,
  MAX_FRAMES,
  requireChunk,
  type StoredChunks,
} from "./chunk_map.ts";
import { findNumber, findText } from "./clx.ts";
import { FrameNumbers, makePositionScenes, readLoops } from "./experiment.ts";
import { buildNd2Channels, planFrame, readFrameLayout, readPictureAxes } from "./frames.ts";
import { openLegacyScenes } from "./legacy.ts";
import { addNd2Documents, readNd2Metadata } from "./metadata.ts";
import { convertJulianDay, readWallClock } from "./wall_clock.ts";

/** Smallest file in bytes: the signature chunk and the offset of the map. */
const LEAST_BYTES = 152;

/** Opens an ND2 file. @throws {DecodeFailed} it is damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    if (file.size < LEAST_BYTES) {
      throw new DecodeFailed(
        `the file is incomplete: ${file.size} of at least ${LEAST_BYTES} bytes are stored`,
      );
    }
    const first = file.read(0, CHUNK_MAGIC.length, "the first bytes");
    return CHUNK_MAGIC.every((byte, i) => first[i] === byte)
      ? openChunkedScenes(file, files.stop)
      : openLegacyScenes(file, files.stop);
  });
}

function openChunkedScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const { chunks, fault } = findChunks(file, stop);
  const metadata = readNd2Metadata(file, chunks);
  const layout = readFrameLayout(metadata.attributes);
  const numbers = new FrameNumbers(readLoops(metadata.experiment));
  const axes = readPictureAxes(metadata.picture);
  const { channels, warnings } = buildNd2Channels(metadata.picture, layout);
  const utc = convertJulianDay(findNumber(metadata.picture, "dTimeAbsolute"));
  const moment = readWallClock(findText(metadata.texts, "TextInfoItem_9"), utc);
  const store = { file, chunks, layout, lineScan: axes.lineScan, stop };
  const [t, custom] = [numbers.size("T"), numbers.size("U")];
  const unusable = `The chunk map is unusable (${fault}); the chunks were found by searching the file`;
  const reduced = `Only the first of ${custom} steps of a custom loop is served`;
  const all = [
    ...warnIf(fault !== null, "file_damaged", unusable),
    ...metadata.warnings,
    ...layout.warnings,
    ...warnings,
    ...axes.warnings,
    ...numbers.mismatch(chunks.frames.size),
    ...warnIf(custom > 1, "axis_reduced", reduced),
  ];
  const sizes = { T: t, C: channels.length, Z: numbers.size("Z"), Y: layout.rows, X: layout.columns };
  const doubts: Warning[] = [];
  const steps = { ...axes.steps, ...numbers.steps(doubts) };
  const open = (scene: number): Acquisition => {
    const length = t > 1 ? Math.min(t, MAX_STAMPS) : 0;
    const frames = Array.from({ length }, (_, i) => numbers.at({ t: i, z: 0 }, scene));
    const milliseconds = length === 0 ? null : readListedTimes(file, chunks, frames) ??
      readFrameTimes(file, chunks, frames.slice(0, MAX_TIME_RECORDS));
    const stamps = scaleStamps(milliseconds, 1000, (milliseconds?.length ?? 0) < t);
    return {
      axes: buildAxes(sizes, steps),
      channels,
      ...moment,
      fileSize: file.size,
      reference: null,
      lineScan: axes.lineScan ? buildLineScan(axes.steps.Y) : null,
      warnings: [...all, ...doubts],
      stamps,
      indexBytes: chunks.bytes + 8 * (milliseconds?.length ?? 0),
      documents: (list) => addNd2Documents(list, file, chunks),
      plan: (components, position, rows) =>
        Promise.try(() => planFrame(store, numbers.at(position, scene), components, rows)),
    };
  };
  return makePositionScenes(numbers, chunks.frames.keys(), sizesOf(buildAxes(sizes, {})), open);
}

/** Names of the lists with a time per frame, for at most {@linkcode MAX_FRAMES} frames. */
const CACHES = ["CustomData|AcqTimesCache!", "CustomData|AcqTimes2Cache!"];

/** Milliseconds of some frames, from the list of times; `null` without a list, or if its times never rise. */
function readListedTimes(
  file: ByteSource,
  chunks: StoredChunks,
  frames: readonly number[],
): readonly number[] | null {
  const found = chunks.find(CACHES);
  const chunk = found && unlessDamaged(() => requireChunk(file, found.name, found.at), null);
  const count = Math.min(Math.floor((chunk?.stored ?? 0) / 8), MAX_FRAMES);
  if (chunk === null || frames.at(-1)! >= count) return null;
  const times = new DataView(file.read(chunk.offset, 8 * count, "the times of the frames").buffer);
  const listed = frames.map((frame) => times.getFloat64(8 * frame, true));
  return listed.some((time, i) => time > (listed[i - 1] ?? time)) ? listed : null;
}

/** Milliseconds of some frames, from before the samples of each frame; `NaN` for a missing frame. */
function readFrameTimes(
  file: ByteSource,
  chunks: StoredChunks,
  frames: readonly number[],
): readonly number[] | null {
  const times = frames.map((frame) =>
    unlessDamaged(() => {
      const { offset } = locateChunk(file, chunks.frames.get(frame) ?? NaN);
      return new DataView(file.read(offset, 8, "the time of a frame").buffer).getFloat64(0, true);
    }, NaN)
  );
  return times.every(Number.isNaN) ? null : times;
}
