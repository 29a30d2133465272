/** Constants of the HTTP contract, separate from the schemas so that using them does not load zod. */

/** How every plane is served. */
export const SERVED = {
  servedDtype: "float32",
  encoding: "raw-f32-le",
  layout: "row-major",
  mediaType: "application/octet-stream",
} as const;

/** Largest number of items in an array of a request. */
export const MAX_ITEMS = 10_000;
