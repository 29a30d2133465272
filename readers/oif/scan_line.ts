/** The line of a line scan: a region drawn on the reference image, of which the settings of an image name the file. */
import {
  firstOutside,
  type ImageShape,
  NO_PATH,
  type ScanPath,
  straightPath,
} from "../metadata/reference.ts";
import { namedBy } from "./plane_settings.ts";
import { settingNumber, type Settings } from "./settings.ts";

/** Kinds of region that a laser can travel along (the other ones are points, areas and marks). */
const STRAIGHT = 3;
const LINES: ReadonlySet<number> = new Set([STRAIGHT, 4, 10]);

/** Points of a line that is drawn by hand; a row has fewer pixels. */
const MAX_POINTS = 1 << 16;

/** Pixels by which the length of a line may differ from that of a row. */
const TOLERANCE = 2;

/** Sections of shapes. */
const SHAPE_SECTION = "ROIBase Body";

/** The name of the regions of an image, or `null`. */
export function regionName(image: Settings | null): string | null {
  const number = image?.text("ROI Parameter", "ROIFileName");
  return number ? namedBy(number, ".roi") : null;
}

/**
 * The first region that the laser can have travelled along: a line inside the reference image with as many pixels as a
 * row has.
 *
 * @param shape of the reference image
 * @param scanned pixels of a scanned line
 */
export function scanLine(regions: Settings, shape: ImageShape, scanned: number): ScanPath {
  for (const { name, values } of regions.sections) {
    if (name !== SHAPE_SECTION) continue;
    const kind = settingNumber(values.get("SHAPE") ?? null);
    const angle = settingNumber(values.get("ANGLE") ?? null) ?? 0;
    // How a rotated line is stored is not known.
    if (kind === null || !LINES.has(kind) || angle !== 0) continue;
    const [x, y] = [coordinates(values.get("X")), coordinates(values.get("Y"))];
    if (x === null || y === null || x.length !== y.length) continue;
    if (firstOutside({ x, y }, shape) !== null || !hasLength(x, y, scanned)) continue;
    if (kind !== STRAIGHT) return { lineRoi: null, scanPath: { x, y } };
    if (x.length === 2) return straightPath([x[0]!, y[0]!, x[1]!, y[1]!]);
  }
  return NO_PATH;
}

/** Numbers of a list; `null` where one is none, or there are fewer than two or far too many. */
function coordinates(text: string | undefined): number[] | null {
  const parts = (text ?? "").split(",", MAX_POINTS + 1).map((part) => settingNumber(part));
  const numbers = parts.filter((part) => part !== null);
  return numbers.length === parts.length && numbers.length >= 2 && numbers.length <= MAX_POINTS
    ? numbers
    : null;
}

function hasLength(x: readonly number[], y: readonly number[], scanned: number): boolean {
  let length = 0;
  for (let i = 1; i < x.length; i += 1) length += Math.hypot(x[i]! - x[i - 1]!, y[i]! - y[i - 1]!);
  const rounded = Math.round(length);
  return Math.abs(rounded - (scanned - 1)) <= TOLERANCE || Math.abs(rounded - scanned) <= TOLERANCE;
}
