/** Makes an acquisition of an image: axes, channels and warnings. */
import { DecodeFailed } from "../errors.ts";
import {
  buildAxes,
  type Calibration,
  convertStep,
  keepCalibrated,
  statedStep,
  UNCALIBRATED,
} from "../metadata/axes.ts";
import { buildChannels, COLOUR_HEX, COLOURS, NAMED_COLORS, sampleName } from "../metadata/channels.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { convertUnixTime, type Moment, UNDATED } from "../metadata/moment.ts";
import { MAX_STAMPS, scaleStamps } from "../metadata/time_stamps.ts";
import type { Acquisition, Axis, AxisLetter, Channel, TimeStamps } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import type { MemoryBlock } from "./container.ts";
import type { ImageElement, ScanSettings } from "./document.ts";
import {
  countJoined,
  DIM,
  type ImageLayout,
  type Joined,
  type LifDimension,
  type LifImage,
  planPlane,
} from "./image_layout.ts";

/**
 * The acquisition of an image, dated by its first time stamp or else by its experiment.
 *
 * @param shared what it has in common with the other images of its file
 * @throws {DecodeFailed} its layout is not supported
 */
export function acquisitionOf(
  stored: Pick<LifImage, "file" | "block" | "stop">,
  { layout, names, stamps, scan, warnings: noted }: ImageElement,
  shared: Pick<Acquisition, "fileSize" | "date" | "time" | "indexBytes" | "documents">,
): Acquisition {
  if (typeof layout === "string") throw new DecodeFailed(layout);
  const { axes, warnings } = calibratedAxes(layout, scan);
  const own = momentOfStamp(stamps);
  const times = timeStamps(stamps, layout, warnings);
  const rows = axes.find(({ name }) => name === "Y");
  return {
    ...shared,
    ...own.date === "" ? {} : own,
    axes,
    channels: buildLifChannels(layout, names),
    reference: null,
    lineScan: layout.rowAxis === "T"
      ? buildLineScan(rows, convertStep(scan?.pixelTime, "s"), scan?.direction)
      : null,
    warnings: [...noted, ...warnings, ...fitWarnings(layout, stored.block)],
    stamps: times,
    plan: (...wanted) => Promise.try(() => planPlane({ ...stored, layout }, wanted)),
  };
}

/** Lengths of the served axes. */
export const axisLengths = (
  { positions, rows, columns, channels }: ImageLayout,
): Record<AxisLetter, number> => ({
  T: countJoined(positions.t),
  L: countJoined(positions.l),
  Z: countJoined(positions.z),
  C: channels.length,
  Y: countJoined(rows),
  X: countJoined(columns),
});

/** The served axes of a layout, with their steps. */
export function calibratedAxes(
  layout: ImageLayout,
  scan: ScanSettings | null,
): { readonly axes: readonly Axis[]; readonly warnings: Warning[] } {
  const { positions, rows, rowAxis, columns } = layout;
  // There may be pauses between the slices of a recording, so joined dimensions have no step.
  const doubts: Warning[] = [];
  const single = (letter: AxisLetter, joined: Joined) =>
    joined.length === 1 ? findLifStep(letter, joined[0]!, doubts) : undefined;
  const line = rowAxis === "T" ? lineTime(rows, scan) : { step: single("Y", rows), warnings: [] };
  const steps = {
    T: single("T", positions.t) ?? UNCALIBRATED,
    L: single("L", positions.l) ?? UNCALIBRATED,
    Z: single("Z", positions.z) ?? UNCALIBRATED,
    Y: line.step ?? UNCALIBRATED,
    X: single("X", columns) ?? UNCALIBRATED,
  };
  return {
    axes: buildAxes(axisLengths(layout), steps),
    warnings: [...line.warnings, ...layoutWarnings(layout), ...doubts],
  };
}

/** Steps of this length or more are not real: lifetime results number their pixels and call the numbers metres. */
const NO_STEP_METRES = 0.01;

/** The step of a dimension. `Length` extends from the first sample to the last. */
function findLifStep(
  letter: AxisLetter,
  { length, unit, count }: LifDimension,
  warnings: Warning[],
): Calibration | undefined {
  const step = length === null ? null : Math.abs(length) / (count - 1);
  if (step !== null && unit.trim() === "m" && step >= NO_STEP_METRES) return undefined;
  return statedStep(letter, step, unit, warnings);
}

/** Largest relative difference of two line times that agree. */
const AGREEMENT = 0.01;

/** Seconds per line, from the dimension or else from the hardware settings. */
function lineTime(
  rows: Joined,
  scan: ScanSettings | null,
): { readonly step: Calibration | undefined; readonly warnings: readonly Warning[] } {
  const own = findLifStep("Y", rows.at(-1)!, []);
  const scanned = scan?.lineTime ?? null;
  const averaged = scanned === null ? null : scanned * (scan?.averaging ?? 1);
  if (!own) {
    const step = keepCalibrated(convertStep(averaged, "s"));
    const doubt = step
      ? warning("metadata_missing", "The time axis has no length; its step is the line time of the hardware")
      : warning("step_unknown", "The file does not say how much time passes between lines");
    return { step, warnings: [doubt] };
  }
  const stated = [scanned, averaged].filter((seconds) => seconds !== null && seconds > 0);
  const agrees = stated.length === 0 ||
    stated.some((seconds) => Math.abs(own.step / seconds! - 1) < AGREEMENT);
  const text = `Lines are ${own.step} s apart, but the hardware settings state ${averaged} s per line`;
  return { step: own, warnings: warnIf(!agrees, "metadata_disagree", text) };
}

/** Warnings about axes that are served under another name, and about dimensions that are not served. */
function layoutWarnings({ rowAxis, zIsY, positions, rows, columns, others }: ImageLayout): Warning[] {
  const replaced: string[] = [];
  if (columns.length === 0 && rows.length > 0) replaced.push("The image has no X axis, or a single column");
  if (zIsY) replaced.push(`Rows run along ${rowAxis}, and Y is served as Z`);
  else if (rowAxis === "Z") replaced.push("The image has no Y axis: rows run along Z");
  if (rowAxis === "T" && rows.length > 1) {
    replaced.push(`The line scan consists of ${countJoined(rows.slice(0, -1))} slices, which are joined`);
  }
  const [fast, slow] = [positions.l.at(-1), positions.l.at(-2)];
  if (fast && slow) {
    const names = ["excitation", "emission"];
    const [outer, inner] = slow.id === DIM.excitation ? names : names.reverse();
    replaced.push(
      `The spectral axis has ${slow.count} ${outer} wavelengths with ${fast.count} ${inner} wavelengths each`,
    );
  }
  return [
    ...replaced.map((text) => warning("axis_replaced", text)),
    ...others.map(({ id, count }) => {
      const name = Object.entries(DIM).find(([, one]) => one === id)?.[0] ?? String(id);
      return warning(
        "axis_reduced",
        `Only the first of ${count} indices along dimension "${name}" is served`,
      );
    }),
  ];
}

/** Warns if the block is smaller than the image, if it has room for more lines, or if the colours of a pixel are not stated. */
export function fitWarnings(layout: ImageLayout, block: MemoryBlock): Warning[] {
  const { channels, dimensions, columns, rows, sampleType, bytes } = layout;
  const [first, second] = channels;
  const interleaved = second !== undefined &&
    Math.abs(second.offset - first!.offset) < Math.min(...dimensions.map(({ step }) => step));
  const unnamed = interleaved && channels.some(({ tag }) => tag === 0);
  const colours = "The file does not state which samples of a pixel are red, green and blue";
  const size = `The image needs ${bytes} bytes, but its block has ${block.size}`;
  const samples = countJoined(dimensions) * channels.length;
  const inLine = countJoined(columns) * (interleaved ? channels.length : 1);
  // Lines may be padded.
  const lineBytes = Math.max(rows.at(-1)?.step ?? 0, inLine * SAMPLE_BYTES[sampleType]);
  const spare = block.size - samples / inLine * lineBytes;
  const more = `The block of the image has ${spare} bytes more than its lines take`;
  return [
    ...warnIf(unnamed, "metadata_missing", colours),
    ...warnIf(block.size < bytes, "planes_missing", size),
    ...warnIf(spare >= lineBytes, "metadata_disagree", more),
  ];
}

/** The channels. Colour tables do not name them, since several may share one. @param names one per channel or colour pixel */
export function buildLifChannels(layout: ImageLayout, names: readonly string[]): Channel[] {
  const { channels, sampleType } = layout;
  const colours = channels.filter(({ tag }) => tag !== 0).length;
  const pixels = channels.length - colours + colours / 3;
  const given = names.length === pixels ? names : [];
  let pixel = -1;
  const named = channels.map(({ tag, lut, dye }, index) => {
    // `tag` numbers the samples of a colour pixel from 1; it is 0 for a grey pixel.
    if (tag <= 1) pixel += 1;
    const own = given[pixel]?.trim() || dye;
    const sample = COLOURS[tag - 1];
    if (sample === undefined) {
      // Other tables, such as `Glow`, contain several colours.
      const color = NAMED_COLORS.get(lut.trim().toLowerCase()) ?? null;
      return { name: own ?? `CH${index + 1}`, color };
    }
    const name = sampleName(pixels > 1 ? own ?? `CH${pixel + 1}` : null, sample);
    return { name, color: COLOUR_HEX[tag - 1] };
  });
  return buildChannels(named, {
    sampleType,
    rows: countJoined(layout.rows),
    columns: countJoined(layout.columns),
  });
}

/** Time stamps are ticks of 100 ns since 1601 (FILETIME), in UTC. From 1601 to 1970 there are 134,774 days. */
const EPOCH_MS = 11_644_473_600_000n;
const TICKS_IN_MS = 10_000n;
const TICKS_IN_SECOND = 10_000_000;

/** The value of a stamp of at most 64 bits; `null` if it is invalid or 0. */
function ticksOf(stamp: string): bigint | null {
  const ticks = /^[0-9a-f]{1,16}$/i.test(stamp) ? BigInt(`0x${stamp}`) : 0n;
  return ticks > 0n ? ticks : null;
}

/** The moment of the first stamp of a list, in UTC as stored. */
export function momentOfStamp(list: string): Moment {
  const ticks = ticksOf(/\S+/.exec(list)?.[0] ?? "");
  return ticks === null ? UNDATED : convertUnixTime(Number(ticks / TICKS_IN_MS - EPOCH_MS));
}

/** The stamp of each time point, at the first plane and channel; all stamps if they do not fit the time points. Warns about zeros. */
export function timeStamps(list: string, layout: ImageLayout, warnings: Warning[]): TimeStamps | null {
  const { positions, rowAxis } = layout;
  const series = positions.t[0];
  if (rowAxis === "T" || positions.t.length !== 1 || series === undefined) return null;
  // A list may have millions of stamps, of which few are needed.
  const stamps = () => list.matchAll(/\S+/g);
  const distance = distanceOf(layout, series, stamps().reduce((count) => count + 1, 0));
  const most = Math.min(distance === null ? Infinity : series.count, MAX_STAMPS);
  const ticks: number[] = [];
  let first: bigint | null = null;
  let index = 0;
  for (const [stamp] of stamps()) {
    if (index++ % (distance ?? 1) !== 0) continue;
    const value = ticksOf(stamp);
    first ??= value;
    if (ticks.push(value === null ? NaN : Number(value - first!)) === most) break;
  }
  if (!ticks.every(Number.isNaN)) return scaleStamps(ticks, TICKS_IN_SECOND, ticks.length === MAX_STAMPS);
  const text = "No time stamp holds a time: all of them are 0 or damaged";
  warnings.push(...warnIf(ticks.length > 0, "metadata_damaged", text));
  return null;
}

/** Number of stamps per time point: a list has one per plane and channel, per plane, or per time point. */
function distanceOf(layout: ImageLayout, series: LifDimension, listed: number): number | null {
  const { positions, others, channels } = layout;
  const planes = [...positions.t, ...positions.z, ...positions.l, ...others];
  const all = countJoined(planes);
  const inside = countJoined(planes.filter(({ step }) => step < series.step));
  if (listed === all * channels.length) {
    const [first, second] = channels;
    const outside = second !== undefined && Math.abs(second.offset - first!.offset) >= series.step;
    return inside * (outside ? 1 : channels.length);
  }
  if (listed === all) return inside;
  return listed === series.count ? 1 : null;
}
