/** The images at a path of a store: one, the series of a bioformats2raw layout, or the fields of a plate. */
import { DecodeFailed, NoImage, quoted } from "../errors.ts";
import { isJsonObject } from "../metadata/json.ts";
import type { OmeXmlImage } from "../metadata/ome_xml.ts";
import { listed, type Warning, warning } from "../warning.ts";
import { firstOf, omeAttributes, readNode, requireVersion, type ZarrNode } from "./hierarchy.ts";
import {
  layoutSeries,
  layoutVersion,
  omeXmlKey,
  type PlacedNode,
  readOmeXml,
  seriesPlace,
} from "./layout.ts";
import type { OpenedStore } from "./opened_store.ts";
import { type PlateFields, plateFields, wellError } from "./plate.ts";
import type { Store } from "./store.ts";

/** One image whose own documents are not read yet. */
export interface ListedImage {
  /** Path of its group inside the store. */
  readonly path: string;
  /** Name in the documents above it, or `null`. */
  readonly name: string | null;
  /** Its group, if already read. */
  readonly node?: ZarrNode;
}

/** OME-XML of one image. */
export interface ImageXml {
  /** Key of the document. */
  readonly key: string;
  /** The description of the image, or `null`. */
  readonly image: OmeXmlImage | null;
}

/** The images at a path, at least one. */
export interface ImageList {
  /** What is at the path. */
  readonly kind: "image" | "layout" | "plate";
  /** Path inside the store. */
  readonly path: string;
  /** Existing images in declared order. */
  readonly images: readonly ListedImage[];
  /** Names the images that are left out. */
  readonly warnings: readonly Warning[];
  /** OME-XML of an image, or `null`; adds a warning for an unreadable one. */
  readonly xmlOf: (index: number, warnings: Warning[]) => ImageXml | null;
}

/**
 * Finds the images at a path. Of a plate only the documents of its wells are read.
 *
 * @throws {UnsupportedFormat} a well, with a field to open instead
 * @throws {NoImage} a Zarr hierarchy of another kind
 * @throws {DecodeFailed} damaged metadata, or none of the declared images exists
 */
export function imageList({ store, path, shown }: OpenedStore): ImageList {
  const node = readNode(store, path);
  if (!node) throw new DecodeFailed(`the store has no metadata at "${path}"`);
  if (node.kind === "array") {
    throw new NoImage(
      `"${shown(path)}" is an array, not an image; open the group that holds it`,
    );
  }
  const ome = omeAttributes(node);
  // Before 0.5 plate or well hold the version; at the top it may belong to another program.
  const { plate, well } = ome;
  for (const { version } of [ome === node.attributes ? {} : ome, plate, well].filter(isJsonObject)) {
    requireVersion(version);
  }
  if (isJsonObject(ome["plate"])) {
    return plateImages(store, { path, node }, plateFields(store, path, ome["plate"]));
  }
  if (isJsonObject(ome["well"])) throw wellError(store, path, ome["well"], shown);
  if (firstOf(ome["multiscales"])) {
    const images = [{ path, name: null, node }];
    return {
      kind: "image",
      path,
      images,
      warnings: [],
      xmlOf: (_, warnings) => imageXml(store, path, warnings),
    };
  }
  return layoutImages(store, path, node, shown);
}

function plateImages(store: Store, plate: PlacedNode, { fields, absent }: PlateFields): ImageList {
  const { path } = plate;
  if (fields.length === 0) throw new DecodeFailed(`the plate holds no field${naming(absent)}`);
  const images = fields.map((field) => ({ path: field, name: nameBelow(path, field) }));
  return {
    kind: "plate",
    path,
    images,
    warnings: leftOut(absent, "A well or field of the plate", "wells and fields of the plate"),
    xmlOf: (index, warnings) => imageXml(store, images[index]!.path, warnings, plate),
  };
}

function layoutImages(
  store: Store,
  path: string,
  node: ZarrNode,
  shown: OpenedStore["shown"],
): ImageList {
  const version = layoutVersion(node);
  if (version === undefined) {
    throw new NoImage(`"${shown(path)}" is a Zarr group without OME-Zarr image metadata ("multiscales")`);
  }
  if (version !== 3) {
    throw new DecodeFailed(`the bioformats2raw layout ${JSON.stringify(version)} is unknown`);
  }
  const warnings: Warning[] = [];
  const xml = readOmeXml(store, path, warnings);
  const { series, absent } = layoutSeries(store, path, xml.length);
  if (series.length === 0) throw new DecodeFailed(`the layout holds no series${naming(absent)}`);
  const key = omeXmlKey(path);
  return {
    kind: "layout",
    path,
    images: series.map(({ path: image, index }) => ({ path: image, name: xml[index]?.name ?? null })),
    warnings: [...warnings, ...leftOut(absent, "A series of the layout", "series of the layout")],
    xmlOf: (index) => xml.length === 0 ? null : { key, image: xml[series[index]!.index] ?? null },
  };
}

/** Path of a field below its plate. */
const nameBelow = (plate: string, field: string) =>
  field.startsWith(`${plate}/`) ? field.slice(plate.length + 1) : field;

/** OME-XML of the layout above an image, or beside an image at the root of a store. */
function imageXml(store: Store, path: string, warnings: Warning[], nearest?: PlacedNode): ImageXml | null {
  const place = seriesPlace(store, path, nearest);
  if (place === null) return null;
  const images = readOmeXml(store, place.layout, warnings);
  return images.length === 0 ? null : { key: omeXmlKey(place.layout), image: images[place.index] ?? null };
}

/** Warns about images that do not exist. */
function leftOut(absent: readonly string[], one: string, many: string): Warning[] {
  if (absent.length === 0) return [];
  const which = absent.length === 1
    ? `${one} does not exist and is`
    : `${absent.length} ${many} do not exist and are`;
  return [warning("scenes_left_out", `${which} left out${naming(absent)}`)];
}

const naming = (absent: readonly string[]) => absent.length === 0 ? "" : `: ${listed(absent.map(quoted))}`;
