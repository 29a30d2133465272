/**
 * MetaMorph. STK: tags UIC1 to UIC4; one directory stands for all planes, which follow the first without gaps.
 *
 *   UIC1 (33628)  pairs of id and value, or offset of the value: 4, 5 pixel size (two LONG), 6 its unit, 7 name,
 *                 16 day (Julian) and time (milliseconds) of creation; counted in pairs
 *   UIC2 (33629)  six LONG per plane: distance in z (numerator, denominator), day and time of creation, of change;
 *                 counted in planes
 *
 * Plain TIFF of newer versions: `<MetaData>` in ImageDescription, as `<prop id="..." value="..."/>`.
 */
import { DecodeFailed, reasonOf } from "../../errors.ts";
import { parseXml, type XmlElement } from "../../metadata/xml.ts";
import { MAX_PLANES, MAX_VENDOR_BYTES } from "../bounds.ts";
import { readPage } from "../page.ts";
import { openPlain } from "./plain.ts";
import { calibrationsOf } from "../../metadata/axes.ts";
import { countWarnings, isRun, stackedPlanes } from "../stored_planes.ts";
import { firstMoment, type Moment, moment, UNDATED } from "../../metadata/moment.ts";
import { noted, type Opened, tagMoment } from "../opened.ts";
import { leadingNumber } from "../../metadata/numbers.ts";
import { meanStep, timesFrom } from "../../metadata/time_stamps.ts";
import { warning } from "../../warning.ts";
import type { Stack } from "../stack.ts";
import { TAG, tagName } from "../tags.ts";
import { decodeText, upToNul } from "../text.ts";

/** The stack of a MetaMorph file, or `null`. */
export function openMetaMorph(opened: Opened): Stack | null {
  const { tiff, first, descriptions } = opened;
  if (descriptions[0]?.trimStart().startsWith("<MetaData>")) {
    return withProperties(openPlain(opened), upToNul(descriptions[0]));
  }
  if (!first.has(TAG.UIC1) && !first.has(TAG.UIC2)) return null;
  const planes = Math.max(first.count(TAG.UIC2), 1);
  const layout = readPage(first);
  for (const tag of [TAG.UIC1, TAG.UIC2, TAG.UIC3]) {
    const at = first.entry(tag)?.at;
    if (at !== undefined) tiff.structures.claim(at, at + 8, `the value of ${tagName(tag)}`);
  }
  const uic1 = noted(opened, "Metadata of MetaMorph", () => readUic1(opened)) ?? NO_UIC1;
  const uic2 = noted(opened, "Metadata of MetaMorph", () => readUic2(opened, planes));
  if (uic2 === null) return null;
  if (uic2.partial) {
    opened.warnings.push(
      warning("metadata_missing", "UIC2 (33629) gives a distance to some of the planes, not to all"),
    );
  }
  const counted = first.count(TAG.UIC3);
  if (counted > 0 && counted !== planes) {
    opened.warnings.push(
      warning("metadata_disagree", `UIC2 (33629) counts ${planes} planes, but UIC3 (33630) ${counted}`),
    );
  }
  const run = isRun(tiff, layout, planes);
  const stored = stackedPlanes(tiff, layout, run);
  const axis = uic2.zStep !== null ? "Z" : uic2.timeStep !== null ? "T" : "Z";
  return {
    sizes: { T: axis === "T" ? planes : 1, C: 1, Z: axis === "Z" ? planes : 1 },
    layout,
    calibrations: calibrationsOf({
      X: [uic1.x, uic1.unit],
      Y: [uic1.y, uic1.unit],
      Z: [uic2.zStep, "um"],
      T: [uic2.timeStep, "ms"],
    }),
    names: [uic1.name],
    times: axis === "T" ? uic2.times : null,
    moment: firstMoment(uic1.created, uic2.created, tagMoment(first)),
    fileSize: tiff.file.size,
    warnings: countWarnings(tiff, layout, planes, run),
    plane: ({ t, z }) => stored.plane(Math.max(t, z)),
  };
}

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
  const table = tiff.file.read(entry.at, entry.count * 8, "the value of UIC1 (33628)");
  const pairs = new DataView(table.buffer);
  let calibrated = true;
  for (let i = 0; i < entry.count; i += 1) {
    const id = pairs.getUint32(i * 8, little);
    const value = pairs.getUint32(i * 8 + 4, little);
    const two = () => {
      const view = tiff.window.view(value, 8, `value ${id} of UIC1 (33628)`);
      return [view.getUint32(0, little), view.getUint32(4, little)] as const;
    };
    if (id === 3) calibrated = value !== 0;
    // A value below 8 cannot be an offset: the writer left it out.
    if (value < 8) continue;
    if (id === 4 || id === 5) {
      const [numerator, denominator] = two();
      result[id === 4 ? "x" : "y"] = numerator / denominator;
    } else if (id === 6 || id === 7) {
      const length = tiff.window.view(value, 4, `value ${id} of UIC1 (33628)`).getUint32(0, little);
      if (length > 4096) continue;
      const view = tiff.window.view(value + 4, length, `value ${id} of UIC1 (33628)`);
      const text = decodeText(new Uint8Array(view.buffer, view.byteOffset, length));
      if (id === 6) result.unit = text;
      else result.name = text;
    } else if (id === 16) {
      result.created = julianMoment(...two());
    }
  }
  // Prairie View writes constants to every file of it.
  if (result.name === "Gattaca" && result.x === 99 && result.y === 99) {
    return { ...result, x: null, y: null, name: null };
  }
  return calibrated ? result : { ...result, x: null, y: null };
}

interface Uic2 {
  /** Micrometres, where every plane has a distance. */
  zStep: number | null;
  /** True where some planes have a distance and others none. */
  partial: boolean;
  /** Milliseconds, where every plane has a time of its own. */
  timeStep: number | null;
  /** Seconds of each plane from the first. */
  times: number[] | null;
  created: Moment;
}

function readUic2({ tiff, first }: Opened, planes: number): Uic2 {
  const entry = first.entry(TAG.UIC2);
  if (!entry || entry.count === 0) {
    return { zStep: null, partial: false, timeStep: null, times: null, created: UNDATED };
  }
  if (planes > MAX_PLANES) {
    throw new DecodeFailed(`UIC2 (33629) declares ${planes} planes, more than ${MAX_PLANES}`);
  }
  const little = tiff.encoding.littleEndian;
  if (planes * 24 > MAX_VENDOR_BYTES) throw new DecodeFailed(`UIC2 (33629) declares ${planes} planes`);
  const table = new DataView(tiff.file.read(entry.at, planes * 24, "the value of UIC2 (33629)").buffer);
  const word = (plane: number, i: number) => table.getUint32(plane * 24 + i * 4, little);
  const milliseconds = (plane: number) => word(plane, 2) * 86_400_000 + word(plane, 3);
  let distances = 0;
  for (let plane = 0; plane < planes; plane += 1) {
    if (word(plane, 0) !== 0 && word(plane, 1) !== 0) distances += 1;
  }
  const stamps = Array.from({ length: planes }, (_, plane) => milliseconds(plane));
  const distinct = stamps.every((stamp, i) => i === 0 || stamp !== stamps[i - 1]);
  return {
    zStep: distances === planes ? word(0, 0) / word(0, 1) : null,
    partial: distances > 0 && distances < planes,
    timeStep: distinct ? meanStep(stamps) : null,
    times: distinct ? timesFrom(stamps, 1000) : null,
    created: julianMoment(word(0, 2), word(0, 3)),
  };
}

/** What MetaMorph writes for 1970-01-01: the Julian day that ends, not the one that begins, at its noon. */
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

/** Calibration and date of the XML of newer versions; damaged XML is a warning. */
function withProperties(stack: Stack, text: string): Stack {
  const properties = new Map<string, string>();
  const visit = (element: XmlElement) => {
    const { id, value } = element.attributes;
    if (id !== undefined && value !== undefined) properties.set(id, value);
    element.children.forEach(visit);
  };
  try {
    visit(parseXml(text, "MetaMorph XML"));
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    return {
      ...stack,
      warnings: [
        ...stack.warnings,
        warning("metadata_damaged", `Metadata of MetaMorph cannot be read: ${reasonOf(error)}`),
      ],
    };
  }
  const unit = properties.get("spatial-calibration-units");
  const on = properties.get("spatial-calibration-state") !== "off";
  const step = (letter: string) => on ? leadingNumber(properties.get(`spatial-calibration-${letter}`)) : null;
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
