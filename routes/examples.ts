/** Examples for the OpenAPI document, about one line scan with a reference image. */
import { type ErrorCode, SERVED } from "../schemas/served.ts";
import { INTERNAL_MESSAGE } from "../session/errors.ts";
import SAMPLE from "../static/demo/v2/sample/open.json" with { type: "json" };
import { RequestValidationFailed } from "./errors.ts";

const SESSION_ID = SAMPLE.sessionId;
const PATH = "/data/2025-10-30/line_scan.oir";

/** Answer of `GET /api/v2/health`. */
export const HEALTH = { ok: true, api_version: "v2", server_version: "0.1.0" };

const EXTENSIONS = ".czi .lif .lsm .nd2 .oib .oif .oir .ome.zarr .tif .tiff .xml";

/** Answer of `GET /api/v2/capabilities`. */
export const CAPABILITIES = {
  ok: true,
  apiVersion: "v2",
  supportedImportExtensions: EXTENSIONS.split(" "),
  allowedImportExtensions: [".oir", ".tif"],
  binary: SERVED,
  sessionTtlSeconds: 600,
  dialogAvailable: true,
  openByPath: true,
};

/** Bodies of `POST /api/v2/open`, by purpose. */
export const OPEN_REQUESTS = {
  "all channels": { path: PATH },
  "two channels, the second first": { path: PATH, channelIndices: [1, 0] },
  "third scene": { path: "/data/plate.ome.zarr", scene: 2 },
};

/** Bodies of `POST /api/v2/pick-and-open`, by purpose. */
export const PICK_REQUESTS = {
  "any acquisition": {},
  "first channel of a TIFF": { channelIndices: [0], extensions: [".tif", ".tiff"] },
};

/** Bodies of `POST /api/v2/sessions/{session_id}/open`, by purpose. */
export const OPEN_AGAIN_REQUESTS = {
  "second scene": { scene: 1 },
  "other channels": { channelIndices: [1] },
};

/** Answer of all opens: that of the client page for its sample. */
export const OPEN = { ...SAMPLE, source: { ...SAMPLE.source, path: PATH } };

/** Bodies of `POST /api/v2/list`, by purpose. */
export const LIST_REQUESTS = { "a folder": { path: "/data/2025-10-30" } };

/** Answer of `POST /api/v2/list`. */
export const LIST = {
  ok: true,
  apiVersion: "v2",
  path: "/data/2025-10-30",
  entries: [
    {
      name: "line_scan.oir",
      path: PATH,
      kind: "image",
      format: "oir",
      bytes: 191105,
      modified: "2025-10-30T14:54:40.120Z",
    },
    {
      name: "setup",
      path: "/data/2025-10-30/setup",
      kind: "folder",
      format: null,
      bytes: null,
      modified: "2025-10-30T08:01:02.003Z",
    },
  ],
  truncated: false,
};

/** Answer of `GET /api/v2/sessions/{session_id}`. */
export const SESSION = {
  ok: true,
  sessionId: SESSION_ID,
  ttlSecondsRemaining: 587.25,
  channelIndices: [0, 1],
  referenceChannelIndices: [0, 1],
  totalBytes: 361472,
};

/** Answer of `GET /api/v2/sessions/{session_id}/metadata`. */
export const METADATA = [{
  name: "scan.ome.tif",
  mediaType: "application/xml",
  text: '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"/>',
}];

/** Answer of `DELETE /api/v2/sessions/{session_id}`. */
export const DELETED = { ok: true, sessionId: SESSION_ID, deleted: true };

/** Answer of `GET /schemas`. */
export const SCHEMAS = { ok: true, schemas: { collection: "/schemas/collection.json" } };

/** Bodies of `POST /api/v2/export`, by purpose. */
export const EXPORT_REQUESTS = {
  recording: { members: [{ path: "/data/scan.oir", accepted: true }] },
  measured: {
    name: "Experiment 7",
    members: [{
      sessionId: SESSION_ID,
      rois: [{
        id: "vessel",
        type: "rectangle",
        coordinate_space: "primary-image-full-resolution-pixels",
        start: [0, 0],
        stop: [38, 1200],
      }],
      analyses: [{
        type: "velocity",
        roiId: "vessel",
        channel: 0,
        summary: { mean: 0.8, unit: "mm/s" },
        tables: [{ name: "Velocities", csv: "time_s,velocity_mm_s\n0.1,0.8\n" }],
      }],
    }],
  },
};

/** Answer of `POST /api/v2/export`. */
export const EXPORT = {
  ok: true,
  apiVersion: "v2",
  downloadUrl: "/api/v2/exports/0123456789abcdef0123456789abcdef",
  expiresInSeconds: 600,
  warnings: [],
};

/** Details in the example of a refused request. */
export const VALIDATION_DETAILS = [{
  location: ["body", "path"],
  message: 'must be an absolute path; "scan.oir" is relative and ~ is not expanded',
  type: "path_not_absolute",
}];

/** An example message per code. */
export const ERROR_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  cancelled: "No file was chosen",
  request_validation_failed: new RequestValidationFailed(VALIDATION_DETAILS).message,
  unsupported_media_type: 'The body must be sent as "Content-Type: application/json", not "text/plain"',
  payload_too_large: "The body is larger than 1048576 bytes",
  path_not_found: 'Cannot open "/data/scan.oir": nothing exists there',
  path_not_allowed: '"/etc/scan.oir" lies outside the folders that this server may open',
  unsupported_format: `"notes.docx" is of no known format; this server opens ${EXTENSIONS}`,
  invalid_channel_indices:
    'The channels of "set.ome.tif" differ in shape (channel 0 is 512 x 512, channel 1 is 256 x 256); open them apart, for example "channelIndices": [0]',
  channel_out_of_range: 'Channel 4 does not exist: "scan.oir" has channels 0 to 1',
  scene_out_of_range: 'Scene 3 does not exist: "set.ome.tif" has scenes 0 to 2',
  position_out_of_range: 'Index 30 along T does not exist: "stack.tif" has size 30 along T',
  plane_not_found: "The plane T=12 Z=3 of channel 0 is not in the file",
  acquisition_changed: '"stack.tif" was changed since it was opened; open it again',
  decode_failed: 'Cannot read "scan.oir": block at 81920 + 4096 ends after the file (83000 bytes)',
  load_timeout: 'Opening "/data/scan.oir" took longer than 120 s and was stopped',
  session_not_found: 'No session "0123"; a session ends when it is deleted, or 600 s after the open',
  export_not_found: "No such archive; a link works once, within 600 s",
  too_many_exports: "8 archives wait for their download already; try again in a moment",
  channel_not_found: "The session has no channel 1, only 0",
  reference_channel_not_found: "The session has no reference image",
  session_memory_exceeded: "The planes need 512 MiB, but only 128 MiB of 4096 MiB session memory are free",
  too_many_opens: "32 opens are waiting already; try again in a moment",
  dialog_unavailable: "No file dialog can be shown: there is no display. Use POST /api/v2/open with a path",
  dialog_busy: "A file dialog is already open",
  origin_not_allowed: "Pages from https://example.org may not open files by path",
  host_not_allowed: 'This server only answers to 127.0.0.1, localhost and [::1], not to "example.org"',
  range_not_satisfiable: 'The range "bytes=200000-" lies outside the payload of 115200 bytes',
  not_found: "Nothing found at /api/v2/sessoins",
  method_not_allowed: "PUT is not allowed at /api/v2/open, only POST",
  shutting_down: "The server is stopping",
  internal_error: INTERNAL_MESSAGE,
};

/** An example message per status of a malformed request. */
export const REFUSED_BY_HTTP: Readonly<Record<number, string>> = {
  400: 'Malformed HTTP/1.1 request: it has 2 headers "origin"',
  417: 'Unknown expectation "x"; the server only supports "100-continue"',
  431: "The request has 1003 headers of 9027 bytes, more than 100 headers or 65536 bytes",
  501: 'Unknown transfer coding "gzip, chunked"; send the body chunked or with its length',
};
