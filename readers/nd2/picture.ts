/** Channels of the frames and steps of rows and columns, from the metadata of the first frame. */
import { calibrated, type Calibration, known } from "../metadata/axes.ts";
import {
  BLACK,
  channelsOf,
  COLOUR_HEX,
  COLOURS,
  hexColor,
  type NamedChannel,
  sampleName,
} from "../metadata/channels.ts";
import type { AxisLetter, Channel } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameLayout } from "./frame_layout.ts";
import {
  countIn,
  itemsOf,
  numberIn,
  objectIn,
  objectOf,
  positiveIn,
  textIn,
  type VariantObject,
} from "./variant.ts";

/** The channels of a file. */
export interface ChannelList {
  /** One channel per component of a pixel. */
  readonly channels: readonly Channel[];
  readonly warnings: readonly Warning[];
}

/** The components of a pixel as channels, with the names and colours of their picture planes. */
export function channelList(picture: VariantObject, layout: FrameLayout): ChannelList {
  const planes = planesOf(picture);
  const stated = countIn(objectIn(picture, "sPicturePlanes"), "uiCount");
  const shares = planes.length > 0 ? shareOf(planes, layout.components) : null;
  const components = shares === null
    ? []
    : planes.flatMap((plane, i) => componentsOf(plane, shares[i] ?? 1, planes.length > 1));
  const warnings: Warning[] = [];
  if (planes.length > 0 && (shares === null || stated !== 0 && stated !== planes.length)) {
    const described = `${planes.length} of ${stated} channels are described`;
    const text = `${described}, but pixels have ${layout.components} samples`;
    warnings.push(warning("metadata_disagree", text));
  }
  const named = Array.from({ length: layout.components }, (_, i) => components[i] ?? { name: null });
  return { channels: channelsOf(named, layout), warnings };
}

/** Descriptions of the planes in file order, which older files call `sPlane`. */
function planesOf(picture: VariantObject): readonly VariantObject[] {
  const pictures = objectIn(picture, "sPicturePlanes");
  const newer = itemsOf(pictures.get("sPlaneNew")).map(objectOf);
  return newer.length > 0 ? newer : itemsOf(pictures.get("sPlane")).map(objectOf);
}

/** Number of components of each plane; `null` if their total differs from the number of components per pixel. */
function shareOf(planes: readonly VariantObject[], components: number): readonly number[] | null {
  const stated = planes.map((plane) => Math.max(countIn(plane, "uiCompCount"), 1));
  if (stated.reduce((sum, count) => sum + count, 0) === components) return stated;
  const equal = components / planes.length;
  return Number.isInteger(equal) ? planes.map(() => equal) : null;
}

/** The components of a plane: one channel, the blue, green and red of a camera, or numbered channels. */
function componentsOf(plane: VariantObject, count: number, several: boolean): readonly NamedChannel[] {
  const name = textIn(plane, "sDescription")?.trim() ?? null;
  const color = colorOf(numberIn(plane, "uiColor"));
  if (count === 1) return [{ name, color }];
  if (count !== COLOURS.length) {
    return Array.from({ length: count }, (_, i) => ({ name: name && `${name} ${i + 1}`, color }));
  }
  const colours = COLOURS.map((colour, i) => ({
    name: sampleName(several ? name : null, colour),
    color: COLOUR_HEX[i],
  }));
  return colours.reverse();
}

/** `#rrggbb` of a number with red in its lowest byte; `null` for black. */
export function colorOf(value: number | null): string | null {
  if (value === null || !Number.isInteger(value)) return null;
  const color = hexColor(value, value >>> 8, value >>> 16);
  return color === BLACK ? null : color;
}

/** Values of `ePictureXAxis` and `ePictureYAxis`; 0 and 1 are the axes of the picture. */
const AXIS = { time: 2, depth: 3, point: 4 } as const;

/** Steps of rows and columns. */
export interface PictureAxes {
  /** Steps of `Y` and `X`. */
  readonly steps: Partial<Record<AxisLetter, Calibration>>;
  /** True if rows are lines in time. */
  readonly lineScan: boolean;
  /** Warnings about rows or columns that are not spatial. */
  readonly warnings: readonly Warning[];
}

/** Steps of rows and columns. Pixels are square; time and depth have separate steps. */
export function pictureAxes(picture: VariantObject): PictureAxes {
  const real = numberIn(picture, "bCalibrated") !== 0;
  const pixel = known(calibrated(real ? positiveIn(picture, "dCalibration") : null, "um"));
  const time = known(calibrated(positiveIn(picture, "dTimeAxisCalibration"), "ms"));
  const depth = known(calibrated(positiveIn(picture, "dZAxisCalibration"), "um"));
  const steps: Partial<Record<AxisLetter, Calibration>> = {};
  const warnings: Warning[] = [];
  for (const [letter, what] of [["Y", "Rows"], ["X", "Columns"]] as const) {
    const axis = numberIn(picture, `ePicture${letter}Axis`);
    const step = axis === AXIS.time ? time : axis === AXIS.depth ? depth : axis === AXIS.point ? null : pixel;
    if (step) steps[letter] = step;
    if (axis === AXIS.time && !time) {
      const text = `${what} are points in time, but the file does not state the time between them`;
      warnings.push(warning("step_unknown", text));
    } else if (axis === AXIS.time && letter === "X") {
      warnings.push(warning("axis_replaced", "Columns are points in time"));
    } else if (axis === AXIS.depth && !depth) {
      const text = `${what} are focus planes, but the file does not state their distance`;
      warnings.push(warning("step_unknown", text));
    } else if (axis === AXIS.depth) {
      warnings.push(warning("axis_replaced", `${what} are focus planes`));
    } else if (axis === AXIS.point) {
      warnings.push(warning("axis_replaced", `${what} are points in time at one place`));
    }
  }
  return { steps, lineScan: numberIn(picture, "ePictureYAxis") === AXIS.time, warnings };
}
