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
 * Stage positions are scenes. Files from before 2010 consist of JPEG 2000 boxes (`legacy_image.ts`).
 *
 * Not supported: lossy compression; kinds of loops of which no file is known.
 */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { Moment } from "../metadata/moment.ts";
import { MAX_TIME_RECORDS, MAX_TIMES, meanStep, timesFrom } from "../metadata/time_stamps.ts";
import { type Acquisition, type Scenes, sizesOf, type Source } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { CHUNK_MAGIC, chunkAt, findChunks, type StoredChunks } from "./chunk_map.ts";
import { FrameNumbers, loopsOf, positionScenes } from "./experiment.ts";
import { frameLayout } from "./frame_layout.ts";
import { legacyScenes } from "./legacy_image.ts";
import { addDocuments, readMetadata } from "./metadata.ts";
import { channelList, pictureAxes } from "./picture.ts";
import { type FrameStore, planFrame } from "./plane_plan.ts";
import { numberIn, textIn } from "./variant.ts";
import { julianMilliseconds, wallClock } from "./wall_clock.ts";

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
      ? chunkedScenes(file, files.stop)
      : legacyScenes(file, files.stop);
  });
}

/** An open file, before any of its scenes is opened. */
interface ChunkedFile {
  readonly file: RandomAccessFile;
  readonly store: FrameStore;
  readonly numbers: FrameNumbers;
  readonly axes: ReturnType<typeof pictureAxes>;
  readonly channels: Acquisition["channels"];
  readonly moment: Moment;
  readonly warnings: readonly Warning[];
}

/** Reads the metadata of a file with chunks. @throws {DecodeFailed | Stopped} */
function chunkedScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
  const { chunks, fault } = findChunks(file, stop);
  const metadata = readMetadata(file, chunks);
  const layout = frameLayout(metadata.attributes);
  const numbers = new FrameNumbers(loopsOf(metadata.experiment));
  const axes = pictureAxes(metadata.picture);
  const { channels, warnings } = channelList(metadata.picture, layout);
  const utc = julianMilliseconds(numberIn(metadata.picture, "dTimeAbsolute"));
  const opened: ChunkedFile = {
    file,
    store: { file, chunks, layout, lineScan: axes.lineScan, stop },
    numbers,
    axes,
    channels,
    moment: wallClock(textIn(metadata.texts, "TextInfoItem_9"), utc),
    warnings: [
      ...mapWarning(fault),
      ...metadata.warnings,
      ...layout.warnings,
      ...warnings,
      ...axes.warnings,
      ...countWarnings(chunks, numbers),
    ],
  };
  const sizes = sizesOf(axesOf(lengths(opened), {}));
  return positionScenes(numbers, chunks.frames.keys(), sizes, (scene) => acquisitionOf(opened, scene));
}

const mapWarning = (fault: string | null) =>
  fault === null ? [] : [
    warning(
      "file_damaged",
      `The chunk map is unusable (${fault}); the chunks were found by searching the file`,
    ),
  ];

/** Warnings about a number of frames other than declared, and about custom loops, which have no axis. */
function countWarnings({ frames }: StoredChunks, numbers: FrameNumbers): readonly Warning[] {
  const custom = numbers.size("U");
  return [
    ...numbers.mismatch(frames.size),
    ...(custom > 1
      ? [warning("axis_reduced", `Only the first of ${custom} steps of a custom loop is served`)]
      : []),
  ];
}

/** Length of each axis, the same in all scenes. */
const lengths = ({ numbers, channels, store: { layout } }: ChunkedFile) => ({
  T: numbers.size("T"),
  C: channels.length,
  Z: numbers.size("Z"),
  Y: layout.rows,
  X: layout.columns,
});

/** Axes of a scene and seconds of its time points. */
function axesAt(opened: ChunkedFile, scene: number) {
  const { file, store: { chunks }, numbers, axes } = opened;
  const t = numbers.size("T");
  const series = { count: t, numberAt: (i: number) => numbers.at({ t: i, z: 0 }, scene) };
  const seconds = t > 1 ? frameTimes(file, chunks, series) : null;
  const steps = { ...axes.steps, ...numbers.steps(meanStep(seconds)) };
  return { axes: axesOf(lengths(opened), steps), seconds };
}

function acquisitionOf(opened: ChunkedFile, scene: number): Acquisition {
  const { file, store, numbers, channels, moment, warnings } = opened;
  const { axes, seconds } = axesAt(opened, scene);
  return {
    axes,
    channels,
    ...moment,
    fileSize: file.size,
    reference: null,
    lineScan: store.lineScan ? lineScanOf(opened.axes.steps.Y) : null,
    warnings,
    times: seconds,
    indexBytes: store.chunks.bytes + 8 * (seconds?.length ?? 0),
    documents: (list) => addDocuments(list, file, store.chunks),
    plan: (components, position, rows) =>
      Promise.try(() => planFrame(store, numbers.at(position, scene), components, rows)),
  };
}

/** Names of the lists with a time per frame, for at most {@linkcode MAX_FRAMES} frames. */
const CACHES = ["CustomData|AcqTimesCache!", "CustomData|AcqTimes2Cache!"];

/** Number of bytes of the list per read. */
const WINDOW_BYTES = 64 << 10;

/** Some frames with their numbers, which ascend. */
interface FrameSeries {
  readonly count: number;
  numberAt(index: number): number;
}

/** Seconds of some frames since the first, as measured by the computer; `null` if any is unknown or they do not ascend. */
function frameTimes(
  file: ByteSource,
  chunks: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  if (series.count > MAX_TIMES) return null;
  return timesFrom(listedTimes(file, chunks, series), 1000) ??
    timesFrom(framesTimes(file, chunks, series), 1000);
}

/** Milliseconds of the frames, from the list of times. */
function listedTimes(
  file: ByteSource,
  chunks: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  const found = chunks.find(CACHES);
  if (found === null) return null;
  const chunk = chunkAt(file, found.at);
  if (typeof chunk === "string" || chunk.name !== found.name) return null;
  const count = Math.floor(chunk.stored / 8);
  if (series.numberAt(series.count - 1) >= count) return null;
  const times: number[] = [];
  let [start, window] = [0, new DataView(new ArrayBuffer(0))];
  for (let i = 0; i < series.count; i += 1) {
    const number = series.numberAt(i);
    if ((number - start) * 8 >= window.byteLength) {
      start = number;
      const length = Math.min(WINDOW_BYTES, 8 * (count - start));
      window = new DataView(file.read(chunk.offset + 8 * start, length, "the times of the frames").buffer);
    }
    times.push(window.getFloat64(8 * (number - start), true));
  }
  return times;
}

/** Milliseconds of the frames, from before the samples of each frame. */
function framesTimes(
  file: ByteSource,
  { frames }: StoredChunks,
  series: FrameSeries,
): readonly number[] | null {
  if (series.count > MAX_TIME_RECORDS) return null;
  const times: number[] = [];
  for (let i = 0; i < series.count; i += 1) {
    const at = frames.get(series.numberAt(i));
    const chunk = at === undefined ? null : chunkAt(file, at);
    if (chunk === null || typeof chunk === "string" || chunk.stored < 8) return null;
    const bytes = file.read(chunk.offset, 8, "the time of a frame");
    times.push(new DataView(bytes.buffer).getFloat64(0, true));
  }
  return times;
}
