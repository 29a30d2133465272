/** Which images a path of a store means: one, the series of a bioformats2raw layout, or the fields of a plate. */
import { DecodeFailed, NoImage, quoted } from "../errors.ts";
import { isJsonObject } from "../metadata/json.ts";
import type { OmeXmlImage } from "../metadata/ome_xml.ts";
import { listed, type Warning, warning } from "../warning.ts";
import { firstOf, omeAttributes, readNode, requireVersion, type ZarrNode } from "./hierarchy.ts";
import { layoutSeries, layoutVersion, type PlacedNode, seriesPlace } from "./layout.ts";
import { omeXmlKey, readOmeXml } from "./ome_xml.ts";
import type { OpenedStore } from "./opened_store.ts";
import { type PlateFields, plateFields, wellError } from "./plate.ts";
import type { Store } from "./store.ts";

/** What is known of one image before its own documents are read. */
export interface ListedImage {
  /** Path of its group inside the store. */
  readonly path: string;
  /** Name that the documents above it give, or `null`. */
  readonly name: string | null;
  /** Its group, where that was read already. */
  readonly node?: ZarrNode;
}

/** OME-XML of one image. */
export interface ImageXml {
  /** Key of the document. */
  readonly key: string;
  /** What it says of the image; `null` where it does not. */
  readonly image: OmeXmlImage | null;
}

/** The images that a path means, at least one. */
export interface ImageList {
  /** What is at the path. */
  readonly kind: "image" | "layout" | "plate";
  /** Path inside the store. */
  readonly path: string;
  /** Those that are there, in the order in which they are declared. */
  readonly images: readonly ListedImage[];
  /** Which images are left out. */
  readonly warnings: readonly Warning[];
  /** OME-XML of one of them, or `null`; `warnings` takes why it cannot be read. */
  readonly xmlOf: (index: number, warnings: Warning[]) => ImageXml | null;
}

/**
 * Finds the images at a path. Of a plate only the documents of its wells are read.
 *
 * @throws {UnsupportedFormat} a well, with a field to open instead
 * @throws {NoImage} a Zarr hierarchy of another kind
 * @throws {DecodeFailed} damaged metadata, or none of the images that are declared is there
 */
export function imageList({ store, path, shown }: OpenedStore): ImageList {
  const node = readNode(store, path);
  if (!node) throw new DecodeFailed(`the store has no metadata at "${path}"`);
  if (node.kind === "array") {
    throw new NoImage(
      `"${shown(path)}" is an array of a store and no image; open the group that holds it`,
    );
  }
  const ome = omeAttributes(node);
  // Before 0.5 the version stands in what it is of, and other programs have attributes of that name.
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
    return { kind: "image", path, images, warnings: [], xmlOf: (_, told) => imageXml(store, path, told) };
  }
  return layoutImages(store, path, node, shown);
}

function plateImages(store: Store, plate: PlacedNode, { fields, absent }: PlateFields): ImageList {
  const { path } = plate;
  const warnings = leftOut(store, absent, {
    one: "A well or field of the plate",
    many: "wells and fields of the plate",
  });
  if (fields.length === 0) throw new DecodeFailed(`the plate holds no field${naming(absent)}`);
  const images = fields.map((field) => ({ path: field, name: nameBelow(path, field) }));
  const xmlOf = (index: number, told: Warning[]) => imageXml(store, images[index]!.path, told, plate);
  return { kind: "plate", path, images, warnings, xmlOf };
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
    throw new DecodeFailed(`the bioformats2raw layout ${JSON.stringify(version)} is not known`);
  }
  const told: Warning[] = [];
  const xml = readOmeXml(store, path, told);
  const { series, absent } = layoutSeries(store, { path, node }, xml.length);
  const warnings = leftOut(store, absent, { one: "A series of the layout", many: "series of the layout" });
  if (series.length === 0) throw new DecodeFailed(`the layout holds no series${naming(absent)}`);
  const key = omeXmlKey(path);
  return {
    kind: "layout",
    path,
    images: series.map(({ path: image, index }) => ({ path: image, name: xml[index]?.name ?? null })),
    warnings: [...told, ...warnings],
    xmlOf: (index) => xml.length === 0 ? null : { key, image: xml[series[index]!.index] ?? null },
  };
}

/** Path of a field below its plate. */
const nameBelow = (plate: string, field: string) =>
  field.startsWith(`${plate}/`) ? field.slice(plate.length + 1) : field;

/** OME-XML of an image: beside it at the root of a store, or in the layout above it. */
function imageXml(store: Store, path: string, warnings: Warning[], nearest?: PlacedNode): ImageXml | null {
  const place = seriesPlace(store, path, nearest);
  if (place === null) return null;
  const images = readOmeXml(store, place.layout, warnings);
  return images.length === 0 ? null : { key: omeXmlKey(place.layout), image: images[place.index] ?? null };
}

/** A warning about images that are not there, if any. @throws {DecodeFailed} a damaged name hides them */
function leftOut(
  store: Store,
  absent: readonly string[],
  { one, many }: { readonly one: string; readonly many: string },
): Warning[] {
  if (absent.length === 0) return [];
  store.requireNames?.();
  return absent.length === 1
    ? [warning("scenes_left_out", `${one} does not exist and is left out${naming(absent)}`)]
    : [
      warning(
        "scenes_left_out",
        `${absent.length} ${many} do not exist and are left out${naming(absent)}`,
      ),
    ];
}

const naming = (absent: readonly string[]) => absent.length === 0 ? "" : `: ${listed(absent.map(quoted))}`;
