/**
 * MetaMorph. STK: tags UIC1 to UIC4. One directory describes all planes, which follow the first one without gaps.
 *
 *   UIC1 (33628)  pairs of id and value, or offset of the value: 4, 5 pixel size (two LONG), 6 its unit, 7 name,
 *                 16 day (Julian) and time (milliseconds) of creation; its count is the number of pairs
 *   UIC2 (33629)  six LONG per plane: distance in z (numerator, denominator), day and time of creation, of change;
 *                 its count is the number of planes
 *
 * Plain TIFF of newer versions: `<MetaData>` in ImageDescription, with `<prop id="..." value="..."/>`.
 */
import { DecodeFailed } from "../../errors.ts";
import { selectCalibrations } from "../../metadata/axes.ts";
import { chooseMoment, convertUnixTime, findMoment, type Moment, UNDATED } from "../../metadata/moment.ts";
import { StatedNumbers } from "../../metadata/stated_numbers.ts";
import { scaleStamps } from "../../metadata/time_stamps.ts";
import { parseXml, type XmlElement } from "../../metadata/xml.ts";
import { warnIf, type Warning } from "../../warning.ts";
import { readPage } from "../page.ts";
import { type OpenedTiff, readOrWarn, type Stack, tagMoment } from "../stack.ts";
import { countDeclaredPlanes } from "../stored_planes.ts";
import { MAX_VENDOR_BYTES, TAG, tagName } from "../tags.ts";
import { cutAtNul } from "../directory.ts";
import type { TiffFile } from "../tiff_file.ts";
import { openPlain } from "./plain.ts";

/** The stack of a MetaMorph file, or `null`. */
export function openMetaMorph(opened: OpenedTiff): Stack | null {
  const { tiff, first, descriptions } = opened;
  if (descriptions[0]?.trimStart().startsWith("<MetaData>")) {
    return withProperties(openPlain(opened), opened, cutAtNul(descriptions[0]));
  }
  const planes = Math.max(first.count(TAG.UIC2), 1);
  const layout = readPage(first);
  const uic1 = readOrWarn(opened.warnings, METADATA, () => readUic1(opened)) ?? NO_UIC1;
  const uic2 = readOrWarn(opened.warnings, METADATA, () => readUic2(opened, planes));
  if (uic2 === null) return null;
  const stored = countDeclaredPlanes(tiff, layout, planes);
  const isTime = uic2.zStep === null && uic2.stamps !== null;
  return {
    sizes: isTime ? { T: planes, C: 1, Z: 1 } : { T: 1, C: 1, Z: planes },
    layout,
    calibrations: selectCalibrations({
      X: [uic1.x, uic1.unit],
      Y: [uic1.y, uic1.unit],
      Z: [uic2.zStep, "um"],
    }, opened.warnings),
    names: [uic1.name || null],
    stamps: isTime ? scaleStamps(uic2.stamps, 1000) : null,
    moment: chooseMoment(uic1.created, uic2.created, tagMoment(first)),
    fileSize: tiff.file.size,
    warnings: stored.warnings,
    plane: ({ t, z }) => stored.plane(Math.max(t, z)),
  };
}

const METADATA = "Metadata of MetaMorph";

/** Pixel size with its unit, name and date. */
interface Uic1 {
  x: number | null;
  y: number | null;
  unit: string;
  name: string;
  created: Moment;
}

/** Nothing is known. */
const NO_UIC1: Uic1 = { x: null, y: null, unit: "", name: "", created: UNDATED };

function readUic1({ tiff, first, warnings }: OpenedTiff): Uic1 {
  const result = { ...NO_UIC1 };
  const entry = first.entry(TAG.UIC1);
  // Before MetaMorph 2.5 the tag is of type RATIONAL and holds distances.
  if (entry?.type !== 4 || entry.count < 2) return result;
  const { table, word } = readLongTable(tiff, TAG.UIC1, entry.at, entry.count * 8);
  let isCalibrated = true;
  /** Entries of zeros: id 0 is a flag, of which one is enough. */
  let zeros = 0;
  let isZeroByZero = false;
  for (let at = 0; at < table.byteLength; at += 8) {
    const [id, value] = [word(at), word(at + 4)];
    const what = `value ${id} of ${tagName(TAG.UIC1)}`;
    const number = (offset: number) =>
      tiff.window.view(offset, 4, what).getUint32(0, tiff.encoding.littleEndian);
    if (id === 0 && value === 0) zeros += 1;
    if (id === 3) isCalibrated = value !== 0;
    // No offset is below 8: the writer left the value out.
    if (value < 8) continue;
    if (id === 4 || id === 5) {
      const [numerator, denominator] = [number(value), number(value + 4)];
      isZeroByZero ||= denominator === 0;
      result[id === 4 ? "x" : "y"] = numerator / denominator;
    } else if (id === 16) result.created = convertJulianMoment(number(value), number(value + 4));
    else if ((id === 6 || id === 7) && number(value) <= MAX_NAME_BYTES) {
      result[id === 6 ? "unit" : "name"] = tiff.textAt(value + 4, number(value), what);
    }
  }
  warnings.push(
    ...warnIf(zeros > 1, "metadata_damaged", `${tagName(TAG.UIC1)} holds zeros in place of ${zeros} values`),
  );
  const isUnscaled = isCalibrated && [result.x, result.y].some((step) => step === 0) || isZeroByZero;
  const unscaled = `${tagName(TAG.UIC1)} gives a pixel size of 0`;
  warnings.push(...warnIf(isUnscaled, "metadata_damaged", unscaled));
  // Prairie View writes these constants to all its files.
  const isConstant = result.name === "Gattaca" && result.x === 99 && result.y === 99;
  if (isConstant) result.name = "";
  return isCalibrated && !isConstant ? result : { ...result, x: NaN, y: NaN };
}

const MAX_NAME_BYTES = 4096;

/** A table of LONG at an offset. @throws {DecodeFailed} the table is too long, or lies outside the file */
function readLongTable({ file, encoding }: TiffFile, tag: number, at: number, length: number) {
  if (length > MAX_VENDOR_BYTES) throw new DecodeFailed(`${tagName(tag)} has ${length} bytes`);
  const table = new DataView(file.read(at, length, `the value of ${tagName(tag)}`).buffer);
  return { table, word: (at: number) => table.getUint32(at, encoding.littleEndian) };
}

/** The distance in micrometres, if every plane has one, and milliseconds, if every plane has a time and time passes between some. */
function readUic2({ tiff, first, warnings }: OpenedTiff, planes: number) {
  const entry = first.entry(TAG.UIC2);
  if (!entry || entry.count === 0) return { zStep: null, stamps: null, created: UNDATED };
  const { word } = readLongTable(tiff, TAG.UIC2, entry.at, planes * 24);
  const all = Array.from({ length: planes }, (_, plane) => plane * 24);
  const distances = all.filter((at) => word(at) !== 0 && word(at + 4) !== 0).length;
  const stamps = all.map((at) => word(at + 8) * 86_400_000 + word(at + 12));
  const isBlank = planes > 1 && all.every((at) => [0, 4, 8, 12].every((field) => word(at + field) === 0));
  warnings.push(...warnIf(isBlank, "metadata_damaged", `${tagName(TAG.UIC2)} holds nothing but zeros`));
  // Times of a coarse clock repeat; those of a stack that was recorded at once are all alike.
  const isTimed = stamps.every((stamp) => stamp !== 0) && new Set(stamps).size > 1;
  const text = `${tagName(TAG.UIC2)} gives a distance to some of the planes, not to all`;
  warnings.push(...warnIf(distances > 0 && distances < planes, "metadata_missing", text));
  return {
    zStep: distances === planes ? word(0) / word(4) : null,
    stamps: isTimed ? stamps : null,
    created: convertJulianMoment(word(8), word(12)),
  };
}

/** MetaMorph's number for 1970-01-01: the Julian day that ends at noon of that day. */
const UNIX_EPOCH_DAY = 2_440_587;

const convertJulianMoment = (day: number, milliseconds: number): Moment =>
  milliseconds < 86_400_000 ? convertUnixTime((day - UNIX_EPOCH_DAY) * 86_400_000 + milliseconds) : UNDATED;

function withProperties(stack: Stack, opened: OpenedTiff, text: string): Stack {
  const root = readOrWarn(opened.warnings, METADATA, () => parseXml(text, "MetaMorph XML"));
  if (root === null) return stack;
  const properties = new Map<string, string>();
  const visit = ({ attributes: { id, value }, children }: XmlElement) => {
    if (id !== undefined && value !== undefined) properties.set(id, value);
    children.forEach(visit);
  };
  visit(root);
  const unit = properties.get("spatial-calibration-units");
  const isOn = properties.get("spatial-calibration-state") !== "off";
  const numbers = new StatedNumbers("MetaMorph XML");
  const step = (letter: string) => {
    const name = `spatial-calibration-${letter}`;
    return isOn ? numbers.leading(name, properties.get(name)) : null;
  };
  const doubts: Warning[] = [];
  return {
    ...stack,
    calibrations: selectCalibrations({ X: [step("x"), unit], Y: [step("y"), unit] }, doubts),
    warnings: [...stack.warnings, ...numbers.warnings, ...doubts],
    names: stack.sizes.C === 1 ? [properties.get("image-name") ?? null] : stack.names,
    moment: chooseMoment(findMoment(properties.get("acquisition-time-local")), stack.moment),
  };
}
