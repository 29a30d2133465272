/** Plates and wells (OME-Zarr 0.4 and 0.5, "plate" and "well"): which fields are there. */
import { DecodeFailed, UnsupportedFormat } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import { firstOf, holdsAttributes, omeAttributes, readNode, type ZarrNode } from "./hierarchy.ts";
import { type Store, storeKey } from "./store.ts";

/** Wells of one plate; the largest in use have 3456. */
const MAX_WELLS = 10_000;

/** Fields of one plate, 200 bytes of heap each: ten for each of the most wells. */
const MAX_FIELDS = 100_000;

/** Fields of a well that are tried for an example in the message. */
const MAX_FIELDS_TRIED = 50;

/** Which of the fields of a plate are there. */
export interface PlateFields {
  /** Paths inside the store, wells in the order of the plate, fields of each in theirs. */
  readonly fields: readonly string[];
  /** Wells and fields that are listed and are not there, as they are listed. */
  readonly absent: readonly string[];
}

/**
 * Finds the fields of a plate by the documents of its wells; of a field only its place is looked at.
 *
 * @param path of the plate
 * @param plate its metadata
 * @throws {DecodeFailed} the document of a well is damaged, or there are more than {@linkcode MAX_WELLS} wells or
 * {@linkcode MAX_FIELDS} fields
 */
export function plateFields(store: Store, path: string, plate: JsonObject): PlateFields {
  const fields: string[] = [];
  const absent: string[] = [];
  const wells = pathsOf(plate["wells"]);
  if (wells.length > MAX_WELLS) {
    throw new DecodeFailed(`the plate has ${wells.length} wells, more than ${MAX_WELLS}`);
  }
  for (const well of wells) {
    const key = storeKey(path, well);
    const { images, zarrFormat } = key === null ? NO_WELL : imagesOf(store, key);
    if (key === null || images.length === 0) absent.push(well);
    if (fields.length + absent.length + images.length > MAX_FIELDS) {
      throw new DecodeFailed(`the plate has more than ${MAX_FIELDS} fields`);
    }
    for (const image of images) {
      const field = storeKey(key ?? "", image);
      if (field !== null && holdsAttributes(store, field, zarrFormat)) fields.push(field);
      else absent.push(`${well}/${image}`);
    }
  }
  return { fields, absent };
}

/** The fields of a well. */
interface Well {
  /** Their paths below it, in its order. */
  readonly images: readonly string[];
  readonly zarrFormat: ZarrNode["zarrFormat"];
}

const NO_WELL: Well = { images: [], zarrFormat: 3 };

function imagesOf(store: Store, path: string): Well {
  const node = readNode(store, path);
  const well = node ? omeAttributes(node)["well"] : null;
  return node && isJsonObject(well)
    ? { images: pathsOf(well["images"]), zarrFormat: node.zarrFormat }
    : NO_WELL;
}

/** Why a well is not opened, with a field that can be. */
export function wellError(
  store: Store,
  path: string,
  well: JsonObject,
  shown: (path: string) => string,
): UnsupportedFormat {
  const field = firstField(store, path, well);
  const example = field === null ? "" : `, for example "${shown(field)}"`;
  return new UnsupportedFormat(`"${shown(path)}" is a well of a plate; open one of its fields${example}`);
}

/** The first field of a well that exists; damaged metadata count as none. */
function firstField(store: Store, well: string, attributes: JsonObject): string | null {
  for (const image of pathsOf(attributes["images"]).slice(0, MAX_FIELDS_TRIED)) {
    try {
      const field = storeKey(well, image);
      const node = field === null ? null : readNode(store, field);
      if (node && firstOf(omeAttributes(node)["multiscales"])) return field;
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
    }
  }
  return null;
}

/** `path` of each item of a list, each once. */
function pathsOf(list: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const paths = items.flatMap((item) => {
    const path = isJsonObject(item) ? item["path"] : null;
    return typeof path === "string" ? [path] : [];
  });
  return [...new Set(paths)];
}
