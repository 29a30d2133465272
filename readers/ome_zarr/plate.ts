/** Plates and wells, which are not opened as a whole: the answer names a field that can be. */
import { DecodeFailed, UnsupportedFormat } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { firstOf, omeAttributes, readNode } from "./hierarchy.ts";
import { type Store, storeKey } from "./store.ts";

/** Wells, and fields of each, that are tried for an example in the message. */
const MAX_FIELDS_TRIED = 50;

/** Why a plate is not opened, with a field that can be. */
export function plateError(
  store: Store,
  path: string,
  plate: JsonObject,
  shown: (path: string) => string,
): UnsupportedFormat {
  const field = firstExisting(
    pathsOf(plate["wells"]).flatMap((well) => storeKey(path, well) ?? []),
    (well) => {
      const node = readNode(store, well);
      const attributes = node ? omeAttributes(node)["well"] : null;
      return isJsonObject(attributes) ? fieldOf(store, well, attributes) : null;
    },
  );
  return new UnsupportedFormat(
    `"${shown(path)}" is a plate; open one field of a well${example(field, shown)}`,
  );
}

/** Why a well is not opened, with a field that can be. */
export function wellError(
  store: Store,
  path: string,
  well: JsonObject,
  shown: (path: string) => string,
): UnsupportedFormat {
  const field = example(fieldOf(store, path, well), shown);
  return new UnsupportedFormat(`"${shown(path)}" is a well of a plate; open one of its fields${field}`);
}

const example = (field: string | null, shown: (path: string) => string) =>
  field === null ? "" : `, for example "${shown(field)}"`;

/** The first field of a well that exists. */
const fieldOf = (store: Store, well: string, attributes: JsonObject): string | null =>
  firstExisting(
    pathsOf(attributes["images"]).flatMap((field) => storeKey(well, field) ?? []),
    (field) => {
      const node = readNode(store, field);
      return node && firstOf(omeAttributes(node)["multiscales"]) ? field : null;
    },
  );

/** The first result of `find` that is not `null`; damaged metadata count as none. */
function firstExisting(
  paths: readonly string[],
  find: (path: string) => string | null,
): string | null {
  for (const path of paths.slice(0, MAX_FIELDS_TRIED)) {
    try {
      const found = find(path);
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof DecodeFailed)) throw error;
    }
  }
  return null;
}

/** `path` of each item of a list. */
const pathsOf = (list: unknown): string[] =>
  Array.isArray(list)
    ? list.flatMap((item) => isJsonObject(item) && typeof item["path"] === "string" ? [item["path"]] : [])
    : [];
