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

/** Every code of a failure, with its HTTP status. */
export const ERROR_STATUS = {
  cancelled: 200,
  request_validation_failed: 422,
  unsupported_media_type: 415,
  payload_too_large: 413,
  path_not_found: 404,
  path_not_allowed: 403,
  unsupported_format: 415,
  invalid_channel_indices: 422,
  channel_out_of_range: 422,
  scene_out_of_range: 422,
  position_out_of_range: 422,
  plane_not_found: 404,
  acquisition_changed: 409,
  decode_failed: 500,
  load_timeout: 504,
  session_not_found: 404,
  export_not_found: 404,
  too_many_exports: 503,
  channel_not_found: 404,
  reference_channel_not_found: 404,
  session_memory_exceeded: 507,
  too_many_opens: 503,
  dialog_unavailable: 501,
  dialog_busy: 409,
  origin_not_allowed: 403,
  host_not_allowed: 403,
  range_not_satisfiable: 416,
  not_found: 404,
  method_not_allowed: 405,
  shutting_down: 503,
  internal_error: 500,
} as const;

/** Code of a failure. */
export type ErrorCode = keyof typeof ERROR_STATUS;
