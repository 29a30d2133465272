/**
 * Femtonics MESc (`.mesc`), an HDF5 file:
 *
 *     MSession_i/MUnit_j             a recording, with all its metadata in attributes
 *     MSession_i/MUnit_j/Channel_k   samples [frames, Y, X]
 *
 * Units with channels are the scenes. Frames are time points or slices, by the role of the unit's Z axis. Samples are stored
 * inverted; they are served with the linear conversion of their channel.
 *
 * Not read: curves beside the images. Nothing is known about how line scans are folded into frames, so they are frames too.
 */
import { DecodeFailed, PlaneNotFound, quoted } from "../errors.ts";
import type { Dataset } from "../hdf5/dataset.ts";
import { DamagedStructure } from "../hdf5/fields.ts";
import { Hdf5File } from "../hdf5/file.ts";
import { OptionalMetadata, warnAboutDamagedScenes } from "../hdf5/optional.ts";
import { planDatasets, requireReadable } from "../hdf5/planes.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS, MAX_LISTED_SCENES, MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { buildAxes, convertStep, statedStep } from "../metadata/axes.ts";
import { buildChannels, formatHexColor } from "../metadata/channels.ts";
import { convertUnixTime, UNDATED } from "../metadata/moment.ts";
import {
  type Acquisition,
  type RowRange,
  type SampleType,
  type SceneEntry,
  type Scenes,
  sizesOf,
  type Source,
} from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { listed, warnIf, type Warning, warning } from "../warning.ts";

/** Version of the files that are known. */
const KNOWN_VERSION = 2;

/** Type of a unit of images, and the task whose frames are known to be images. */
const [IMAGES, KNOWN_TASK] = [4, "TaskResonantScan"];

/** Most frames that a unit may declare beyond those that it stores. */
const MAX_FRAMES = 10_000_000;

/** Roles of a unit's Z axis. */
const ROLES: Readonly<Record<number, "T" | "Z">> = { 0: "T", 3: "Z" };

/** A unit with channels. */
interface Unit {
  readonly path: string;
  readonly name: string;
  /** Numbers of its channels. */
  readonly channels: readonly number[];
  /** Why nobody knows what it holds, or `null`. */
  readonly damage: DamagedStructure | null;
}

/** Linear conversion of stored samples. */
interface Conversion {
  readonly scale: number;
  readonly offset: number;
}

/** Opens a MESc file. @throws {DecodeFailed} it is damaged or has no unit with channels */
export const scenes = (source: Source): Promise<Scenes> => Promise.try(() => openMescScenes(source));

function openMescScenes({ path, files }: Source): Scenes {
  const source = files.open(path);
  using file = new Hdf5File(source);
  const metadata = new OptionalMetadata();
  const { units, others } = listUnits(file, metadata);
  const left = `Units without image channels are left out: ${listed(others.map(quoted))}`;
  if (units.length === 0) {
    throw new DecodeFailed(
      others.length > 0 ? left.replace(/^U/, "u") : "it holds no units (MSession_i/MUnit_j)",
    );
  }
  const version = metadata.read("The version", () => file.numbers("/", "FileFormatVersion")?.[0], undefined);
  const damaged: string[] = [];
  const entries = units.slice(0, MAX_LISTED_SCENES).map((unit, i) => describeUnit(file, unit, damaged, i));
  return {
    count: units.length,
    // Never another one in the place of one that is damaged.
    own: Math.max(
      0,
      entries.findIndex(({ sizes }, i) => Object.keys(sizes).length > 0 || damaged[i] !== undefined),
    ),
    warnings: [
      ...metadata.warnings,
      ...warnIf(others.length > 0, "scenes_left_out", left),
      ...warnAboutDamagedScenes(Object.values(damaged)),
      ...warnIf(
        version !== KNOWN_VERSION,
        "read_differently",
        `The file has version ${
          version ?? "unknown"
        } of its format and is read like version ${KNOWN_VERSION}`,
      ),
    ],
    entries: (most) => entries.slice(0, most),
    open: (scene) =>
      Promise.try(() => {
        using file = new Hdf5File(source);
        return describeMescUnit(source, file, units[scene]!);
      }),
  };
}

function listUnits(file: Hdf5File, metadata: OptionalMetadata): { units: Unit[]; others: string[] } {
  const units: Unit[] = [];
  const others: string[] = [];
  /** What `read` gives, or a unit that stands for what is damaged, so that the others keep their places. */
  const unlessLost = <T>(path: string, read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DamagedStructure)) throw error;
      units.push({ path, name: path.slice(1), channels: [], damage: error });
      return null;
    }
  };
  for (const session of file.numbered("/", "MSession_")) {
    const path = `/MSession_${session}`;
    for (const unit of unlessLost(path, () => file.numbered(path, "MUnit_")) ?? []) {
      const own = `${path}/MUnit_${unit}`;
      const channels = unlessLost(own, () => file.numbered(own, "Channel_"));
      if (channels === null) continue;
      const comment = metadata.read(`The comment of ${own}`, () => file.text(own, "Comment"), null);
      const name = own.slice(1) + (comment ? `: ${comment}` : "");
      if (channels.length > 0) units.push({ path: own, name, channels, damage: null });
      else others.push(own.slice(1));
    }
  }
  return { units, others };
}

/** Name and sizes of a unit; sizes are empty if it cannot be read. @param damaged gets the unit, at its index, if it is damaged */
function describeUnit(file: Hdf5File, unit: Unit, damaged: string[], index: number): SceneEntry {
  try {
    return { name: unit.name, sizes: sizesOf(layOutUnit(file, unit, new OptionalMetadata()).axes) };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    if (error instanceof DamagedStructure) damaged[index] = `${quoted(unit.name)} (${error.message})`;
    return { name: unit.name, sizes: {} };
  }
}

/** Samples and axes of a unit. */
interface UnitLayout {
  readonly datasets: readonly Dataset[];
  readonly sampleType: SampleType;
  /** Frames that are stored, and that are declared. */
  readonly frames: number;
  readonly declared: number;
  readonly rows: number;
  readonly columns: number;
  /** The axis of the frames. */
  readonly axis: "T" | "Z";
  readonly axes: Acquisition["axes"];
  readonly warnings: readonly Warning[];
}

/** @throws {DecodeFailed} the channels of the unit are not frames of one shape */
function layOutUnit(
  file: Hdf5File,
  { path, channels, damage }: Unit,
  metadata: OptionalMetadata,
): UnitLayout {
  if (damage !== null) throw damage;
  if (channels.length > MAX_CHANNELS) throw new DecodeFailed(`${path} has ${channels.length} channels`);
  const datasets = channels.map((number) => file.dataset(`${path}/Channel_${number}`));
  const { sampleType, shape: [frames, rows, columns] } = requireFrameSeries(datasets);
  const { axis, warnings } = metadata.read(
    "The role of the frames",
    () => chooseFrameAxis(file, path, frames),
    {
      axis: "T" as const,
      warnings: [],
    },
  );
  const doubts: Warning[] = [];
  const steps = metadata.read("The steps of the axes", () => readUnitSteps(file, path, axis, doubts), {});
  metadata.warn(...doubts);
  const stated = metadata.read("The size", () => file.numbers(path, "ZDim")?.[0], undefined) ?? frames;
  const declared = Number.isSafeInteger(stated) && stated > frames && stated <= MAX_FRAMES ? stated : frames;
  const axes = buildAxes({ [axis]: declared, C: channels.length, Y: rows, X: columns }, steps);
  return { datasets, sampleType, frames, declared, rows, columns, axis, axes, warnings };
}

/** The shape and type of all datasets. @throws {DecodeFailed} they are not frames of integers of one shape */
function requireFrameSeries(
  datasets: readonly Dataset[],
): { sampleType: SampleType; shape: readonly [number, number, number] } {
  const [first] = datasets as [Dataset];
  for (const { path, shape, sampleType, type } of datasets) {
    if (shape.length !== 3 || sampleType === null || sampleType.startsWith("float")) {
      throw new DecodeFailed(
        `${path} is not a series of frames of integers: it has ${shape.length} axes of ${
          sampleType ?? type.name
        }`,
      );
    }
    if (shape.join() !== first.shape.join() || sampleType !== first.sampleType) {
      throw new DecodeFailed(`${path} has another shape or type than ${first.path}`);
    }
  }
  datasets.forEach(requireReadable);
  const [frames, rows, columns] = first.shape as [number, number, number];
  if (!(frames > 0 && rows > 0 && columns > 0 && rows * columns <= MAX_PLANE_SAMPLES)) {
    throw new DecodeFailed(`${first.path} has frames of ${columns} x ${rows} samples`);
  }
  return { sampleType: first.sampleType!, shape: [frames, rows, columns] };
}

/** Steps along the axes of a unit, those that it states. */
function readUnitSteps(file: Hdf5File, path: string, axis: "T" | "Z", doubts: Warning[]) {
  const step = (letter: "Z" | "Y" | "X") => {
    const name = `${letter}AxisConversion`;
    const unit = file.text(path, `${name}UnitName`);
    const value = file.numbers(path, `${name}ConversionLinearScale`)?.[0];
    return statedStep(letter === "Z" ? axis : letter, value, unit, doubts);
  };
  const [frame, row, column] = [step("Z"), step("Y"), step("X")];
  return {
    ...frame && { [axis]: frame },
    ...row && { Y: row },
    ...column && { X: column },
  };
}

/** The axis of the frames, by the role or else the unit. */
function chooseFrameAxis(
  file: Hdf5File,
  path: string,
  frames: number,
): { axis: "T" | "Z"; warnings: Warning[] } {
  const role = file.numbers(path, "ZAxisGeomRole")?.[0];
  const own = role === undefined ? undefined : ROLES[role];
  if (own !== undefined) return { axis: own, warnings: [] };
  const { unit } = convertStep(1, file.text(path, "ZAxisConversionUnitName"));
  const stated = role === undefined
    ? "does not state the role of its frames"
    : `gives its frames the unknown role ${role}`;
  const text = `The unit ${stated}; they are served as time points`;
  if (role === undefined && unit === "um") return { axis: "Z", warnings: [] };
  const isClear = role === undefined && unit === "seconds";
  return { axis: "T", warnings: warnIf(!isClear && frames > 1, "axes_assumed", text) };
}

function describeMescUnit(source: ByteSource, file: Hdf5File, unit: Unit): Acquisition {
  const { path, channels } = unit;
  const metadata = new OptionalMetadata();
  const laidOut = layOutUnit(file, unit, metadata);
  const { sampleType, frames, declared, rows, columns, axis, axes, warnings } = laidOut;
  const conversions = readConversions(file, unit, sampleType, metadata);
  const named = channels.map((number) =>
    metadata.read(`Channel ${number}`, () => ({
      name: file.text(path, `Channel_${number}_Name`),
      color: readLutColor(file.numbers(path, `Channel_${number}_LUT_VecColors`)),
    }), { name: null })
  );
  const posix = metadata.read("The date", () => file.numbers(path, "MeasurementDatePosix")?.[0], undefined);
  const moment = posix === undefined || posix <= 0 ? UNDATED : convertUnixTime(1000 * posix);
  const count = metadata.read("The channels", () => file.numbers(path, "VecChannelsSize")?.[0], undefined);
  const parameters = metadata.read(
    "MeasurementParamsXML",
    () => file.text(path, "MeasurementParamsXML"),
    null,
  );
  return {
    axes,
    channels: buildChannels(named, { sampleType, rows, columns }).map((channel, i) => ({
      ...channel,
      ...!keepsStoredType(conversions[i] ?? IDENTITY, sampleType) && { servedType: "float32" },
    })),
    ...moment,
    fileSize: source.size,
    reference: null,
    warnings: [
      ...warnings,
      ...metadata.read("The type of the unit", () => warnAboutUnitKinds(file, path, parameters), []),
      ...metadata.warnings,
      ...warnIf(
        moment.date !== "",
        "metadata_missing",
        "Date and time are in UTC: the file does not state a time zone",
      ),
      ...warnIf(
        declared > frames,
        "planes_missing",
        `The unit declares ${declared} frames and stores ${frames}`,
      ),
      ...warnIf(
        count !== undefined && count !== channels.length,
        "metadata_disagree",
        `The unit declares ${count} channels and stores ${channels.length}`,
      ),
    ],
    indexBytes: 1000 * channels.length,
    ...declared > frames && { holds: (_channel, position) => position[axis === "T" ? "t" : "z"] < frames },
    documents(list) {
      list.add("conversions", "application/json", JSON.stringify({ unit: path, channels: conversions }));
      if (parameters) list.add("MeasurementParamsXML", "application/xml", parameters);
    },
    ...planUnit(source, laidOut, conversions),
  };
}

/** How planes of a unit are read. */
function planUnit(
  source: ByteSource,
  { datasets, frames, declared, rows, columns, axis }: UnitLayout,
  conversions: readonly Conversion[],
): Required<Pick<Acquisition, "plan" | "planLines">> {
  const planAlong = (
    rowAxis: number,
    rows: number,
    wanted: readonly number[],
    frame: number,
    rowRange?: RowRange,
  ) => {
    const planes = wanted.map((channel) => ({
      dataset: datasets[channel]!,
      rowAxis,
      columnAxis: 2,
      at: [frame, 0, 0],
      columns,
    }));
    const convert = (target: Float32Array, i: number) => applyConversion(target, conversions[wanted[i]!]!);
    return planDatasets(source, { rows, columns }, planes, rowRange, convert);
  };
  return {
    plan: (wanted, position, rowRange) =>
      Promise.try(() => {
        const frame = position[axis === "T" ? "t" : "z"];
        if (frame >= frames) throw new PlaneNotFound(`the unit stores ${frames} of ${declared} frames`);
        return planAlong(1, rows, wanted, frame, rowRange);
      }),
    planLines: (wanted, _position, lines) => Promise.try(() => planAlong(0, lines.end, wanted, 0, lines)),
  };
}

/** The conversions of all channels. @throws {DecodeFailed} float32 cannot hold what they make of the samples */
function readConversions(
  file: Hdf5File,
  { path, channels }: Unit,
  sampleType: SampleType,
  metadata: OptionalMetadata,
): Conversion[] {
  const conversions = channels.map((number) =>
    metadata.read(
      `The conversion of channel ${number}`,
      () => readConversion(file, path, number, metadata),
      IDENTITY,
    )
  );
  const isConverted = conversions.some(({ scale, offset }) => scale !== 1 || offset !== 0);
  if (SAMPLE_BYTES[sampleType] > 2 && isConverted) {
    throw new DecodeFailed(`${path} has samples of type ${sampleType} with a conversion, which is not read`);
  }
  return conversions;
}

const IDENTITY: Conversion = { scale: 1, offset: 0 };

/** The conversion of a channel; stored samples if it makes no sense. */
function readConversion(
  file: Hdf5File,
  path: string,
  number: number,
  metadata: OptionalMetadata,
): Conversion {
  const name = `Channel_${number}_Conversion_ConversionLinear`;
  const [scale = 1, offset = 0] = ["Scale", "Offset"].map((one) => file.numbers(path, name + one)?.[0]);
  if (Number.isFinite(scale) && Number.isFinite(offset) && scale !== 0) return { scale, offset };
  metadata.warn(
    warning(
      "metadata_damaged",
      `Channel ${number} is served as stored: its conversion is ${scale} x + ${offset}`,
    ),
  );
  return IDENTITY;
}

/** Ends of the types whose samples are converted. */
const ENDS: Readonly<Partial<Record<SampleType, readonly [least: number, most: number]>>> = {
  uint8: [0, 2 ** 8 - 1],
  int8: [-(2 ** 7), 2 ** 7 - 1],
  uint16: [0, 2 ** 16 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
};

/** Whether a conversion of any stored sample is a sample of the same type, as the inversion of all of them is. */
function keepsStoredType({ scale, offset }: Conversion, type: SampleType): boolean {
  if (scale === 1 && offset === 0) return true;
  const [least, most] = ENDS[type] ?? [0, -1];
  return Number.isInteger(scale) && Number.isInteger(offset) &&
    [least, most].every((end) => end * scale + offset >= least && end * scale + offset <= most);
}

/** Applies a conversion. Samples of 16 bits are exact in float32, so that the store alone rounds. */
function applyConversion(plane: Float32Array, { scale, offset }: Conversion): void {
  if (scale === 1 && offset === 0) return;
  for (let i = 0; i < plane.length; i += 1) plane[i] = plane[i]! * scale + offset;
}

/** The last colour of a lookup table, as 0xRRGGBB or 0xAARRGGBB. */
function readLutColor(colors: readonly number[] | null): string | null {
  const last = colors?.at(-1);
  if (last === undefined || !Number.isInteger(last)) return null;
  return formatHexColor(last >>> 16, last >>> 8, last);
}

/** Warnings about units of another type, or of a task whose rows may not be those of an image. */
function warnAboutUnitKinds(file: Hdf5File, path: string, parameters: string | null): Warning[] {
  const type = file.numbers(path, "Type")?.[0];
  const kind = file.text(path, "TypeDebugString");
  const task = /<(?:\w+:)?Task[^>]*\bType\s*=\s*"([^"]*)"/.exec(parameters ?? "")?.[1] ??
    /\b(Task\w*Scan\w*|TaskAO\w*)\b/.exec(parameters ?? "")?.[1];
  return [
    ...warnIf(
      type !== undefined && type !== IMAGES,
      "read_differently",
      `The unit is of type ${kind ?? type} and is read as frames`,
    ),
    ...warnIf(
      task !== undefined && task !== KNOWN_TASK,
      "axes_assumed",
      `The task of the unit is ${task}: its rows may be lines or patches that were folded into frames`,
    ),
  ];
}
