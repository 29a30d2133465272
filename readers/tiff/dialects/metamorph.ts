/**
 * MetaMorph. STK: tags UIC1 to UIC4; one directory stands for all planes, which follow the first one without gaps.
 *
 *   UIC1 (33628)  pairs of id and value, or offset of the value: 4, 5 pixel size (two LONG), 6 its unit, 7 name,
 *                 16 day (Julian) and time (milliseconds) of creation; counted in pairs
 *   UIC2 (33629)  six LONG per plane: distance in z (numerator, denominator), day and time of creation, of change;
 *                 counted in planes
 *
 * Plain TIFF of newer versions: `<MetaData>` in ImageDescription, as `<prop id="..." value="..."/>`.
 */
import { DecodeFailed } from "../../errors.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { firstMoment, type Moment, moment, UNDATED } from "../../metadata/moment.ts";
import { leadingNumber } from "../../metadata/numbers.ts";
import { meanStep, timesFrom } from "../../metadata/time_stamps.ts";
import { parseXml, type XmlElement } from "../../metadata/xml.ts";
import { warning } from "../../warning.ts";
import { MAX_VENDOR_BYTES } from "../bounds.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import { readPage } from "../page.ts";
import type { Stack } from "../stack.ts";
import { declaredPlanes } from "../stored_planes.ts";
import { TAG } from "../tags.ts";
import { decodeText, upToNul } from "../text.ts";
import { openPlain } from "./plain.ts";

/** The stack of a MetaMorph file, or `null`. */
export function openMetaMorph(opened: Opened): Stack | null {
  const { tiff, first, descriptions } = opened;
  if (descriptions[0]?.trimStart().startsWith("<MetaData>")) {
    return withProperties(openPlain(opened), opened, upToNul(descriptions[0]));
  }
  if (!first.has(TAG.UIC1) && !first.has(TAG.UIC2)) return null;
  const planes = Math.max(first.count(TAG.UIC2), 1);
  const layout = readPage(first);
  const uic1 = noted(opened, METADATA, () => readUic1(opened)) ?? NO_UIC1;
  const uic2 = noted(opened, METADATA, () => readUic2(opened, planes));
  if (uic2 === null) return null;
  if (uic2.partial) {
    const text = "UIC2 (33629) gives a distance to some of the planes, not to all";
    opened.warnings.push(warning("metadata_missing", text));
  }
  const stored = declaredPlanes(tiff, layout, planes);
  const isTime = uic2.zStep === null && uic2.timeStep !== null;
  return {
    sizes: isTime ? { T: planes, C: 1, Z: 1 } : { T: 1, C: 1, Z: planes },
    layout,
    calibrations: calibrationsOf({
      X: [uic1.x, uic1.unit],
      Y: [uic1.y, uic1.unit],
      Z: [uic2.zStep, "um"],
      T: [uic2.timeStep, "ms"],
    }),
    names: [uic1.name],
    times: isTime ? uic2.times : null,
    moment: firstMoment(uic1.created, uic2.created, tagMoment(first)),
    fileSize: tiff.file.size,
    warnings: stored.warnings,
    plane: ({ t, z }) => stored.plane(Math.max(t, z)),
  };
}

/** Names the metadata in warnings. */
const METADATA = "Metadata of MetaMorph";

interface Uic1 {
  x: number | null;
  y: number | null;
  unit: string;
  name: string | null;
  created: Moment;
}

const NO_UIC1: Readonly<Uic1> = { x: null, y: null, unit: "", name: null, created: UNDATED };

function readUic1({ tiff, first }: Opened): Uic1 {
  const result = { ...NO_UIC1 };
  const entry = first.entry(TAG.UIC1);
  // Before MetaMorph 2.5 the tag is of type RATIONAL and holds distances.
  if (entry?.type !== 4 || entry.count < 2) return result;
  const little = tiff.encoding.littleEndian;
  if (entry.count * 8 > MAX_VENDOR_BYTES) throw new DecodeFailed(`UIC1 (33628) has ${entry.count} pairs`);
  const pairs = new DataView(tiff.file.read(entry.at, entry.count * 8, "the value of UIC1 (33628)").buffer);
  let isCalibrated = true;
  for (let i = 0; i < entry.count; i += 1) {
    const id = pairs.getUint32(i * 8, little);
    const value = pairs.getUint32(i * 8 + 4, little);
    const what = `value ${id} of UIC1 (33628)`;
    const two = () => {
      const view = tiff.window.view(value, 8, what);
      return [view.getUint32(0, little), view.getUint32(4, little)] as const;
    };
    if (id === 3) isCalibrated = value !== 0;
    // An offset is 8 at least: the writer left the value out.
    if (value < 8) continue;
    if (id === 4 || id === 5) {
      const [numerator, denominator] = two();
      result[id === 4 ? "x" : "y"] = numerator / denominator;
    } else if (id === 6 || id === 7) {
      const length = tiff.window.view(value, 4, what).getUint32(0, little);
      if (length > 4096) continue;
      const view = tiff.window.view(value + 4, length, what);
      result[id === 6 ? "unit" : "name"] = decodeText(new Uint8Array(view.buffer, view.byteOffset, length));
    } else if (id === 16) {
      result.created = julianMoment(...two());
    }
  }
  // Constants that Prairie View writes to all its files.
  if (result.name === "Gattaca" && result.x === 99 && result.y === 99) {
    return { ...result, x: null, y: null, name: null };
  }
  return isCalibrated ? result : { ...result, x: null, y: null };
}

interface Uic2 {
  /** Micrometres, where every plane has a distance. */
  readonly zStep: number | null;
  /** Whether some planes have a distance and others do not. */
  readonly partial: boolean;
  /** Milliseconds, where every plane has its own time. */
  readonly timeStep: number | null;
  /** Seconds of each plane from the first, where every plane has its own time. */
  readonly times: readonly number[] | null;
  readonly created: Moment;
}

const NO_UIC2: Uic2 = { zStep: null, partial: false, timeStep: null, times: null, created: UNDATED };

function readUic2({ tiff, first }: Opened, planes: number): Uic2 {
  const entry = first.entry(TAG.UIC2);
  if (!entry || entry.count === 0) return NO_UIC2;
  const little = tiff.encoding.littleEndian;
  if (planes * 24 > MAX_VENDOR_BYTES) throw new DecodeFailed(`UIC2 (33629) declares ${planes} planes`);
  const table = new DataView(tiff.file.read(entry.at, planes * 24, "the value of UIC2 (33629)").buffer);
  const word = (plane: number, i: number) => table.getUint32(plane * 24 + i * 4, little);
  const all = Array.from({ length: planes }, (_, plane) => plane);
  const distances = all.filter((plane) => word(plane, 0) !== 0 && word(plane, 1) !== 0).length;
  const stamps = all.map((plane) => word(plane, 2) * 86_400_000 + word(plane, 3));
  const isTimed = stamps.every((stamp, i) => i === 0 || stamp !== stamps[i - 1]);
  return {
    zStep: distances === planes ? word(0, 0) / word(0, 1) : null,
    partial: distances > 0 && distances < planes,
    timeStep: isTimed ? meanStep(stamps) : null,
    times: isTimed ? timesFrom(stamps, 1000) : null,
    created: julianMoment(word(0, 2), word(0, 3)),
  };
}

/** What MetaMorph writes for 1970-01-01: the Julian day that ends at its noon. */
const UNIX_EPOCH_DAY = 2_440_587;

/** A Julian day number and milliseconds since midnight. */
function julianMoment(day: number, milliseconds: number): Moment {
  const date = new Date((day - UNIX_EPOCH_DAY) * 86_400_000);
  if (Number.isNaN(date.getTime()) || milliseconds >= 86_400_000) return UNDATED;
  const seconds = Math.floor(milliseconds / 1000);
  return moment(
    [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()],
    [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60],
  );
}

/** Calibration and date of the XML of newer versions. */
function withProperties(stack: Stack, opened: Opened, text: string): Stack {
  const root = noted(opened, METADATA, () => parseXml(text, "MetaMorph XML"));
  if (root === null) return stack;
  const properties = new Map<string, string>();
  const visit = ({ attributes: { id, value }, children }: XmlElement) => {
    if (id !== undefined && value !== undefined) properties.set(id, value);
    children.forEach(visit);
  };
  visit(root);
  const unit = properties.get("spatial-calibration-units");
  const isOn = properties.get("spatial-calibration-state") !== "off";
  const step = (letter: string) =>
    isOn ? leadingNumber(properties.get(`spatial-calibration-${letter}`)) : null;
  const written = /^(\d{4})(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)/.exec(
    properties.get("acquisition-time-local") ?? "",
  );
  const created = written
    ? moment([written[1], written[2], written[3]], [written[4], written[5], written[6]])
    : UNDATED;
  return {
    ...stack,
    calibrations: calibrationsOf({ X: [step("x"), unit], Y: [step("y"), unit] }),
    names: stack.sizes.C === 1 ? [properties.get("image-name") ?? null] : stack.names,
    moment: firstMoment(created, stack.moment),
  };
}
