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
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata } from "../hdf5/optional.ts";
import { planOf, requireReadable } from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { axesOf, calibrated, type Calibration, known } from "../metadata/axes.ts";
import { channelsOf, hexColor, type NamedChannel } from "../metadata/channels.ts";
import { firstMoment, momentOf } from "../metadata/moment.ts";
import { MAX_TIME_RECORDS, stampsOf } from "../metadata/time_stamps.ts";
import { type Acquisition, oneScene, type Scenes, type Source, type TimeStamps } from "../reader.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import type { Dataset } from "../hdf5/dataset.ts";

const LEVEL = "/DataSet/ResolutionLevel 0";

const INFO = "/DataSetInfo";

/** Numbers of columns, rows and slices. */
type Sizes = readonly [x: number, y: number, z: number];

/** Axes of `Data`. */
const [Z, Y, X] = [0, 1, 2];

/** Opens an Imaris file. @throws {DecodeFailed} damaged or not supported */
export async function scenes({ path, files }: Source): Promise<Scenes> {
  const source = files.open(path);
  using file = new Hdf5File(source);
  return oneScene(acquisitionIn(source, file));
}

function acquisitionIn(source: ByteSource, file: Hdf5File): Acquisition {
  const times = file.kindOf(LEVEL) === "group" ? file.numbered(LEVEL, "TimePoint ") : [];
  const first = `${LEVEL}/TimePoint ${times[0] ?? 0}`;
  const channels = file.kindOf(first) === "group" ? file.numbered(first, "Channel ") : [];
  const dataOf = (t: number, c: number) =>
    `${LEVEL}/TimePoint ${times[t] ?? 0}/Channel ${channels[c] ?? 0}/Data`;
  // Names the path that is missing.
  if (times.length === 0 || channels.length === 0) throw new DecodeFailed(`the file has no ${dataOf(0, 0)}`);
  const dataset = file.dataset(dataOf(0, 0));
  if (channels.length > MAX_CHANNELS) throw new DecodeFailed(`it has ${channels.length} channels`);
  requireReadable(dataset);
  const { sampleType } = dataset;
  if (sampleType === null || dataset.shape.length !== 3) {
    throw new DecodeFailed(`${dataset.path} holds no samples along Z, Y and X`);
  }
  const metadata = new OptionalMetadata();
  const isDescribed = file.kindOf(INFO) === "group";
  metadata.warn(
    ...warnIf(!isDescribed, "metadata_missing", "The file has no DataSetInfo: names and steps are unknown"),
  );
  const sizes = sizesOf(file, dataset, metadata);
  const [columns, rows, slices] = sizes;
  const image = metadata.read("DataSetInfo/Image", () => file.text(`${INFO}/Image`, "RecordingDate"), null);
  const stamps = timeStamps(file, times.length, metadata);
  const held = heldChannels(file, times, channels.length, metadata);
  const axes = axesOf(
    { T: times.length, C: channels.length, Z: slices, Y: rows, X: columns },
    calibrations(file, sizes, metadata),
  );
  metadata.warn(...countWarnings(file, times.length, channels.length, metadata));
  const info = documentOf(file, channels, metadata);
  const served = channelsOf(channels.map((c) => channelIn(file, c, metadata)), { sampleType, rows, columns });
  return {
    axes,
    channels: served,
    ...firstMoment(momentOf(dated(image)), momentOf(stamps.first)),
    fileSize: source.size,
    reference: null,
    warnings: metadata.warnings,
    stamps: stamps.stamps,
    indexBytes: (100 + 8 * channels.length) * times.length,
    documents: (list) => list.add("DataSetInfo", "application/json", info),
    holds: (channel, { t }) => held.get(t)?.has(channels[channel]!) ?? true,
    async plan(wanted, { t, z }, rowRange) {
      using file = new Hdf5File(source);
      const planes = wanted.map((channel) => {
        const path = dataOf(t, channel);
        if (file.kindOf(path) === "nothing") throw new PlaneNotFound(`the file has no ${path}`);
        const own = file.dataset(path);
        requireAlike(own, dataset, sizes);
        return { dataset: own, rowAxis: Y, columnAxis: X, at: [z, 0, 0], columns };
      });
      return planOf(source, { rows, columns }, planes, rowRange);
    },
  };
}

/** Checks a dataset against the first one. @throws {DecodeFailed} it has other samples */
function requireAlike(own: Dataset, first: Dataset, [columns, rows, slices]: Sizes): void {
  const isAlike = own.sampleType === first.sampleType && own.shape.length === 3 && own.shape[X]! >= columns &&
    own.shape[Y]! >= rows && own.shape[Z]! >= slices;
  if (!isAlike) {
    throw new DecodeFailed(`${own.path} has another type or size than the first channel and time point`);
  }
  requireReadable(own);
}

/** Sizes of the image, without the padding of `Data`. @throws {DecodeFailed} `Data` is smaller */
function sizesOf(file: Hdf5File, { path, shape }: Dataset, metadata: OptionalMetadata): Sizes {
  const group = path.slice(0, path.lastIndexOf("/"));
  const stated = (of: string, prefix: string) =>
    metadata.read(of, () => ["X", "Y", "Z"].map((axis) => file.numbers(of, prefix + axis)?.[0] ?? NaN), []);
  const isSize = (sizes: readonly number[]) =>
    sizes.length === 3 && sizes.every((size) => Number.isInteger(size) && size > 0);
  const [own, image] = [stated(group, "ImageSize"), stated(`${INFO}/Image`, "")];
  const stored = [shape[X]!, shape[Y]!, shape[Z]!];
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
  if (sizes.some((size, axis) => size > stored[axis]!)) {
    throw new DecodeFailed(`${path} has ${stored.join(" x ")} samples, the image needs ${sizes.join(" x ")}`);
  }
  const [columns, rows] = sizes as unknown as Sizes;
  if (columns * rows > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`a plane of ${columns} x ${rows} samples is too large`);
  }
  return sizes as unknown as Sizes;
}

/** Steps from the extents of the volume, edges of pixels included. */
function calibrations(
  file: Hdf5File,
  sizes: Sizes,
  metadata: OptionalMetadata,
): Partial<Record<"X" | "Y" | "Z", Calibration>> {
  const image = `${INFO}/Image`;
  return metadata.read("The extent of the image", () => {
    const unit = file.text(image, "Unit") || "um";
    const steps = sizes.map((size, axis) => {
      const [from, to] = ["Min", "Max"].map((end) => file.numbers(image, `Ext${end}${axis}`)?.[0] ?? NaN);
      return Math.abs(to! - from!) / size;
    });
    const axes = (["X", "Y", "Z"] as const).map((axis, i) =>
      [axis, known(calibrated(steps[i], unit))] as const
    );
    metadata.warn(
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
function secondsOf(text: string | null): number {
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

/** The time stamps, if they differ, and the text of the first one. */
function timeStamps(
  file: Hdf5File,
  count: number,
  metadata: OptionalMetadata,
): { readonly stamps: TimeStamps | null; readonly first: string | null } {
  const path = `${INFO}/TimeInfo`;
  const none = { stamps: null, first: null };
  return metadata.read("DataSetInfo/TimeInfo", () => {
    if (file.kindOf(path) !== "group") {
      metadata.warn(...warnIf(count > 1, "step_unknown", "The file has no time stamps"));
      return none;
    }
    const first = file.text(path, "TimePoint1");
    if (count < 2) return { stamps: null, first };
    const read = Math.min(count, MAX_TIME_RECORDS);
    const seconds = Array.from({ length: read }, (_, i) => secondsOf(file.text(path, `TimePoint${i + 1}`)));
    const known = seconds.filter(Number.isFinite);
    if (new Set(known).size < 2) {
      const why = known.length === 0 ? "hold no time" : "are all equal";
      metadata.warn(
        warning("step_unknown", `The time stamps ${why}; the time between time points is unknown`),
      );
      return { stamps: null, first };
    }
    return { stamps: stampsOf(seconds, 1, read < count), first };
  }, none);
}

/** The date, without the one that stands for an unknown date. */
const dated = (text: string | null) => text?.startsWith("1970-01-01") ? null : text;

/** Largest number of time points whose channels are listed when the file is opened. */
const MAX_LISTED_TIMES = 4096;

/** Numbers of the channels of each time point that can be listed, by its index. */
function heldChannels(
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
  const missing = held.values().reduce((sum, own) => sum + Math.max(0, count - own.size), 0);
  const text = `${missing} of ${held.size * count} channels of time points are not in the file`;
  metadata.warn(...warnIf(missing > 0, "planes_missing", text));
  return held;
}

/** Warnings about stated numbers that differ from what is there. */
function countWarnings(
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

/** Name and colour of a channel. */
function channelIn(file: Hdf5File, number: number, metadata: OptionalMetadata): NamedChannel {
  const path = `${INFO}/Channel ${number}`;
  return metadata.read(`DataSetInfo/Channel ${number}`, () => {
    const parts = (file.text(path, "Color") ?? "").trim().split(/\s+/).map(Number);
    const isColor = parts.length === 3 && parts.every((part) => part >= 0 && part <= 1) &&
      file.text(path, "ColorMode") !== "TableColor";
    const [red = 0, green = 0, blue = 0] = parts.map((part) => Math.round(255 * part));
    return { name: file.text(path, "Name"), color: isColor ? hexColor(red, green, blue) : null };
  }, { name: null });
}

/** Groups of `DataSetInfo` that describe the image, without its history. */
const DESCRIBING = ["Image", "TimeInfo"];

/** Most attributes of a group in the document. */
const MAX_ATTRIBUTES = 200;

/** The attributes that describe image and channels, as JSON. Folders of paths are cut off. */
function documentOf(file: Hdf5File, channels: readonly number[], metadata: OptionalMetadata): string {
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
