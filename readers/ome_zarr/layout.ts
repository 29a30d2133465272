/** The bioformats2raw layout: which series a group holds, and which series of which layout an image is. */
import { DecodeFailed } from "../errors.ts";
import { holdsAttributes, omeAttributes, readNode, type ZarrNode } from "./hierarchy.ts";
import { keyBelow, type Store, storeKey } from "./store.ts";

/** Images of one layout, 500 bytes of heap each with their name; a plate of images has some thousand. */
const MAX_SERIES = 100_000;

/** A group that was read. */
export interface PlacedNode {
  /** Path inside the store. */
  readonly path: string;
  /** What is there. */
  readonly node: ZarrNode;
}

/** One series that is there. */
export interface Series {
  /** Path of its image inside the store. */
  readonly path: string;
  /** Its place among those that are declared, which is that of its `Image` in the OME-XML. */
  readonly index: number;
}

/** Which series of a layout are there. */
export interface LayoutSeries {
  /** In the order in which they are declared. */
  readonly series: readonly Series[];
  /** Those that are declared and are not there. */
  readonly absent: readonly string[];
}

/** Version of the layout that a group states, or `undefined`. */
export const layoutVersion = (node: ZarrNode): unknown =>
  omeAttributes(node)["bioformats2raw.layout"] ?? node.attributes["bioformats2raw.layout"];

/**
 * Finds the series of a layout: those that its `OME` group lists, or else 0, 1, 2 and so on, while they exist.
 *
 * @param images how many the OME-XML declares
 * @throws {DecodeFailed} more than {@linkcode MAX_SERIES}
 */
export function layoutSeries(store: Store, { path, node }: PlacedNode, images: number): LayoutSeries {
  const { zarrFormat } = node;
  const listed = listedSeries(store, path);
  const series: Series[] = [];
  const absent: string[] = [];
  for (let index = 0; index < (listed?.length ?? Infinity); index += 1) {
    if (index >= MAX_SERIES) throw new DecodeFailed(`the layout has more than ${MAX_SERIES} series`);
    const name = listed?.[index] ?? String(index);
    const key = storeKey(path, name);
    if (key !== null && holdsAttributes(store, key, zarrFormat)) series.push({ path: key, index });
    else if (listed || index < images) absent.push(name);
    else break;
  }
  // A damaged name would end the count.
  if (!listed) store.requireNames?.();
  return { series, absent };
}

/** Series that the `OME` group of a layout lists, or `null`. */
function listedSeries(store: Store, path: string): string[] | null {
  const group = readNode(store, keyBelow(path, "OME"));
  const series: unknown = group ? omeAttributes(group)["series"] : null;
  const names = Array.isArray(series) ? series.filter((name) => typeof name === "string") : [];
  return names.length > 0 ? names : null;
}

/** A series of a layout. */
export interface SeriesPlace {
  /** Path of the layout. */
  readonly layout: string;
  /** Index of the series. */
  readonly index: number;
}

/** Versions of the layout; the earlier two differ in where the OME-XML lies. */
const LAYOUTS: readonly unknown[] = [1, 2, 3];

/**
 * Which series an image is of the nearest layout above it, that of a plate included, which lists its fields; `null`
 * where it is none.
 *
 * @param path of the image
 * @param nearest the lowest group that may be the layout, which was read already; by default the one that holds the image
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
