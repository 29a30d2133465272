/** The image properties document: channels, pixel size, axes, scanner, date and the scanned line. */
import type { Warning } from "../warning.ts";
import { type Calibration, convertStep } from "../metadata/axes.ts";
import { COLOURS } from "../metadata/channels.ts";
import { StatedNumbers } from "../metadata/stated_numbers.ts";
import { numberOf } from "../metadata/text.ts";
import {
  findChild,
  findChildren,
  findDescendant,
  findDescendants,
  type XmlElement,
} from "../metadata/xml.ts";
import { findDefinedSize, findElementNumber, type ImageSize } from "./documents.ts";

/** One channel in the image properties. */
export interface DescribedChannel {
  readonly name: string | null;
  /** Its `order` among the channels as written; `null` if missing. */
  readonly order: string | null;
  /** Whether the document lists it as recorded, not only as configured. */
  readonly recorded: boolean;
  /** Ids of the components of a colour channel; its pixels are stored under these ids. */
  readonly components: readonly string[];
}

/** Channels by id, in the order of their `order` attributes. If an id repeats, its first element counts. */
function readOirChannels(root: XmlElement): ReadonlyMap<string, DescribedChannel> {
  const recorded = new Set(
    findDescendants(findDescendant(root, "imageInfo"), "channel").map(({ attributes }) =>
      attributes.id?.trim()
    ),
  );
  const byId = new Map<string, DescribedChannel>();
  for (const element of findDescendants(root, "channel")) {
    const id = element.attributes.id?.trim();
    if (!id) continue;
    const name = findChild(element, "name")?.text || null;
    const components = findDescendants(element, "elementChannel").flatMap(({ attributes }) =>
      attributes.id?.trim() ?? []
    );
    const known = byId.get(id);
    byId.set(
      id,
      known
        ? { ...known, name: known.name ?? name, components: [...known.components, ...components] }
        : { name, order: element.attributes.order ?? null, recorded: recorded.has(id), components },
    );
  }
  const placeOf = ({ order }: DescribedChannel) => Number.isSafeInteger(Number(order)) ? Number(order) : 0;
  return new Map([...byId].sort(([, a], [, b]) => placeOf(a) - placeOf(b)));
}

/** Content of the documents about camera channels. */
export interface CameraChannels {
  /** Names by component id; colours are `Red`, `Green`, `Blue`. */
  readonly names: ReadonlyMap<string, string>;
  /** Bytes per sample: 1, 2, 4 or `null`. */
  readonly depth: number | null;
}

/** Reads camera channel documents. The first document that names a component counts. */
export function readCameraChannels(roots: readonly XmlElement[]): CameraChannels {
  const components = roots.flatMap((root) => findDescendants(root, "elementChannel"));
  const names = new Map<string, string>();
  for (const component of components) {
    const id = component.attributes.id?.trim() || findChild(component, "id")?.text;
    const written = findChild(component, "name")?.text;
    if (!id || !written || names.has(id)) continue;
    const colour = COLOURS.find((one) =>
      [one, one[0]].some((c) => c?.toLowerCase() === written.toLowerCase())
    );
    names.set(id, colour ?? written);
  }
  const depth = components.map((c) => findElementNumber(findChild(c, "depth"))).find((d) =>
    d === 1 || d === 2 || d === 4
  );
  return { names, depth: depth ?? null };
}

/** An axis of the acquisition. */
export interface ConfiguredAxis {
  /** Micrometres for `ZSTACK`, nanometres for `LAMBDA`; 0 for a free-running time series. */
  readonly step: number | null;
  readonly maxSize: number | null;
}

/** `[x1, y1, x2, y2]` in pixels of the reference image, start to end. */
export type Line = readonly [number, number, number, number];

/** Facts about the acquisition; `null` or empty if the file does not state them. */
export interface ImageProperties {
  /** ISO 8601 as the microscope wrote it. */
  readonly created: string | null;
  /** Configured channels by id, recorded or not, in the order of their `order` attributes. */
  readonly channels: ReadonlyMap<string, DescribedChannel>;
  readonly pixel: { readonly x: Calibration; readonly y: Calibration };
  /** Axes by type: `TIMELAPSE`, `ZSTACK`, `LAMBDA`; `null` for an axis that is described but not enabled. */
  readonly axes: ReadonlyMap<string, ConfiguredAxis | null>;
  /** Milliseconds from one image of the series to the next, for the scanner in use. */
  readonly seriesInterval: number | null;
  /** The same interval for every described scanner. */
  readonly seriesIntervals: readonly number[];
  /** Pixel dwell time of the scanner in use, in microseconds. */
  readonly pixelTime: number | null;
  /** Whether the scanner in use scans every second line backwards. */
  readonly roundtrip: boolean | null;
  readonly overview: ImageSize | null;
  readonly region: boolean;
  /** Line of a line scan in pixels of the reference image, or `null`. */
  readonly line: Line | null;
  /** About numbers. */
  readonly warnings: readonly Warning[];
}

/** Reads the properties from the root of their document. */
export function readImageProperties(root: XmlElement): ImageProperties {
  const acquisition = findDescendant(root, "acquisition");
  const scanners = findDescendants(acquisition, "scannerSettings");
  const inUse = findDescendant(acquisition, "scannerType")?.text;
  const scanner = scanners.find(({ attributes }) => attributes.type === inUse) ??
    (scanners.length === 1 ? scanners[0] : undefined);
  const roundtrip = findDescendant(scanner, "roundtrip")?.text.toLowerCase();
  const size = findDescendant(scanner, "imageSize");
  const numbers = new StatedNumbers("The image properties");
  const found: Omit<ImageProperties, "warnings"> = {
    created: findDescendant(root, "creationDateTime")?.text || null,
    channels: readOirChannels(root),
    pixel: readPixelSize(root, acquisition, numbers),
    axes: readAxes(root, acquisition, numbers),
    seriesInterval: findElementNumber(findDescendant(scanner, "seriesInterval"), numbers),
    seriesIntervals: listSeriesIntervals(root),
    pixelTime: findElementNumber(findDescendant(findDescendant(scanner, "speed"), "speed"), numbers),
    roundtrip: roundtrip === "true" ? true : roundtrip === "false" ? false : null,
    overview: size ? findDefinedSize(size) : null,
    ...readDrawnRegion(root),
  };
  return { ...found, warnings: numbers.warnings };
}

/** All intervals stated in a document, in milliseconds. */
export function listSeriesIntervals(root: XmlElement): number[] {
  return findDescendants(root, "seriesInterval").map((element) => findElementNumber(element)).filter((v) =>
    v !== null
  );
}

function readPixelSize(
  root: XmlElement,
  acquisition: XmlElement | undefined,
  numbers: StatedNumbers,
): ImageProperties["pixel"] {
  const holder = findElementWith(root, (c) => c.name === "length" && findChild(c, "x") !== undefined);
  const length = findChildren(holder, "length").find((c) => findChild(c, "x"));
  const unit = findChild(holder, "pixelUnit");
  const factor = findChild(findDescendant(acquisition, "microscopeConfiguration"), "pixelCalibration");
  const resolution = findChild(findDescendant(acquisition, "imagingParam"), "pixelResolution");
  const along = (letter: "x" | "y"): Calibration => {
    const stated = findElementNumber(findChild(length, letter), numbers);
    if (stated !== null && stated > 0) {
      const written = findChild(unit, letter)?.text || "MICRO_METER";
      return convertStep(
        stated * (findElementNumber(findChild(factor, letter), numbers) ?? 1),
        written.replaceAll("_", ""),
      );
    }
    return convertStep(findElementNumber(findChild(resolution, letter), numbers), "um");
  };
  const [x, y] = [along("x"), along("y")];
  return { x, y: y.unit === "Pixels" ? x : y };
}

/** The first element in document order with a child that is `wanted`. */
function findElementWith(
  element: XmlElement,
  wanted: (child: XmlElement) => boolean,
): XmlElement | undefined {
  for (const c of element.children) {
    if (wanted(c)) return element;
    const below = findElementWith(c, wanted);
    if (below) return below;
  }
  return undefined;
}

/** Axes that were enabled before the scan, then those that the final copy lists as acquired. */
function readAxes(
  root: XmlElement,
  acquisition: XmlElement | undefined,
  numbers: StatedNumbers,
): ImageProperties["axes"] {
  const on = (text: string | undefined) => text?.trim().toLowerCase() === "true" || text?.trim() === "1";
  const off = (text: string | undefined) => text?.trim().toLowerCase() === "false";
  const axes = new Map<string, ConfiguredAxis | null>();
  const add = (axis: XmlElement, enabled: boolean) => {
    const type = findChild(axis, "axis")?.text;
    if (!type || axes.get(type)) return;
    const [step, maxSize] = [
      findElementNumber(findChild(axis, "step"), numbers),
      findElementNumber(findChild(axis, "maxSize"), numbers),
    ];
    axes.set(type, enabled ? { step, maxSize } : null);
  };
  for (const axis of findChildren(findDescendant(acquisition, "imagingParam"), "axis")) {
    add(axis, on(axis.attributes.enable) && !off(axis.attributes.paramEnable));
  }
  for (const axis of findChildren(findDescendant(root, "imageInfo"), "axis")) {
    add(axis, !off(axis.attributes.enable));
  }
  return axes;
}

/** Matches attributes and elements of a region that name its kind, and kinds other than straight lines. */
const SHAPE_NAME = /^(?:\w*type|\w*shape)$/i;
const OTHER_SHAPE = /rect|ellip|circ|poly|free|multi|point|curve/i;

function readDrawnRegion(root: XmlElement): Pick<ImageProperties, "region" | "line"> {
  const ends = ["x1", "y1", "x2", "y2"] as const;
  const hasEnds = (c: XmlElement) =>
    c.name === "coordinates" && ends.every((end) => c.attributes[end] !== undefined);
  const holder = findElementWith(root, hasEnds);
  if (!holder) return { region: findDescendant(root, "coordinates") !== undefined, line: null };
  const shapes = [
    ...Object.entries(holder.attributes),
    ...holder.children.map(({ name, text }) => [name, text] as const),
  ].filter(([name]) => SHAPE_NAME.test(name));
  if (shapes.some(([, shape]) => OTHER_SHAPE.test(shape))) return { region: true, line: null };
  const attributes = holder.children.find(hasEnds)?.attributes ?? {};
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN] = ends.map((end) => numberOf(attributes[end]) ?? NaN);
  const line = [x1, y1, x2, y2] as const;
  return { region: true, line: line.every(Number.isFinite) ? line : null };
}

/**
 * The last copy of the properties, completed from the first, which is a snapshot after the first frame. The
 * scanned line is taken from the first copy, which describes what was drawn before the scan.
 */
export function mergeProperties(first: ImageProperties, last: ImageProperties): ImageProperties {
  const channels = new Map(last.channels);
  for (const [id, channel] of first.channels) {
    const known = channels.get(id);
    channels.set(id, known ? { ...known, name: known.name ?? channel.name } : channel);
  }
  return {
    created: last.created ?? first.created,
    channels,
    pixel: last.pixel.x.unit === "Pixels" ? first.pixel : last.pixel,
    axes: new Map([...first.axes, ...last.axes]),
    seriesInterval: last.seriesInterval ?? first.seriesInterval,
    seriesIntervals: [...last.seriesIntervals, ...first.seriesIntervals],
    pixelTime: last.pixelTime ?? first.pixelTime,
    roundtrip: last.roundtrip ?? first.roundtrip,
    overview: last.overview ?? first.overview,
    region: first.region || last.region,
    line: first.line ?? last.line,
    warnings: last.warnings.length > 0 ? last.warnings : first.warnings,
  };
}

/** Properties of a file that has no such document. */
export const NO_PROPERTIES: ImageProperties = readImageProperties(
  { name: "", attributes: {}, children: [], text: "" },
);
