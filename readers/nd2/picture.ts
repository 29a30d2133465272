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
import { warnIf, type Warning, warning } from "../warning.ts";
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

/** The components of a pixel as channels, with the names and colours of their picture planes. */
export function channelList(
  picture: VariantObject,
  layout: FrameLayout,
): { readonly channels: readonly Channel[]; readonly warnings: readonly Warning[] } {
  const pictures = objectIn(picture, "sPicturePlanes");
  const newer = itemsOf(pictures.get("sPlaneNew"));
  // Older files call the planes `sPlane`.
  const planes = (newer.length > 0 ? newer : itemsOf(pictures.get("sPlane"))).map(objectOf);
  const stated = countIn(pictures, "uiCount");
  const shares = planes.length > 0 ? shareOf(planes, layout.components) : null;
  const components = shares === null
    ? []
    : planes.flatMap((plane, i) => componentsOf(plane, shares[i] ?? 1, planes.length > 1));
  const disagree = planes.length > 0 && (shares === null || stated !== 0 && stated !== planes.length);
  const described = `${planes.length} of ${stated} channels are described`;
  const text = `${described}, but pixels have ${layout.components} samples`;
  const named = Array.from({ length: layout.components }, (_, i) => components[i] ?? { name: null });
  return {
    channels: channelsOf(named, layout),
    warnings: warnIf(disagree, "metadata_disagree", text),
  };
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
  readonly steps: Partial<Record<AxisLetter, Calibration>>;
  readonly lineScan: boolean;
  readonly warnings: readonly Warning[];
}

/** Steps of rows and columns, and warnings about those that are not spatial. Pixels are square; time and depth have separate steps. */
export function pictureAxes(picture: VariantObject): PictureAxes {
  const real = numberIn(picture, "bCalibrated") !== 0;
  const pixel = known(calibrated(real ? positiveIn(picture, "dCalibration") : null, "um"));
  const time = known(calibrated(positiveIn(picture, "dTimeAxisCalibration"), "ms"));
  const depth = known(calibrated(positiveIn(picture, "dZAxisCalibration"), "um"));
  const steps: Partial<Record<AxisLetter, Calibration>> = {};
  const warnings: Warning[] = [];
  for (const [letter, what] of [["Y", "Rows"], ["X", "Columns"]] as const) {
    const axis = numberIn(picture, `ePicture${letter}Axis`);
    let step: Calibration | undefined;
    if (axis === AXIS.time) {
      step = time;
      const text = `${what} are points in time`;
      const unknown = `${text}, but the file does not state the time between them`;
      if (!time) warnings.push(warning("step_unknown", unknown));
      else if (letter === "X") warnings.push(warning("axis_replaced", text));
    } else if (axis === AXIS.depth) {
      step = depth;
      const text = `${what} are focus planes`;
      const unknown = `${text}, but the file does not state their distance`;
      warnings.push(depth ? warning("axis_replaced", text) : warning("step_unknown", unknown));
    } else if (axis === AXIS.point) {
      warnings.push(warning("axis_replaced", `${what} are points in time at one place`));
    } else step = pixel;
    if (step) steps[letter] = step;
  }
  return { steps, lineScan: numberIn(picture, "ePictureYAxis") === AXIS.time, warnings };
}
