/** Where the OME attributes of a group stand. */
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ZarrNode } from "./hierarchy.ts";

/** The OME attributes of a group: under `ome` from 0.5 on, at the top before. */
export function omeAttributes(node: ZarrNode): JsonObject {
  const { ome } = node.attributes;
  return isJsonObject(ome) ? ome : node.attributes;
}

/** The first item of a list when it is an object. */
export const firstOf = (value: unknown): JsonObject | null =>
  Array.isArray(value) && isJsonObject(value[0]) ? value[0] : null;
