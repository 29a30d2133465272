/** Plates and wells (OME-Zarr 0.4 and 0.5, "plate" and "well"). */
import { DecodeFailed, UnsupportedFormat } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../metadata/json.ts";
import { holdsAttributes, omeAttributes, readNode } from "./hierarchy.ts";
import { type Store, storeKey } from "./store.ts";

/** Wells of one plate; the largest in use have 3456. */
const MAX_WELLS = 10_000;

/** Fields of one plate, 200 bytes of heap each. */
const MAX_FIELDS = 100_000;

/** The fields of a plate. */
export interface PlateFields {
  /** Paths of the existing ones inside the store, in the order of the wells. */
  readonly fields: readonly string[];
  /** Listed wells and fields that do not exist. */
  readonly absent: readonly string[];
}

/**
 * Finds the fields of a plate by the documents of its wells; the fields themselves are not read.
 *
 * @param path of the plate
 * @param plate its metadata
 * @throws {DecodeFailed} damaged metadata of a well, or too many wells or fields
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
    const images = key === null ? [] : imagesOf(store, key);
    if (key === null || images.length === 0) absent.push(well);
    if (fields.length + absent.length + images.length > MAX_FIELDS) {
      throw new DecodeFailed(`the plate has more than ${MAX_FIELDS} fields`);
    }
    for (const image of images) {
      const field = storeKey(key ?? "", image);
      if (field !== null && holdsAttributes(store, field)) fields.push(field);
      else absent.push(`${well}/${image}`);
    }
  }
  return { fields, absent };
}

/** Paths of the fields of a well below it. */
function imagesOf(store: Store, path: string): string[] {
  const node = readNode(store, path);
  const well = node ? omeAttributes(node)["well"] : null;
  return isJsonObject(well) ? pathsOf(well["images"]) : [];
}

/** The refusal of a well, with a field to open instead. */
export function wellError(
  store: Store,
  path: string,
  well: JsonObject,
  shown: (path: string) => string,
): UnsupportedFormat {
  const fields = pathsOf(well["images"]).slice(0, MAX_FIELDS_TRIED).map((image) => storeKey(path, image));
  const field = fields.find((key) => key !== null && holdsAttributes(store, key));
  const example = typeof field === "string" ? `, for example "${shown(field)}"` : "";
  return new UnsupportedFormat(`"${shown(path)}" is a well of a plate; open one of its fields${example}`);
}

/** Fields of a well to try as an example. */
const MAX_FIELDS_TRIED = 50;

/** The distinct `path`s of the items of a list. */
function pathsOf(list: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const paths = items.flatMap((item) => {
    const path = isJsonObject(item) ? item["path"] : null;
    return typeof path === "string" ? [path] : [];
  });
  return [...new Set(paths)];
}
