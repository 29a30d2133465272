/** The images at a path of a store: a single image, the series of a bioformats2raw layout, or the fields of a plate. */
import { DecodeFailed, NoImage, quoted, unlessDamaged, UnsupportedFormat } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import { imagesIn, type OmeXmlImage, readOmeXmlImage } from "../metadata/ome_xml.ts";
import { findChild, parseXml } from "../metadata/xml.ts";
import { listed, unlessLost, type Warning, warning } from "../warning.ts";
import {
  findOmeAttributes,
  holdsAttributes,
  joinKey,
  readNode,
  readValue,
  requireVersion,
  type Store,
  storeKey,
  takeFirstObject,
  type ZarrNode,
} from "./hierarchy.ts";
import type { OpenedStore } from "./opened_store.ts";

/** An image whose own documents have not been read. */
export interface ListedImage {
  /** Path of its group inside the store. */
  readonly path: string;
  /** Name in the documents of the parent groups, or `null`. */
  readonly name: string | null;
  readonly node?: ZarrNode;
}

/** OME-XML of one image. */
export interface ImageXml {
  readonly key: string;
  readonly image: OmeXmlImage | null;
}

/** The images at a path; at least one. */
export interface ListedImages {
  readonly kind: "image" | "layout" | "plate";
  readonly path: string;
  /** Existing images, in the declared order. */
  readonly images: readonly ListedImage[];
  readonly warnings: readonly Warning[];
  /** Returns the OME-XML of an image, or `null`; warns if it is unreadable. */
  readonly xmlOf: (index: number, warnings: Warning[]) => ImageXml | null;
}

/**
 * Finds the images at a path. Of a plate it reads only the documents of the wells.
 *
 * @throws {UnsupportedFormat} a well; the message names a field to open instead
 * @throws {NoImage} a Zarr hierarchy of another kind
 * @throws {DecodeFailed} damaged metadata, or none of the declared images exists
 */
export function listImages(opened: OpenedStore): ListedImages {
  const { store, path, shown } = opened;
  const node = readNode(store, path);
  if (!node) throw new DecodeFailed(`the store has no metadata at "${path}"`);
  if (node.kind === "array") {
    throw new NoImage(
      `"${shown(path)}" is an array, not an image; open the group that holds it`,
    );
  }
  const ome = findOmeAttributes(node);
  // Before 0.5 the plate or well has the version; a version at the top level may be of another program.
  const { plate, well } = ome;
  for (const { version } of [ome === node.attributes ? {} : ome, plate, well].filter(isJsonObject)) {
    requireVersion(version);
  }
  if (isJsonObject(ome["plate"])) {
    return listPlateImages(store, { path, node }, ome["plate"]);
  }
  if (isJsonObject(ome["well"])) throw explainWell(store, path, ome["well"], shown);
  if (takeFirstObject(ome["multiscales"])) {
    const images = [{ path, name: null, node }];
    return {
      kind: "image",
      path,
      images,
      warnings: [],
      xmlOf: (_, warnings) => readImageXml(store, path, warnings),
    };
  }
  return listLayoutImages(opened, node);
}

/** Largest number of wells in a plate; the largest plates in use have 3456. */
const MAX_WELLS = 10_000;

/** Largest number of fields in a plate, 200 bytes of heap each. */
const MAX_FIELDS = 100_000;

/** The existing fields of a plate, in the order of its wells. Reads only the documents of the wells. */
function listPlateImages(store: Store, plate: PlacedNode, metadata: JsonObject): ListedImages {
  const { path } = plate;
  const fields: string[] = [];
  const absent: string[] = [];
  const wells = listDistinctPaths(metadata["wells"]);
  if (wells.length > MAX_WELLS) {
    throw new DecodeFailed(`the plate has ${wells.length} wells, more than ${MAX_WELLS}`);
  }
  for (const place of wells) {
    const key = storeKey(path, place);
    const node = key === null ? null : readNode(store, key);
    const well = node ? findOmeAttributes(node)["well"] : null;
    const images = isJsonObject(well) ? listDistinctPaths(well["images"]) : [];
    if (images.length === 0) absent.push(place);
    if (fields.length + absent.length + images.length > MAX_FIELDS) {
      throw new DecodeFailed(`the plate has more than ${MAX_FIELDS} fields`);
    }
    for (const image of images) {
      const field = storeKey(key ?? "", image);
      if (field !== null && holdsAttributes(store, field)) fields.push(field);
      else absent.push(`${place}/${image}`);
    }
  }
  if (fields.length === 0) throw new DecodeFailed(`the plate holds no field${nameAbsent(absent)}`);
  const nameOf = (field: string) => field.startsWith(`${path}/`) ? field.slice(path.length + 1) : field;
  return {
    kind: "plate",
    path,
    images: fields.map((field) => ({ path: field, name: nameOf(field) })),
    warnings: warnAboutAbsent(absent, "A well or field of the plate", "wells and fields of the plate"),
    xmlOf: (index, warnings) => readImageXml(store, fields[index]!, warnings, plate),
  };
}

/** Largest number of images in a layout, 500 bytes of heap each; a plate has some thousand. */
const MAX_SERIES = 100_000;

/**
 * The existing series of a layout in the declared order: those listed in its `OME` group, or else 0, 1, 2 and so on as long as they
 * exist.
 */
function listLayoutImages(opened: OpenedStore, node: ZarrNode): ListedImages {
  const { store, path, shown } = opened;
  const version = findLayoutVersion(node);
  if (version === undefined) {
    const kind = `"${shown(path)}" is ${describeGroup(node)}`;
    const images = findImagesNear(opened, node).map((image) => quoted(shown(image)));
    throw new NoImage(images.length === 0 ? kind : `${kind}; open one of its images: ${listed(images)}`);
  }
  if (!isLayoutVersion(version)) {
    throw new DecodeFailed(`the bioformats2raw layout ${JSON.stringify(version)} is unknown`);
  }
  const warnings: Warning[] = [];
  const xml = readOmeXml(store, path, warnings);
  const names = readListedSeries(store, path);
  // `index` is that among the declared series and among the `Image` elements of the OME-XML.
  const series: { readonly path: string; readonly index: number }[] = [];
  const absent: string[] = [];
  for (let index = 0; index < (names?.length ?? Infinity); index += 1) {
    if (index >= MAX_SERIES) throw new DecodeFailed(`the layout has more than ${MAX_SERIES} series`);
    const name = names?.[index] ?? String(index);
    const image = storeKey(path, name);
    if (image !== null && holdsAttributes(store, image)) series.push({ path: image, index });
    else if (names || index < xml.length) absent.push(name);
    else break;
  }
  if (series.length === 0) throw new DecodeFailed(`the layout holds no series${nameAbsent(absent)}`);
  const key = findOmeXmlKey(store, path);
  return {
    kind: "layout",
    path,
    images: series.map(({ path: image, index }) => ({ path: image, name: xml[index]?.name ?? null })),
    warnings: [...warnings, ...warnAboutAbsent(absent, "A series of the layout", "series of the layout")],
    xmlOf: (index) => xml.length === 0 ? null : { key, image: xml[series[index]!.index] ?? null },
  };
}

/** What a group without an image is: of SpatialData, with its tables in the form of AnnData, or a list of labels. */
function describeGroup(node: ZarrNode): string {
  const attributes = findOmeAttributes(node);
  if (node.attributes["spatialdata_attrs"] !== undefined) return "a SpatialData store";
  if (node.attributes["encoding-type"] === "anndata") return "a table";
  if (Array.isArray(attributes["labels"])) return "a group of labels";
  return 'a Zarr group without OME-Zarr image metadata ("multiscales")';
}

/** Largest number of groups in which images are looked for. */
const MAX_LOOKED_AT = 100;

/**
 * Images to open in place of a group: those that it names or holds, or else those of the SpatialData store around it. They lie
 * directly below it or in its folder `images`.
 */
function findImagesNear({ store, path, entries }: OpenedStore, node: ZarrNode): string[] {
  const named: unknown = findOmeAttributes(node)["labels"];
  const labels = Array.isArray(named) ? named.filter((name) => typeof name === "string") : [];
  const parents = [path, joinKey(path, "images"), "images"];
  const candidates = [
    ...labels.flatMap((name) => storeKey(path, name) ?? []),
    ...new Set(parents).values().flatMap((parent) =>
      unlessDamaged(() => entries(parent), []).map((name) => joinKey(parent, name))
    ),
  ];
  return [...new Set(candidates)].slice(0, MAX_LOOKED_AT).filter((candidate) => {
    const node = unlessDamaged(
      () => holdsAttributes(store, candidate) ? readNode(store, candidate) : null,
      null,
    );
    return node?.kind === "group" && takeFirstObject(findOmeAttributes(node)["multiscales"]) !== null;
  });
}

/** OME-XML of the layout around an image, or beside an image at the root of a store. */
function readImageXml(
  store: Store,
  path: string,
  warnings: Warning[],
  nearest?: PlacedNode,
): ImageXml | null {
  const place = findSeriesPlace(store, path, nearest);
  if (place === null) return null;
  const images = readOmeXml(store, place.layout, warnings);
  return images.length === 0
    ? null
    : { key: findOmeXmlKey(store, place.layout), image: images[place.index] ?? null };
}

/** Warns about declared images that do not exist. */
function warnAboutAbsent(absent: readonly string[], one: string, many: string): Warning[] {
  if (absent.length === 0) return [];
  const which = absent.length === 1
    ? `${one} does not exist and is`
    : `${absent.length} ${many} do not exist and are`;
  return [warning("scenes_left_out", `${which} left out${nameAbsent(absent)}`)];
}

const nameAbsent = (absent: readonly string[]) =>
  absent.length === 0 ? "" : `: ${listed(absent.map(quoted))}`;

interface PlacedNode {
  readonly path: string;
  readonly node: ZarrNode;
}

const findLayoutVersion = (node: ZarrNode): unknown =>
  findOmeAttributes(node)["bioformats2raw.layout"] ?? node.attributes["bioformats2raw.layout"];

/** Versions 1 and 2 differ from 3 only in the place of the OME-XML. */
const isLayoutVersion = (version: unknown): boolean => version === 1 || version === 2 || version === 3;

/** Names of the series listed in the `OME` group of a layout, or `null`. */
function readListedSeries(store: Store, path: string): string[] | null {
  const group = readNode(store, joinKey(path, "OME"));
  const series: unknown = group ? findOmeAttributes(group)["series"] : null;
  const names = Array.isArray(series) ? series.filter((name) => typeof name === "string") : [];
  return names.length > 0 ? names : null;
}

/**
 * Finds an image in the nearest layout around it, which may be a plate; `null` if there is no layout.
 *
 * @param path of the image
 * @param nearest innermost candidate, already read; by default the image's parent
 */
function findSeriesPlace(
  store: Store,
  path: string,
  nearest?: PlacedNode,
): { readonly layout: string; readonly index: number } | null {
  if (path === "") return { layout: "", index: 0 };
  const segments = path.split("/");
  const depth = nearest ? nearest.path.split("/").filter(Boolean).length : segments.length - 1;
  for (let length = depth; length >= 0; length -= 1) {
    const layout = segments.slice(0, length).join("/");
    const node = nearest?.path === layout ? nearest.node : readNode(store, layout);
    if (!node || !isLayoutVersion(findLayoutVersion(node))) continue;
    const name = segments.slice(length).join("/");
    const listed = readListedSeries(store, layout)?.indexOf(name) ?? -1;
    const index = listed >= 0 ? listed : /^\d{1,6}$/.test(name) ? Number(name) : null;
    return index === null ? null : { layout, index };
  }
  return null;
}

/** Key of the OME-XML of a layout. bioformats2raw before 0.3 (layouts 1 and 2) writes it beside the series. */
function findOmeXmlKey(store: Store, path: string): string {
  const [key, early] = [joinKey(path, "OME", "METADATA.ome.xml"), joinKey(path, "METADATA.ome.xml")];
  return !store.has(key) && store.has(early) ? early : key;
}

/**
 * Reads the OME-XML of a layout: one item per series, `null` for an image without pixels. Returns an empty list for a missing
 * document, and with a warning for a damaged one.
 */
function readOmeXml(store: Store, path: string, warnings: Warning[]): (OmeXmlImage | null)[] {
  const key = findOmeXmlKey(store, path);
  return unlessLost(warnings, "The OME metadata", () => {
    const bytes = readValue(store, key, MAX_XML_BYTES);
    if (bytes === null) return null;
    const root = parseXml(new TextDecoder().decode(bytes), `"${key}"`);
    return imagesIn(root).map((image) => {
      const pixels = findChild(image, "Pixels");
      return pixels ? readOmeXmlImage(image, pixels) : null;
    });
  }) ?? [];
}

/** The error for a well, with a field to open instead. */
function explainWell(
  store: Store,
  path: string,
  well: JsonObject,
  shown: (path: string) => string,
): UnsupportedFormat {
  const fields = listDistinctPaths(well["images"]).slice(0, 50).map((image) => storeKey(path, image));
  const field = fields.find((key) => key !== null && holdsAttributes(store, key));
  const example = typeof field === "string" ? `, for example "${shown(field)}"` : "";
  return new UnsupportedFormat(`"${shown(path)}" is a well of a plate; open one of its fields${example}`);
}

/** The distinct `path` values of a list's items. */
function listDistinctPaths(list: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const paths = items.flatMap((item) => {
    const path = isJsonObject(item) ? item["path"] : null;
    return typeof path === "string" ? [path] : [];
  });
  return [...new Set(paths)];
}
