/**
 * Olympus FluoView: tag 34361 holds a packed record with ten dimensions from byte 284 on, each 100 bytes: name
 * (16 characters), size (LONG), origin and resolution (DOUBLE), unit (64 characters). The plane's axes come first,
 * then those of the pages, fastest first. A plane of `X` and `T` is a line scan: its rows are time.
 */
import { calibrated, type Calibration, known } from "../../metadata/axes.ts";
import { lineScanOf } from "../../metadata/line_scan.ts";
import type { AxisLetter } from "../../reader.ts";
import { MAX_PLANES } from "../bounds.ts";
import { type PageLayout, readPage } from "../page.ts";
import { countWarnings, isRun, stackedPlanes } from "../stored_planes.ts";
import { firstMoment, moment, UNDATED } from "../../metadata/moment.ts";
import { warning } from "../../warning.ts";
import { type Opened, tagMoment } from "../opened.ts";
import type { Stack } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText } from "../text.ts";

const DIMENSIONS_AT = 284;
const DIMENSION_BYTES = 100;
const DIMENSIONS = 10;

const LETTERS: Readonly<Record<string, AxisLetter>> = {
  X: "X",
  Y: "Y",
  Z: "Z",
  T: "T",
  TIME: "T",
  CH: "C",
  WAVELENGTH: "C",
};

interface Dimension {
  readonly letter: AxisLetter;
  readonly size: number;
  readonly calibration: Calibration;
}

/** The stack of a FluoView file, or `null`. */
export function openFluoView(opened: Opened): Stack | null {
  const { tiff, first } = opened;
  const entry = first.entry(TAG.FluoViewHeader);
  const header = first.bytes(TAG.FluoViewHeader, 1 << 16);
  if (!entry || !header) return null;
  const layout = readPage(first);
  const dimensions = header.length < DIMENSIONS_AT + DIMENSIONS * DIMENSION_BYTES
    ? null
    : dimensionsOf(header, tiff.encoding.littleEndian);
  const { at } = entry;
  tiff.structures.claim(at, at + DIMENSIONS_AT, `the value of ${tagName(TAG.FluoViewHeader)}`);
  const order = dimensions && pageOrder(dimensions, layout);
  if (!dimensions || !order) {
    opened.warnings.push(
      warning(
        "metadata_disagree",
        `The FluoView dimensions in ${
          tagName(TAG.FluoViewHeader)
        } do not fit the pages; the file is read by its tags alone`,
      ),
    );
    return null;
  }
  const sizes = { T: 1, C: 1, Z: 1 };
  for (const { letter, size } of order) sizes[letter as "T" | "C" | "Z"] = size;
  const planes = sizes.T * sizes.C * sizes.Z;
  const run = isRun(tiff, layout, planes);
  const stored = stackedPlanes(tiff, layout, run);
  const calibrations: Partial<Record<AxisLetter, Calibration>> = {};
  const [x, y] = dimensions;
  for (const { letter, calibration } of dimensions) {
    const own = known(calibration);
    if (own) calibrations[letter] = own;
  }
  const rows = y && known(y.calibration);
  if (x && rows) calibrations.Y = rows;
  return {
    sizes,
    layout,
    calibrations,
    names: channelsIn(opened.descriptions[0] ?? "", sizes.C),
    moment: firstMoment(momentIn(opened.descriptions[0] ?? ""), tagMoment(first)),
    fileSize: tiff.file.size,
    lineScan: y?.letter === "T" ? lineScanOf(calibrations.Y) : null,
    warnings: countWarnings(tiff, layout, planes, run),
    plane: ({ t, z, channel }) => {
      const at = { T: t, C: channel, Z: z };
      const number = order.reduceRight((n, { letter, size }) => n * size + at[letter as "T" | "C" | "Z"], 0);
      return stored.plane(number);
    },
  };
}

function dimensionsOf(header: Uint8Array<ArrayBuffer>, little: boolean): Dimension[] | null {
  const view = new DataView(header.buffer, header.byteOffset);
  const dimensions: Dimension[] = [];
  for (let i = 0; i < DIMENSIONS; i += 1) {
    const at = DIMENSIONS_AT + i * DIMENSION_BYTES;
    const text = (from: number, length: number) =>
      decodeText(header.subarray(at + from, at + from + length)).trim();
    const name = text(0, 16).toUpperCase();
    const size = view.getInt32(at + 16, little);
    if (name === "") continue;
    if (size < 1) return null;
    const letter = LETTERS[name];
    if (!letter) {
      if (size > 1) return null;
      continue;
    }
    dimensions.push({
      letter,
      size,
      // A negative resolution tells the direction of the stage.
      calibration: calibrated(Math.abs(view.getFloat64(at + 28, little)), text(36, 64)),
    });
  }
  return dimensions;
}

/** Dimensions of the pages, fastest first; `null` when the first two are not the plane or letters repeat. */
function pageOrder(dimensions: readonly Dimension[], layout: PageLayout): Dimension[] | null {
  const [x, y, ...rest] = dimensions;
  if (x?.letter !== "X" || x.size !== layout.width || y?.size !== layout.height) return null;
  const letters = new Set(rest.map(({ letter }) => letter));
  const planes = rest.reduce((product, { size }) => product * size, 1);
  if (letters.size < rest.length || letters.has("X") || letters.has("Y") || planes > MAX_PLANES) return null;
  // Samples of a page are channels already.
  return rest.filter(({ letter }) => !(letter === "C" && layout.samples > 1));
}

/** `Channel 1 Dye=FITC` in the description. */
function channelsIn(text: string, channels: number): (string | null)[] {
  return Array.from(
    { length: Math.min(channels, 64) },
    (_, c) => new RegExp(`^Channel ${c + 1} Dye=(.*)$`, "m").exec(text)?.[1]?.trim() || null,
  );
}

/** `Date=11-02-2022` and `Time=12:30:15`, month first. */
function momentIn(text: string) {
  const date = /^Date=(\d\d)-(\d\d)-(\d{4})\s*$/m.exec(text);
  const time = /^Time=(\d\d):(\d\d):(\d\d)/m.exec(text);
  return date ? moment([date[3], date[1], date[2]], [time?.[1], time?.[2], time?.[3]]) : UNDATED;
}
