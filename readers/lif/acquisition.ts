/** Makes an acquisition of an image: axes, channels and warnings. */
import { axesOf, calibrated, type Calibration, known } from "../metadata/axes.ts";
import { channelsOf, COLOUR_HEX, COLOURS, NAMED_COLORS, sampleName } from "../metadata/channels.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import { meanStep } from "../metadata/time_stamps.ts";
import type { Acquisition, Axis, AxisLetter, Channel } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import type { Block } from "./container.ts";
import type { ImageDescription, ScanSettings } from "./document.ts";
import { DIM, type ImageLayout, type Joined, lengthOf } from "./image_layout.ts";
import { planPlane, type StoredImage } from "./plane_plan.ts";
import { momentOfStamp, timesOf } from "./time_stamps.ts";

/** Facts shared by all images of a file; `date` and `time` are those of the experiment. */
export type SharedFacts = Pick<Acquisition, "fileSize" | "date" | "time" | "indexBytes" | "documents">;

/** The acquisition of an image, dated by its first time stamp or else by its experiment. */
export function acquisitionOf(
  stored: StoredImage,
  description: ImageDescription,
  shared: SharedFacts,
): Acquisition {
  const { layout } = stored;
  const times = timesOf(description.stamps, layout);
  const { axes, warnings } = calibratedAxes(layout, description.scan, times);
  const own = momentOfStamp(description.stamps);
  return {
    ...shared,
    ...own.date === "" ? {} : own,
    axes,
    channels: channelList(layout, description.names),
    reference: null,
    lineScan: layout.rowAxis === "T"
      ? lineScanOf(
        axes.find(({ name }) => name === "Y"),
        calibrated(description.scan?.pixelTime, "s"),
        description.scan?.direction,
      )
      : null,
    warnings: [...warnings, ...fitWarnings(layout, stored.block)],
    times,
    plan: (...wanted) => Promise.try(() => planPlane(stored, wanted)),
  };
}

/** Lengths of the served axes. */
export const axisLengths = (
  { positions, rows, columns, channels }: ImageLayout,
): Record<AxisLetter, number> => ({
  T: lengthOf(positions.t),
  L: lengthOf(positions.l),
  Z: lengthOf(positions.z),
  C: channels.length,
  Y: lengthOf(rows),
  X: lengthOf(columns),
});

/** The served axes of a layout, with their steps. @param times seconds of each time point, or `null` */
export function calibratedAxes(
  layout: ImageLayout,
  scan: ScanSettings | null,
  times: readonly number[] | null,
): { readonly axes: readonly Axis[]; readonly warnings: readonly Warning[] } {
  const { positions, rows, rowAxis, columns } = layout;
  const line = rowAxis === "T" ? lineTime(rows, scan) : { step: single(rows), warnings: [] };
  const steps: Partial<Record<AxisLetter, Calibration | undefined>> = {
    T: single(positions.t) ?? known(calibrated(meanStep(times), "s")),
    L: single(positions.l),
    Z: single(positions.z),
    Y: line.step,
    X: single(columns),
  };
  const calibrations = Object.fromEntries(Object.entries(steps).filter(([, step]) => step !== undefined));
  return {
    axes: axesOf(axisLengths(layout), calibrations),
    warnings: [...line.warnings, ...layoutWarnings(layout)],
  };
}

/** Steps of this length or more are not real: lifetime results number their pixels and call the numbers metres. */
const NO_STEP_METRES = 0.01;

/** The step of the fastest of joined dimensions. `Length` extends from the first sample to the last. */
function stepOf(joined: Joined): Calibration | undefined {
  const dimension = joined.at(-1);
  if (!dimension) return undefined;
  const { length, unit } = dimension.described;
  const step = length === null ? null : Math.abs(length) / (dimension.count - 1);
  if (step !== null && unit.trim() === "m" && step >= NO_STEP_METRES) return undefined;
  return known(calibrated(step, unit));
}

/** The step of an axis, if it is a single dimension: there may be pauses between the slices of a recording. */
const single = (joined: Joined): Calibration | undefined => joined.length === 1 ? stepOf(joined) : undefined;

/** Largest relative difference of two line times that agree. */
const AGREEMENT = 0.01;

/** Seconds per line, from the dimension or else from the hardware settings. */
function lineTime(
  rows: Joined,
  scan: ScanSettings | null,
): { readonly step: Calibration | undefined; readonly warnings: readonly Warning[] } {
  const own = stepOf(rows);
  const scanned = scan?.lineTime ?? null;
  const averaged = scanned === null ? null : scanned * (scan?.averaging ?? 1);
  if (!own) {
    const step = known(calibrated(averaged, "s"));
    const doubt = step
      ? warning("metadata_missing", "The time axis has no length; its step is the line time of the hardware")
      : warning("step_unknown", "The file does not state the time between lines");
    return { step, warnings: [doubt] };
  }
  const stated = [scanned, averaged].filter((seconds) => seconds !== null && seconds > 0);
  const agrees = stated.length === 0 ||
    stated.some((seconds) => Math.abs(own.step / seconds! - 1) < AGREEMENT);
  return {
    step: own,
    warnings: agrees ? [] : [
      warning(
        "metadata_disagree",
        `Lines are ${own.step} s apart, but the hardware settings state ${averaged} s per line`,
      ),
    ],
  };
}

const NAMES: Readonly<Record<number, string>> = {
  [DIM.rotation]: "rotations",
  [DIM.mosaic]: "tiles of a mosaic",
  [DIM.loop]: "loops",
};

/** Warnings about axes that are served under another name, and about dimensions that are not served. */
function layoutWarnings({ rowAxis, zIsY, positions, rows, columns, others }: ImageLayout): Warning[] {
  const replaced: string[] = [];
  if (columns.length === 0 && rows.length > 0) replaced.push("The image has no X axis, or a single column");
  if (zIsY) replaced.push(`Rows run along ${rowAxis}, and Y is served as Z`);
  else if (rowAxis === "Z") replaced.push("The image has no Y axis: rows run along Z");
  if (rowAxis === "T" && rows.length > 1) {
    replaced.push(`The line scan consists of ${lengthOf(rows.slice(0, -1))} slices, which are joined`);
  }
  const [fast, slow] = [positions.l.at(-1), positions.l.at(-2)];
  if (fast && slow) {
    const [outer, inner] = slow.id === DIM.excitation
      ? ["excitation", "emission"]
      : ["emission", "excitation"];
    replaced.push(
      `The spectral axis has ${slow.count} ${outer} wavelengths with ${fast.count} ${inner} wavelengths each`,
    );
  }
  return [
    ...replaced.map((text) => warning("axis_replaced", text)),
    ...others.map(({ id, count }) =>
      warning(
        "axis_reduced",
        `Only the first of ${count} ${NAMES[id] ?? `indices along dimension ${id}`} is served`,
      )
    ),
  ];
}

/** Warns if the block is smaller than the image, if it has room for more lines, or if the colours of a pixel are not stated. */
export function fitWarnings(layout: ImageLayout, block: Block): Warning[] {
  const { channels, dimensions, columns, rows, sampleType, bytes } = layout;
  const [first, second] = channels;
  const interleaved = second !== undefined &&
    Math.abs(second.offset - first!.offset) < Math.min(...dimensions.map(({ step }) => step));
  const unnamed = interleaved && channels.some(({ tag }) => tag === 0);
  const colours = "The file does not state which samples of a pixel are red, green and blue";
  const size = `The image needs ${bytes} bytes, but its block has ${block.size}`;
  const samples = lengthOf(dimensions) * channels.length;
  const inLine = lengthOf(columns) * (interleaved ? channels.length : 1);
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

/**
 * The channels of an image. Colour tables and dyes are not used as names, since several channels may share one.
 *
 * @param names user-defined names, one per channel or colour pixel
 */
export function channelList(layout: ImageLayout, names: readonly string[]): Channel[] {
  const { channels, sampleType } = layout;
  const colours = channels.filter(({ tag }) => tag !== 0).length;
  const pixels = channels.length - colours + colours / 3;
  const given = names.length === pixels ? names : [];
  let pixel = -1;
  const named = channels.map(({ tag, described }, index) => {
    // `tag` numbers the samples of a colour pixel from 1; it is 0 for a grey pixel.
    if (tag <= 1) pixel += 1;
    const own = given[pixel]?.trim() || null;
    const sample = COLOURS[tag - 1];
    if (sample === undefined) {
      // Other tables, such as `Glow`, contain several colours.
      const color = NAMED_COLORS.get(described.lut.trim().toLowerCase()) ?? null;
      return { name: own ?? `CH${index + 1}`, color };
    }
    const name = sampleName(pixels > 1 ? own ?? `CH${pixel + 1}` : null, sample);
    return { name, color: COLOUR_HEX[tag - 1] };
  });
  return channelsOf(named, { sampleType, rows: lengthOf(layout.rows), columns: lengthOf(layout.columns) });
}
