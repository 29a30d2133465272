/** The bioformats2raw layout: the series of a group, their OME-XML, and the layout that an image belongs to. */
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { type OmeXmlImage, omeXmlImage } from "../metadata/ome_xml.ts";
import { child, children, parseXml } from "../metadata/xml.ts";
import { unlessLost, type Warning } from "../warning.ts";
import { holdsAttributes, omeAttributes, readNode, type ZarrNode } from "./hierarchy.ts";
import { keyBelow, readValue, type Store, storeKey } from "./store.ts";

/** Images of one layout, 500 bytes of heap each; a plate has some thousand. */
const MAX_SERIES = 100_000;

/** A node and its path inside the store. */
export interface PlacedNode {
  /** Path inside the store. */
  readonly path: string;
  /** The node at the path. */
  readonly node: ZarrNode;
}

/** One series of a layout. */
export interface Series {
  /** Path of its image inside the store. */
  readonly path: string;
  /** Index among the declared series, which is that of its `Image` in the OME-XML. */
  readonly index: number;
}

/** The series of a layout. */
export interface LayoutSeries {
  /** Existing ones, in declared order. */
  readonly series: readonly Series[];
  /** Names of declared ones that do not exist. */
  readonly absent: readonly string[];
}

/** Version of the layout of a group, or `undefined`. */
export const layoutVersion = (node: ZarrNode): unknown =>
  omeAttributes(node)["bioformats2raw.layout"] ?? node.attributes["bioformats2raw.layout"];

/**
 * Finds the series of a layout: those that its `OME` group lists, or else 0, 1, 2 and so on while they exist.
 *
 * @param images number of images in the OME-XML
 * @throws {DecodeFailed} more than {@linkcode MAX_SERIES}
 */
export function layoutSeries(store: Store, path: string, images: number): LayoutSeries {
  const listed = listedSeries(store, path);
  const series: Series[] = [];
  const absent: string[] = [];
  for (let index = 0; index < (listed?.length ?? Infinity); index += 1) {
    if (index >= MAX_SERIES) throw new DecodeFailed(`the layout has more than ${MAX_SERIES} series`);
    const name = listed?.[index] ?? String(index);
    const key = storeKey(path, name);
    if (key !== null && holdsAttributes(store, key)) series.push({ path: key, index });
    else if (listed || index < images) absent.push(name);
    else break;
  }
  return { series, absent };
}

/** Series that the `OME` group of a layout lists, or `null`. */
function listedSeries(store: Store, path: string): string[] | null {
  const group = readNode(store, keyBelow(path, "OME"));
  const series: unknown = group ? omeAttributes(group)["series"] : null;
  const names = Array.isArray(series) ? series.filter((name) => typeof name === "string") : [];
  return names.length > 0 ? names : null;
}

/** The layout that an image belongs to. */
export interface SeriesPlace {
  /** Path of the layout. */
  readonly layout: string;
  /** Index of the series. */
  readonly index: number;
}

/** Versions of the layout; the first two keep the OME-XML elsewhere. */
const LAYOUTS: readonly unknown[] = [1, 2, 3];

/**
 * Finds an image in the nearest layout above it, which may be a plate; `null` without a layout.
 *
 * @param path of the image
 * @param nearest lowest candidate, already read; the parent of the image by default
 */
export function seriesPlace(store: Store, path: string, nearest?: PlacedNode): SeriesPlace | null {
  if (path === "") return { layout: "", index: 0 };
  const segments = path.split("/");
  const depth = nearest === undefined ? segments.length - 1 : keyLength(nearest.path);
  for (let length = depth; length >= 0; length -= 1) {
    const layout = segments.slice(0, length).join("/");
    const node = nearest?.path === layout ? nearest.node : readNode(store, layout);
    if (!node || !LAYOUTS.includes(layoutVersion(node))) continue;
    const name = segments.slice(length).join("/");
    const listed = listedSeries(store, layout)?.indexOf(name) ?? -1;
    const index = listed >= 0 ? listed : /^\d{1,6}$/.test(name) ? Number(name) : null;
    return index === null ? null : { layout, index };
  }
  return null;
}

const keyLength = (key: string) => key === "" ? 0 : key.split("/").length;

/** Key of the OME-XML of the layout at a path. */
export const omeXmlKey = (path: string): string => keyBelow(path, "OME", "METADATA.ome.xml");

/**
 * Reads the OME-XML of a layout: one image per series, `null` without pixels. A missing or damaged document, the latter with a
 * warning, gives an empty list.
 */
export function readOmeXml(store: Store, path: string, warnings: Warning[]): (OmeXmlImage | null)[] {
  const key = omeXmlKey(path);
  return unlessLost(warnings, "The OME metadata", () => {
    const bytes = readValue(store, key, MAX_XML_BYTES);
    if (bytes === null) return null;
    const root = parseXml(new TextDecoder().decode(bytes), `"${key}"`);
    return children(root, "Image").map((image) => {
      const pixels = child(image, "Pixels");
      return pixels ? omeXmlImage(image, pixels) : null;
    });
  }) ?? [];
}
