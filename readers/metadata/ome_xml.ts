/** An image in OME-XML (schemas 2003 to 2016), for every format with such a document. */
import { type Calibration, convertStep, selectCalibrations } from "./axes.ts";
import { StatedNumbers } from "./stated_numbers.ts";
import { formatHexColor } from "./channels.ts";
import { chooseMoment, findMoment, type Moment } from "./moment.ts";
import { differsByPercent, numberOf } from "./text.ts";
import type { AxisLetter, TimeStamps } from "../reader.ts";
import { MAX_STAMPS, scaleStamps } from "./time_stamps.ts";
import { warnIf, type Warning } from "../warning.ts";
import { findChild, findChildren, findDescendants, type XmlElement } from "./xml.ts";

/** Name, calibration, channels and times of an `Image` element. */
export interface OmeXmlImage {
  /** Trimmed; `null` if blank. */
  readonly name: string | null;
  /** Known calibrations; units default to micrometres and seconds. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Name of each `Channel` or `LogicalChannel`, or `null`. */
  readonly names: readonly (string | null)[];
  /** `#rrggbb` of each channel, or `null`. */
  readonly colors: readonly (string | null)[];
  readonly moment: Moment;
  /** `DeltaT` of the first channel and slice, else of those with the most, one per time point; `null` without two. */
  readonly stamps: TimeStamps | null;
  readonly warnings: readonly Warning[];
}

/** Elements of an annotation that say that an axis holds another one. */
const MODULO = { T: "ModuloAlongT", C: "ModuloAlongC", Z: "ModuloAlongZ" };

/** The `Image` elements of a document; annotations about an axis within an axis become further children of their image. */
export function imagesIn(root: XmlElement): XmlElement[] {
  const images = findChildren(root, "Image");
  const annotations = findChildren(findChild(root, "StructuredAnnotations"), "XMLAnnotation")
    .filter((one) => Object.values(MODULO).some((name) => findDescendants(one, name).length > 0));
  if (annotations.length === 0) return images;
  return images.map((image) => {
    const named = [image, ...findChildren(image, "Pixels")].flatMap((one) =>
      findChildren(one, "AnnotationRef")
    );
    const ids = new Set(named.map(({ attributes }) => attributes.ID));
    const own = annotations.filter(({ attributes: { ID } }) => images.length === 1 || ids.has(ID));
    return own.length === 0 ? image : { ...image, children: [...image.children, ...own] };
  });
}

/** Warns about an axis that holds another one, such as lifetimes along T. */
function moduloWarnings(image: XmlElement, { attributes }: XmlElement): Warning[] {
  return Object.entries(MODULO).flatMap(([letter, name]) => {
    const found = findChildren(image, "XMLAnnotation").flatMap((one) => findDescendants(one, name))[0];
    const { Type = "other", TypeDescription } = found?.attributes ?? {};
    const type = TypeDescription || Type;
    const isLong = (numberOf(attributes[`Size${letter}`]) ?? 1) > 1;
    const text =
      `${letter} also holds the axis "${type}" (${name}), whose steps are served as those of ${letter}`;
    return warnIf(found !== undefined && isLong, "axes_assumed", text);
  });
}

/** Reads an `Image` element; `pixels` is its `Pixels` element. */
export function readOmeXmlImage(image: XmlElement, pixels: XmlElement): OmeXmlImage {
  const { attributes } = pixels;
  const numbers = new StatedNumbers("OME-XML");
  const doubts: Warning[] = [];
  const length = (name: string) =>
    [numbers.step(name, attributes[name]), attributes[`${name}Unit`] ?? "um"] as const;
  const dates = ["AcquisitionDate", "AcquiredDate", "CreationDate"].map((name) =>
    findChild(image, name)?.text
  );
  const channels = listChannelElements(image, pixels);
  const calibrations = selectCalibrations({
    X: length("PhysicalSizeX"),
    Y: length("PhysicalSizeY"),
    Z: length("PhysicalSizeZ"),
    T: [numbers.step("TimeIncrement", attributes.TimeIncrement), attributes.TimeIncrementUnit ?? "s"],
  }, doubts);
  const stamps = seriesStamps(pixels, numbers);
  const misplaced = focusDoubts(pixels, calibrations.Z, numbers);
  return {
    name: image.attributes.Name?.trim() || null,
    calibrations,
    names: channels.map((channel) => channel.attributes.Name ?? null),
    colors: channels.map(({ attributes }) => formatOmeColor(attributes.Color)),
    moment: chooseMoment(...dates.map(findMoment)),
    stamps,
    warnings: [...numbers.warnings, ...doubts, ...misplaced, ...moduloWarnings(image, pixels)],
  };
}

/** Warns if the positions of the first stack contradict `PhysicalSizeZ`. */
function focusDoubts(
  pixels: XmlElement,
  stated: Calibration | undefined,
  numbers: StatedNumbers,
): Warning[] {
  const last = (numberOf(pixels.attributes.SizeZ) ?? 1) - 1;
  const places = new Map<number, number>();
  for (
    const { attributes: { TheT, TheC, TheZ, PositionZ, PositionZUnit } } of findChildren(pixels, "Plane")
  ) {
    const [z, place] = [numberOf(TheZ), numbers.read("PositionZ", PositionZ)];
    // The default unit is the reference frame, which has no physical size.
    const { step, unit } = convertStep(1, PositionZUnit);
    const isFirst = numberOf(TheT) === 0 && numberOf(TheC) === 0;
    if (isFirst && z !== null && place !== null && unit === stated?.unit) places.set(z, place * step);
  }
  const [from, to] = [places.get(0), places.get(last)];
  if (stated === undefined || from === undefined || to === undefined || last < 1 || from === to) return [];
  const mean = Math.abs(to - from) / last;
  const found = `${Number(mean.toPrecision(6))} ${stated.unit} apart; the first counts`;
  const text = `OME-XML states planes ${stated.step} ${stated.unit} apart, but places them ${found}`;
  return warnIf(differsByPercent(mean, stated.step), "metadata_disagree", text);
}

/** `#rrggbb` of a signed 32-bit RGBA number (OME schema, "Color"). */
function formatOmeColor(written: string | undefined): string | null {
  const value = numberOf(written);
  if (value === null || !Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) return null;
  return formatHexColor(value >>> 24, value >>> 16, value >>> 8);
}

function seriesStamps(pixels: XmlElement, numbers: StatedNumbers): TimeStamps | null {
  const count = numberOf(pixels.attributes.SizeT) ?? 1;
  const times = readOmeStamps(pixels, numbers);
  // Some programs write the time of the first plane only.
  if (times.size < 2) return null;
  // A file may declare any number of time points. Each stamp keeps its own, so that a sparse list shows no wrong step.
  const length = Math.min(Math.trunc(count), MAX_STAMPS);
  return scaleStamps(Array.from({ length }, (_, t) => times.get(t) ?? NaN), 1, length < count);
}

/** `DeltaT` in seconds by time point: of the first channel and slice, else of those with the most. */
export function readOmeStamps(
  pixels: XmlElement,
  numbers = new StatedNumbers("OME-XML"),
): ReadonlyMap<number, number> {
  const found = new Map<string, Map<number, number>>();
  for (const { attributes: { TheT, TheC, TheZ, DeltaT, DeltaTUnit } } of findChildren(pixels, "Plane")) {
    const [t, seconds] = [
      numberOf(TheT),
      convertToSeconds(numbers.read("DeltaT", DeltaT), DeltaTUnit ?? "s"),
    ];
    if (t === null || seconds === null) continue;
    found.getOrInsertComputed(`${numberOf(TheC)} ${numberOf(TheZ)}`, () => new Map()).set(t, seconds);
  }
  const most = found.values().reduce(
    (most, one) => one.size > most.size ? one : most,
    new Map<number, number>(),
  );
  const first = found.get("0 0") ?? most;
  return first.size < 2 ? most : first;
}

function convertToSeconds(value: number | null, unit: string): number | null {
  if (value === null || value === 0) return value;
  const { step, unit: served } = convertStep(Math.abs(value), unit);
  return served === "seconds" ? Math.sign(value) * step : null;
}

/** The channels of an image; old schemas store them outside the `Pixels` element. */
export function listChannelElements(image: XmlElement, pixels: XmlElement): XmlElement[] {
  const channels = findChildren(pixels, "Channel");
  return channels.length > 0 ? channels : findChildren(image, "LogicalChannel");
}
