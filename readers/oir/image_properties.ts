/** The image properties document: channels, pixel size, axes, scanner, date and the scanned line. */
import { calibrated, type Calibration, UNCALIBRATED } from "../axes.ts";
import { child, children, descendant, type XmlElement } from "../xml.ts";
import { definedSize, elements } from "./frame_documents.ts";
import { numberIn } from "./documents.ts";

/** A channel as it is configured; it need not have been recorded. */
export interface ConfiguredChannel {
  readonly id: string;
  readonly name: string | null;
}

/** An axis of the acquisition. */
export interface ConfiguredAxis {
  /** Micrometres for `ZSTACK`, nanometres for `LAMBDA`; 0 for a time series that runs free. */
  readonly step: number | null;
  /** Number of steps that were intended. */
  readonly maxSize: number | null;
}

/** `[x1, y1, x2, y2]` in pixels of the reference image, start to end. */
export type Line = readonly [number, number, number, number];

/** What the acquisition says of itself; `null` and empty where it says nothing. */
export interface ImageProperties {
  /** ISO 8601 as the microscope wrote it. */
  readonly created: string | null;
  /** In the order of their `order` attributes. */
  readonly channels: readonly ConfiguredChannel[];
  /** Size of one pixel. */
  readonly pixel: { readonly x: Calibration; readonly y: Calibration };
  /** Enabled axes by type: `TIMELAPSE`, `ZSTACK`, `LAMBDA`. */
  readonly axes: ReadonlyMap<string, ConfiguredAxis>;
  /** Milliseconds from one image of the series to the next, of the scanner in use. */
  readonly seriesInterval: number | null;
  /** The same of every scanner that is described. */
  readonly seriesIntervals: readonly number[];
  /** Size of the overview frame. */
  readonly overview: { readonly width: number; readonly height: number } | null;
  readonly line: Line | null;
}

/** Properties of a file that has no such document. */
export const NO_PROPERTIES: ImageProperties = {
  created: null,
  channels: [],
  pixel: { x: UNCALIBRATED, y: UNCALIBRATED },
  axes: new Map(),
  seriesInterval: null,
  seriesIntervals: [],
  overview: null,
  line: null,
};

/** Reads the properties from the root of their document. */
export function imageProperties(root: XmlElement): ImageProperties {
  const acquisition = descendant(root, "acquisition");
  const scanner = scannerInUse(acquisition);
  return {
    created: descendant(root, "creationDateTime")?.text || null,
    channels: channelsOf(root),
    pixel: pixelSize(root, acquisition),
    axes: axesIn(root, acquisition),
    seriesInterval: numberIn(scanner && descendant(scanner, "seriesInterval")),
    seriesIntervals: seriesIntervals(root),
    overview: overviewSize(scanner),
    line: scannedLine(root),
  };
}

/**
 * The last copy of the properties, completed from the first: that one is a snapshot after the first frame. The
 * scanned line is taken from the snapshot, which describes what was drawn before the scan.
 */
export function mergeProperties(first: ImageProperties, last: ImageProperties): ImageProperties {
  const ids = new Set(last.channels.map((c) => c.id));
  return {
    created: last.created ?? first.created,
    channels: [...last.channels, ...first.channels.filter((c) => !ids.has(c.id))],
    pixel: last.pixel.x.unit === "Pixels" ? first.pixel : last.pixel,
    axes: new Map([...first.axes, ...last.axes]),
    seriesInterval: last.seriesInterval ?? first.seriesInterval,
    seriesIntervals: [...last.seriesIntervals, ...first.seriesIntervals],
    overview: last.overview ?? first.overview,
    line: first.line ?? last.line,
  };
}

/** Every interval that a document states, in milliseconds. */
export function seriesIntervals(root: XmlElement): number[] {
  return elements(root, "seriesInterval").map(numberIn).filter((v) => v !== null);
}

function channelsOf(root: XmlElement): ConfiguredChannel[] {
  const byId = new Map<string, { id: string; name: string | null; order: number }>();
  for (const element of elements(root, "channel")) {
    const id = element.attributes.id?.trim();
    if (!id) continue;
    const name = child(element, "name")?.text || null;
    const known = byId.get(id);
    if (known) known.name ??= name;
    else byId.set(id, { id, name, order: integer(element.attributes.order) });
  }
  return [...byId.values()].sort((a, b) => a.order - b.order).map(({ id, name }) => ({ id, name }));
}

function integer(text: string | undefined): number {
  const value = Number(text ?? 0);
  return Number.isSafeInteger(value) ? value : 0;
}

/** `MICRO_METER` and its like. */
const lengthUnit = (element: XmlElement | undefined) => (element?.text || "MICRO_METER").replaceAll("_", "");

function pixelSize(root: XmlElement, acquisition: XmlElement | undefined): ImageProperties["pixel"] {
  const holder = holderOf(root, (c) => c.name === "length" && child(c, "x") !== undefined);
  const length = children(holder, "length").find((c) => child(c, "x"));
  const unit = child(holder, "pixelUnit");
  const factor = child(descendant(acquisition, "microscopeConfiguration"), "pixelCalibration");
  const resolution = child(descendant(acquisition, "imagingParam"), "pixelResolution");
  const along = (letter: "x" | "y"): Calibration => {
    const stated = numberIn(child(length, letter));
    if (stated !== null && stated > 0) {
      return calibrated(stated * (numberIn(child(factor, letter)) ?? 1), lengthUnit(child(unit, letter)));
    }
    return calibrated(numberIn(child(resolution, letter)), "um");
  };
  const x = along("x");
  const y = along("y");
  return { x, y: y.unit === "Pixels" ? x : y };
}

/** First element in document order that has a child for which `wanted` holds. */
function holderOf(element: XmlElement, wanted: (child: XmlElement) => boolean): XmlElement | undefined {
  for (const c of element.children) {
    if (wanted(c)) return element;
    const below = holderOf(c, wanted);
    if (below) return below;
  }
  return undefined;
}

/** Axes that were enabled before the scan, then those that the final copy says were acquired. */
function axesIn(root: XmlElement, acquisition: XmlElement | undefined): Map<string, ConfiguredAxis> {
  const on = (text: string | undefined) => text?.trim().toLowerCase() === "true" || text?.trim() === "1";
  const configured = children(descendant(acquisition, "imagingParam"), "axis").filter((axis) =>
    on(axis.attributes.enable) &&
    (axis.attributes.paramEnable === undefined || on(axis.attributes.paramEnable))
  );
  const axes = new Map<string, ConfiguredAxis>();
  for (const axis of [...configured, ...children(descendant(root, "imageInfo"), "axis")]) {
    const type = child(axis, "axis")?.text;
    if (!type || axes.has(type)) continue;
    axes.set(type, { step: numberIn(child(axis, "step")), maxSize: numberIn(child(axis, "maxSize")) });
  }
  return axes;
}

/** Settings of the scanner in use; of the only one when the file does not say which it is. */
function scannerInUse(acquisition: XmlElement | undefined): XmlElement | undefined {
  const settings = acquisition ? elements(acquisition, "scannerSettings") : [];
  const type = descendant(acquisition, "scannerType")?.text;
  return settings.find((s) => s.attributes.type === type) ??
    (settings.length === 1 ? settings[0] : undefined);
}

function overviewSize(scanner: XmlElement | undefined): ImageProperties["overview"] {
  const size = descendant(scanner, "imageSize");
  return size ? definedSize(size) : null;
}

/** Kinds of regions that are no straight line. */
const OTHER_SHAPE = /rect|ellip|circ|poly|free|multi|point|curve/i;

function scannedLine(root: XmlElement): Line | null {
  const ends = ["x1", "y1", "x2", "y2"] as const;
  const isLine = (c: XmlElement) =>
    c.name === "coordinates" && ends.every((end) => c.attributes[end] !== undefined);
  const region = holderOf(root, isLine);
  if (!region || OTHER_SHAPE.test(region.attributes.type ?? "")) return null;
  const { attributes } = region.children.find(isLine)!;
  const [x1, y1, x2, y2] = ends.map((end) => attributes[end]!.trim() === "" ? NaN : Number(attributes[end]));
  const line = [x1!, y1!, x2!, y2!] as const;
  return line.every(Number.isFinite) ? line : null;
}

/** Length of a line in pixels. */
export const lineLength = ([x1, y1, x2, y2]: Line): number => Math.hypot(x2 - x1, y2 - y1);
