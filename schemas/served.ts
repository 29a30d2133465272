/** Constants of the HTTP contract, apart from the schemas so that zod need not be loaded. */

/** How every plane is served. */
export const SERVED = {
  servedDtype: "float32",
  encoding: "raw-f32-le",
  layout: "row-major",
  mediaType: "application/octet-stream",
} as const;

/** Items that an array of a request may have. */
export const MAX_ITEMS = 10_000;
