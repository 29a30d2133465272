/**
 * Imaris (`.ims`), an HDF5 file:
 *
 *     DataSet/ResolutionLevel r/TimePoint t/Channel c/Data   samples [Z, Y, X]; level 0 is the image
 *     DataSetInfo/Image                                      sizes, extents, unit, date
 *     DataSetInfo/Channel c, DataSetInfo/TimeInfo            names and colours, time stamps
 *
 * Attributes are texts with one character per element, numbers too. `Data` may be padded to whole chunks.
 *
 * Not read: other levels, the thumbnail, surfaces, spots and tracks.
 */
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { dirname, resolve } from "node:path";
import { DecodeFailed, PlaneNotFound, unlessDamaged } from "../errors.ts";
import { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata } from "../hdf5/optional.ts";
import { type DatasetPlane, planDatasets, requireReadable } from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { leavesFolder } from "../io/paths.ts";
import {
  buildAxes,
  type Calibration,
  convertStep,
  keepCalibrated as knownStep,
  statedStep,
} from "../metadata/axes.ts";
import { buildChannels, formatHexColor, type NamedChannel } from "../metadata/channels.ts";
import { chooseMoment, findMoment } from "../metadata/moment.ts";
import { numberOf } from "../metadata/text.ts";
import { MAX_TIME_RECORDS, scaleStamps } from "../metadata/time_stamps.ts";
import {
  type Acquisition,
  oneScene,
  type SampleType,
  type Scenes,
  type Source,
  type TimeStamps,
} from "../reader.ts";
import { listed, MAX_LISTED, warnIf, type Warning, warning } from "../warning.ts";
import type { Dataset } from "../hdf5/dataset.ts";

const LEVEL = "/DataSet/ResolutionLevel 0";

const INFO = "/DataSetInfo";

/** Numbers of columns, rows and slices. */
type Sizes = readonly [x: number, y: number, z: number];

/** Axes of `Data`. */
const [Y, X] = [1, 2];

/** Opens an Imaris file. @throws {DecodeFailed} damaged or not supported */
export const scenes = (source: Source): Promise<Scenes> => Promise.try(() => openImarisScenes(source));

function openImarisScenes({ path, files, staysInFolder = false }: Source): Scenes {
  const source = files.open(path);
  // A page of another site must not learn what there is elsewhere.
  const exists = (name: string) =>
    staysInFolder && leavesFolder(name)
      ? null
      : unlessDamaged(() => files.kind(resolve(dirname(path), name)), null) !== null;
  const open = () => new Hdf5File(source, exists);
  using file = open();
  return oneScene(describeImaris(source, file, open));
}

/** Where the samples of an image are. */
interface ImarisLayout {
  /** Numbers of the time points and channels in the names of their groups. */
  readonly times: readonly number[];
  readonly channels: readonly number[];
  /** `Data` of the first channel and time point. */
  readonly first: Dataset;
  readonly sizes: Sizes;
}

function describeImaris(source: ByteSource, file: Hdf5File, open: () => Hdf5File): Acquisition {
  const { stored, channels, first, sampleType } = findImarisData(file);
  const metadata = new OptionalMetadata();
  const isAbsent = metadata.read("DataSetInfo", () => file.kindOf(INFO) !== "group", false);
  metadata.warn(
    ...warnIf(isAbsent, "metadata_missing", "The file has no DataSetInfo: names and steps are unknown"),
  );
  const sizes = readImarisSizes(file, first, metadata);
  const [columns, rows, slices] = sizes;
  const image = metadata.read("DataSetInfo/Image", () => file.text(`${INFO}/Image`, "RecordingDate"), null);
  const times = selectServedTimes(stored, sizes, metadata);
  const stamps = readImarisStamps(file, times, metadata);
  metadata.warn(...warnAboutMissingTimes(times));
  const held = listHeldChannels(file, times, channels.length, metadata);
  const axes = buildAxes(
    { T: times.length, C: channels.length, Z: slices, Y: rows, X: columns },
    { ...computeImarisSteps(file, sizes, metadata), ...stamps.step && { T: stamps.step } },
  );
  metadata.warn(...warnAboutStatedCounts(file, stored.length, channels.length, metadata));
  const shift = findFirstChannel(file, channels, metadata);
  const described = channels.map((number) => number + shift);
  const info = writeImarisDocument(file, described, metadata);
  const served = buildChannels(described.map((c) => readImarisChannel(file, c, metadata)), {
    sampleType,
    rows,
    columns,
  });
  return {
    axes,
    channels: served,
    ...chooseMoment(findMoment(keepKnownDate(image)), findMoment(stamps.first)),
    fileSize: source.size,
    reference: null,
    warnings: metadata.warnings,
    stamps: stamps.stamps,
    indexBytes: (100 + 8 * channels.length) * times.length,
    documents: (list) => list.add("DataSetInfo", "application/json", info),
    holds: (channel, { t }) => held.get(t)?.has(channels[channel]!) ?? true,
    ...planImaris(source, open, { times, channels, first, sizes }),
  };
}

/** Path of the samples of a channel at a time point, by their indices. */
const locateData = ({ times, channels }: Pick<ImarisLayout, "times" | "channels">, t: number, c: number) =>
  `${LEVEL}/TimePoint ${times[t] ?? 0}/Channel ${channels[c] ?? 0}/Data`;

/** The numbers of time points and channels, and the first samples. @throws {DecodeFailed} there are none, or none of an image */
function findImarisData(file: Hdf5File): {
  readonly stored: readonly number[];
  readonly channels: readonly number[];
  readonly first: Dataset;
  readonly sampleType: SampleType;
} {
  const stored = file.kindOf(LEVEL) === "group" ? file.numbered(LEVEL, "TimePoint ") : [];
  const earliest = `${LEVEL}/TimePoint ${stored[0] ?? 0}`;
  const channels = file.kindOf(earliest) === "group" ? file.numbered(earliest, "Channel ") : [];
  // Names what is missing, or the file that a link leads to.
  const first = file.dataset(locateData({ times: stored, channels }, 0, 0));
  if (channels.length > MAX_CHANNELS) throw new DecodeFailed(`it has ${channels.length} channels`);
  requireReadable(first);
  const { sampleType } = first;
  if (sampleType === null || first.shape.length !== 3) {
    throw new DecodeFailed(`${first.path} holds no samples along Z, Y and X`);
  }
  return { stored, channels, first, sampleType };
}

/** Time points of one row become lines, which end before the first that is missing. */
function selectServedTimes(
  stored: readonly number[],
  [columns, rows, slices]: Sizes,
  metadata: OptionalMetadata,
): readonly number[] {
  const [first = 0] = stored;
  if (rows !== 1 || slices !== 1 || columns === 1) return stored;
  const times = stored.filter((time, i) => time === first + i);
  const text = `${times.length} of ${stored.length} lines are served: the next one, time point ${
    first + times.length
  }, is missing`;
  metadata.warn(...warnIf(times.length < stored.length, "lines_missing", text));
  return times;
}

/** How planes, and the lines of a line scan, are read. */
function planImaris(
  source: ByteSource,
  open: () => Hdf5File,
  layout: ImarisLayout,
): Required<Pick<Acquisition, "plan" | "planLines">> {
  const [columns, rows] = layout.sizes;
  const planeAt = (file: Hdf5File, t: number, channel: number, z: number): DatasetPlane => {
    const path = locateData(layout, t, channel);
    if (file.kindOf(path) === "nothing") throw new PlaneNotFound(`the file has no ${path}`);
    const own = file.dataset(path);
    requireAlike(own, layout.first, layout.sizes);
    return { dataset: own, rowAxis: Y, columnAxis: X, at: [z, 0, 0], columns };
  };
  return {
    plan: (wanted, { t, z }, rowRange) =>
      Promise.try(() => {
        using file = open();
        const planes = wanted.map((channel) => planeAt(file, t, channel, z));
        return planDatasets(source, { rows, columns }, planes, rowRange);
      }),
    planLines: (wanted, _position, { start, end }) =>
      Promise.try(() => {
        using file = open();
        const lines: DatasetPlane[] = [];
        for (const channel of wanted) {
          for (let t = start; t < end; t += 1) lines.push(planeAt(file, t, channel, 0));
        }
        const plan = planDatasets(source, { rows, columns }, lines);
        // Each line is a plane of the file.
        const rowsOf = (plane: Float32Array) =>
          Array.from({ length: end - start }, (_, row) => plane.subarray(row * columns, (row + 1) * columns));
        return {
          ...plan,
          rows: end,
          filled: { start, end },
          decode: (planes) => plan.decode(planes.flatMap(rowsOf)),
        };
      }),
  };
}

/** Checks a dataset against the first one. @throws {DecodeFailed} it has other samples */
function requireAlike(own: Dataset, first: Dataset, [columns, rows, slices]: Sizes): void {
  const [z = 0, y = 0, x = 0] = own.shape;
  const isAlike = own.sampleType === first.sampleType && own.shape.length === 3 && x >= columns &&
    y >= rows && z >= slices;
  if (!isAlike) {
    throw new DecodeFailed(`${own.path} has another type or size than the first channel and time point`);
  }
  requireReadable(own);
}

/** Sizes of the image, without the padding of `Data`. @throws {DecodeFailed} `Data` is smaller */
function readImarisSizes(file: Hdf5File, { path, shape }: Dataset, metadata: OptionalMetadata): Sizes {
  const group = path.slice(0, path.lastIndexOf("/"));
  const stated = (of: string, prefix: string) =>
    metadata.read(of, () => ["X", "Y", "Z"].map((axis) => file.numbers(of, prefix + axis)?.[0] ?? NaN), []);
  const isSize = (sizes: readonly number[]) =>
    sizes.length === 3 && sizes.every((size) => Number.isInteger(size) && size > 0);
  const [own, image] = [stated(group, "ImageSize"), stated(`${INFO}/Image`, "")];
  const [z = 0, y = 0, x = 0] = shape;
  const stored: Sizes = [x, y, z];
  const sizes = [own, image].find(isSize) ?? stored;
  const differ = isSize(own) && isSize(image) && own.join() !== image.join();
  metadata.warn(
    ...warnIf(
      differ,
      "metadata_disagree",
      `The channel states ${own.join(" x ")} samples, DataSetInfo ${
        image.join(" x ")
      }; those of the channel count`,
    ),
    ...warnIf(
      !isSize(own) && !isSize(image),
      "metadata_missing",
      `The file does not state the size of the image; all ${stored.join(" x ")} stored samples are served`,
    ),
  );
  if (stored.some((held, axis) => (sizes[axis] ?? NaN) > held)) {
    throw new DecodeFailed(`${path} has ${stored.join(" x ")} samples, the image needs ${sizes.join(" x ")}`);
  }
  const [columns, rows] = sizes as unknown as Sizes;
  if (columns * rows > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${columns} x ${rows} samples is too large`);
  }
  return sizes as unknown as Sizes;
}

/** Steps from the extents of the volume, edges of pixels included. */
function computeImarisSteps(
  file: Hdf5File,
  sizes: Sizes,
  metadata: OptionalMetadata,
): Partial<Record<"X" | "Y" | "Z", Calibration>> {
  const image = `${INFO}/Image`;
  return metadata.read("The extent of the image", () => {
    const unit = file.text(image, "Unit") || "um";
    const numbers = new StatedNumbers("DataSetInfo/Image");
    const doubts: Warning[] = [];
    const extent = (name: string) => {
      const isNumber = typeof file.attribute(image, name)?.[0] === "number";
      return isNumber ? file.numbers(image, name)?.[0] : numbers.step(name, file.text(image, name));
    };
    const steps = sizes.map((size, axis) => {
      const [from = null, to = null] = ["Min", "Max"].map((end) => extent(`Ext${end}${axis}`));
      return from === null || to === null ? null : Math.abs(to - from) / size;
    });
    const isSilent = file.kindOf(INFO) === "group" && steps.every((step) => step === null) &&
      numbers.warnings.length === 0;
    metadata.warn(
      ...warnIf(isSilent, "step_unknown", "DataSetInfo does not state the extent of the image"),
    );
    const axes = (["X", "Y", "Z"] as const).map((axis, i) =>
      [axis, statedStep(axis, steps[i], unit, doubts)] as const
    );
    metadata.warn(
      ...numbers.warnings,
      ...doubts,
      ...warnIf(
        steps.every((step) => step === 1),
        "metadata_missing",
        `Steps of exactly 1 ${unit} along X, Y and Z are those of an image without a calibration`,
      ),
    );
    return Object.fromEntries(axes.filter(([, step]) => step !== undefined));
  }, {});
}

/** Seconds since 1970 of a text such as `2024-03-05 11:07:09.000`, on the clock of the microscope; NaN for another one. */
function parseImarisTime(text: string | null): number {
  const parts = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(text?.trim() ?? "");
  if (parts === null) return NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute) / 1000 + second;
}

/** Most time points that a warning about missing ones counts. */
const MAX_MISSING = 1_000_000;

/** A warning that names the time points between those of the file. */
function warnAboutMissingTimes(times: readonly number[]): Warning[] {
  const missing: string[] = [];
  const [first = 0, last = -1] = [times.at(0), times.at(-1)];
  const count = Math.min(MAX_MISSING, last - first + 1 - times.length);
  let next = first;
  for (const time of times) {
    for (; next < time && missing.length < MAX_LISTED; next += 1) missing.push(String(next));
    next = time + 1;
  }
  const text = `Time points that the file numbers are not in it: ${
    listed(missing, count)
  }; those after them follow`;
  return warnIf(count > 0, "planes_missing", text);
}

/** The time stamps, if they differ, the text of the first one, and the step where time points are missing. */
interface TimeInfo {
  readonly stamps: TimeStamps | null;
  readonly first: string | null;
  readonly step?: Calibration | undefined;
}

/** Reads the time stamps, which belong to time points by their numbers and count from 1. */
function readImarisStamps(file: Hdf5File, times: readonly number[], metadata: OptionalMetadata): TimeInfo {
  const path = `${INFO}/TimeInfo`;
  const none: TimeInfo = { stamps: null, first: null };
  const count = times.length;
  return metadata.read("DataSetInfo/TimeInfo", () => {
    if (file.kindOf(path) !== "group") {
      metadata.warn(...warnIf(count > 1, "step_unknown", "The file has no time stamps"));
      return none;
    }
    const stampOf = (time: number) => file.text(path, `TimePoint${time + 1}`);
    const first = stampOf(times[0] ?? 0);
    if (count < 2) return { stamps: null, first };
    const read = times.slice(0, MAX_TIME_RECORDS);
    const seconds = read.map((time) => parseImarisTime(stampOf(time)));
    const known = seconds.filter(Number.isFinite);
    if (new Set(known).size < 2) {
      const why = known.length === 0 ? "hold no time" : "are all equal";
      metadata.warn(
        warning("step_unknown", `The time stamps ${why}; the time between time points is unknown`),
      );
      return { stamps: null, first };
    }
    const steps = subtractEnds(read);
    const step = steps > read.length - 1 ? subtractEnds(seconds) / steps : NaN;
    const stamps = scaleStamps(seconds, 1, read.length < count);
    return {
      stamps: stamps && steps > read.length - 1 ? { ...stamps, numbers: read } : stamps,
      first,
      step: knownStep(convertStep(step, "s")),
    };
  }, none);
}

/** The last of some numbers less the first. */
const subtractEnds = (numbers: readonly number[]): number => (numbers.at(-1) ?? NaN) - (numbers.at(0) ?? NaN);

/** The date, without the one that stands for an unknown date. */
const keepKnownDate = (text: string | null) => text?.startsWith("1970-01-01") ? null : text;

/** Largest number of time points whose channels are listed when the file is opened. */
const MAX_LISTED_TIMES = 4096;

/** Most channels of time points whose samples are compared with each other when the file is opened. */
const MAX_COMPARED = 256;

/** Numbers of the channels of each time point that can be listed, by its index. */
function listHeldChannels(
  file: Hdf5File,
  times: readonly number[],
  count: number,
  metadata: OptionalMetadata,
): ReadonlyMap<number, ReadonlySet<number>> {
  const held = new Map<number, ReadonlySet<number>>();
  for (const [t, time] of times.slice(0, MAX_LISTED_TIMES).entries()) {
    const path = `${LEVEL}/TimePoint ${time}`;
    const own = metadata.read(path, () => file.numbered(path, "Channel "), null);
    if (own !== null) held.set(t, new Set(own));
  }
  const isSmall = times.length * count <= MAX_COMPARED;
  for (const [t, own] of isSmall ? held : []) {
    for (const channel of own) {
      const path = `${LEVEL}/TimePoint ${times[t]}/Channel ${channel}/Data`;
      // Two names for the same samples are found before any of them is served.
      metadata.read(path, () => file.kindOf(path) === "dataset" && file.dataset(path), null);
    }
  }
  const missing = held.values().reduce((sum, own) => sum + Math.max(0, count - own.size), 0);
  const text = `${missing} of ${held.size * count} channels of time points are not in the file`;
  metadata.warn(...warnIf(missing > 0, "planes_missing", text));
  return held;
}

/** Warnings about stated numbers that differ from what is there. */
function warnAboutStatedCounts(
  file: Hdf5File,
  times: number,
  channels: number,
  metadata: OptionalMetadata,
): Warning[] {
  const stated = (path: string, name: string) =>
    metadata.read(
      path,
      () => file.numbers(`${INFO}/${path}`, name)?.[0],
      undefined,
    );
  const [noc, points] = [stated("Image", "Noc"), stated("TimeInfo", "FileTimePoints")];
  return [
    ...warnIf(
      noc !== undefined && noc !== channels,
      "metadata_disagree",
      `The file states ${noc} channels and holds ${channels}`,
    ),
    ...warnIf(
      points !== undefined && points !== times,
      "metadata_disagree",
      `The file states ${points} time points and holds ${times}`,
    ),
  ];
}

/** The difference between the numbers of a channel in `DataSetInfo` and in `DataSet`: some programs count the former from 1. */
function findFirstChannel(file: Hdf5File, channels: readonly number[], metadata: OptionalMetadata): number {
  const groups = metadata.read(
    "DataSetInfo",
    () => file.kindOf(INFO) === "group" ? file.numbered(INFO, "Channel ") : [],
    [],
  );
  const isLater = channels[0] === 0 && groups[0] === 1 && groups.length === channels.length &&
    channels.every((number, i) => groups[i] === number + 1);
  return isLater ? 1 : 0;
}

/** What Imaris calls a channel without a name. */
const UNNAMED = /^\(name not specified\)$/i;

/** Name and colour of a channel. */
function readImarisChannel(file: Hdf5File, number: number, metadata: OptionalMetadata): NamedChannel {
  const path = `${INFO}/Channel ${number}`;
  return metadata.read(`DataSetInfo/Channel ${number}`, () => {
    const parts = (file.text(path, "Color") ?? "").trim().split(/\s+/)
      .map((part) => numberOf(part) ?? NaN);
    const isColor = parts.length === 3 && parts.every((part) => part >= 0 && part <= 1) &&
      file.text(path, "ColorMode") !== "TableColor";
    const [red = 0, green = 0, blue = 0] = parts.map((part) => Math.round(255 * part));
    const name = file.text(path, "Name");
    return {
      name: UNNAMED.test(name?.trim() ?? "") ? null : name,
      color: isColor ? formatHexColor(red, green, blue) : null,
    };
  }, { name: null });
}

/** Groups of `DataSetInfo` that describe the image, without its history. */
const DESCRIBING = ["Image", "TimeInfo"];

/** Most attributes of a group in the document. */
const MAX_ATTRIBUTES = 200;

/** The attributes that describe image and channels, as JSON. Folders of paths are cut off. */
function writeImarisDocument(
  file: Hdf5File,
  channels: readonly number[],
  metadata: OptionalMetadata,
): string {
  const groups = [...DESCRIBING, ...channels.slice(0, MAX_ATTRIBUTES).map((number) => `Channel ${number}`)];
  const described = groups.map((group) => {
    const path = `${INFO}/${group}`;
    const attributes = metadata.read(`DataSetInfo/${group}`, () => {
      if (file.kindOf(path) !== "group") return {};
      const names = file.attributeNames(path).slice(0, MAX_ATTRIBUTES);
      return Object.fromEntries(
        names.map((
          name,
        ) => [name, file.text(path, name)?.replace(/^(?:[a-z]:)?[\\/].*[\\/](?=.)/i, "") ?? null]),
      );
    }, {});
    return [group, attributes] as const;
  });
  return JSON.stringify(Object.fromEntries(described));
}
