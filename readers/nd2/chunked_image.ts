/** Scenes of a file of chunks: the stage positions. */
import type { RandomAccessFile } from "../io/random_access.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf, calibrated, known } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { Moment } from "../metadata/moment.ts";
import { meanStep } from "../metadata/time_stamps.ts";
import { type Acquisition, FIRST_POSITION, type Scenes, sizesOf } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { findChunks, type StoredChunks } from "./chunk_map.ts";
import { FrameNumbers, loopsOf } from "./experiment.ts";
import { frameLayout } from "./frame_layout.ts";
import { frameTimes } from "./frame_times.ts";
import { addDocuments, readMetadata } from "./metadata.ts";
import { channelList, pictureAxes } from "./picture.ts";
import { type FrameStore, planFrame } from "./plane_plan.ts";
import { positionScenes } from "./positions.ts";
import { numberIn, textIn } from "./variant.ts";
import { julianMilliseconds, wallClock } from "./wall_clock.ts";

/** An open file, before one of its scenes is opened. */
interface ChunkedFile {
  readonly file: RandomAccessFile;
  readonly store: FrameStore;
  readonly numbers: FrameNumbers;
  readonly axes: ReturnType<typeof pictureAxes>;
  readonly channels: Acquisition["channels"];
  readonly moment: Moment;
  readonly warnings: readonly Warning[];
}

/** Reads the metadata of a file of chunks. @throws {DecodeFailed | Stopped} */
export function chunkedScenes(file: RandomAccessFile, stop: StopFlag): Scenes {
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
  return positionScenes(numbers, chunks.frames.keys(), {
    sizes: sizesOf(axesOf(lengths(opened), {})),
    open: (position) => acquisitionOf(opened, position),
  });
}

const mapWarning = (fault: string | null) =>
  fault === null ? [] : [
    warning(
      "file_damaged",
      `The chunk map is unusable (${fault}); the chunks were found by searching the file`,
    ),
  ];

/** Warns of a different number of frames than declared, and of custom loops, which have no axis. */
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
  const loop = numbers.loop("T");
  const mean = known(calibrated(meanStep(seconds), "s"));
  const stated = (milliseconds: number | null | undefined) => known(calibrated(milliseconds, "ms"));
  const period = stated(loop?.measured) ?? mean ?? stated(loop?.nominal);
  const depth = known(calibrated(numbers.loop("Z")?.nominal, "um"));
  return {
    axes: axesOf(
      lengths(opened),
      { ...axes.steps, ...(period && { T: period }), ...(depth && { Z: depth }) },
    ),
    seconds,
  };
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
    plan: (components, position = FIRST_POSITION, rows) =>
      Promise.try(() => planFrame(store, { number: numbers.at(position, scene), components, rows })),
  };
}
