/** A JSON object whose fields are not yet validated. */
export type JsonObject = { readonly [name: string]: unknown };

/** True for an object other than an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
