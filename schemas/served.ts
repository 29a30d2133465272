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

/** Every code of a failure, with its HTTP status and an example of its message; that of `internal_error` is always the same. */
export const ERRORS = {
  cancelled: [200, "No file was chosen"],
  request_validation_failed: [422, "path: must be an absolute path"],
  unsupported_media_type: [415, 'The body must be sent as "Content-Type: application/json"'],
  payload_too_large: [413, "The body is larger than 1048576 bytes"],
  path_not_found: [404, 'Cannot open "/data/scan.oir": nothing exists there'],
  path_not_allowed: [403, '"/etc/scan.oir" lies outside the folders that this server may open'],
  unsupported_format: [415, '"notes.docx" is of no known format'],
  invalid_channel_indices: [422, 'The channels of "set.ome.tif" differ in shape'],
  channel_out_of_range: [422, 'Channel 4 does not exist: "scan.oir" has channels 0 to 1'],
  scene_out_of_range: [422, 'Scene 3 does not exist: "set.ome.tif" has scenes 0 to 2'],
  position_out_of_range: [422, 'Index 30 along T does not exist: "stack.tif" has size 30 along T'],
  plane_not_found: [404, "The plane T=12 Z=3 of channel 0 is not in the file"],
  acquisition_changed: [409, '"stack.tif" was changed since it was opened; open it again'],
  decode_failed: [500, 'Cannot read "scan.oir": block at 81920 + 4096 ends after the file (83000 bytes)'],
  load_timeout: [504, 'Opening "/data/scan.oir" took longer than 120 s and was stopped'],
  session_not_found: [404, 'No session "0123"; a session ends when it is deleted, or 600 s after the open'],
  export_not_found: [404, "No such archive; a link works once, within 600 s"],
  too_many_exports: [503, "8 archives wait for their download already; try again in a moment"],
  channel_not_found: [404, "The session has no channel 1, only 0"],
  reference_channel_not_found: [404, "The session has no reference image"],
  session_memory_exceeded: [507, "The planes need 512 MiB, but only 128 MiB of 4096 MiB are free"],
  too_many_opens: [503, "32 opens are waiting already; try again in a moment"],
  dialog_unavailable: [501, "No dialog can be shown: there is no display"],
  dialog_busy: [409, "A file dialog is already open"],
  origin_not_allowed: [403, "Pages from https://example.org may not open files by path"],
  host_not_allowed: [403, 'This server only answers to 127.0.0.1, localhost and [::1], not to "example.org"'],
  range_not_satisfiable: [416, 'The range "bytes=200000-" lies outside the payload of 115200 bytes'],
  not_found: [404, "Nothing found at /api/v2/sessoins"],
  method_not_allowed: [405, "PUT is not allowed at /api/v2/open, only POST"],
  shutting_down: [503, "The server is stopping"],
  internal_error: [500, "The server made a mistake; its log has the details"],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** Code of a failure. */
export type ErrorCode = keyof typeof ERRORS;
