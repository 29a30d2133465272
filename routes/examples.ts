/** Examples for the OpenAPI document, about one line scan with a reference image. */
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { SERVED } from "../schemas/served.ts";
import SAMPLE from "../static/demo/v2/sample/open.json" with { type: "json" };

const SESSION_ID = SAMPLE.sessionId;
const PATH = "/data/2025-10-30/line_scan.oir";

/** Answer of `GET /api/v2/health`. */
export const HEALTH = { ok: true, api_version: "v2", server_version: "0.1.0" };

/** Answer of `GET /api/v2/capabilities`. */
export const CAPABILITIES = {
  ok: true,
  apiVersion: "v2",
  supportedImportExtensions: [...SUPPORTED_EXTENSIONS],
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
  warnings: [],
  warningCodes: [],
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

/** Answer of `GET /api/v2/exports/{export_id}/state`. */
export const EXPORT_STATE = { ok: true, apiVersion: "v2", state: "done", message: null };

/** Details in the example of a refused request. */
export const VALIDATION_DETAILS = [{
  location: ["body", "path"],
  message: 'must be an absolute path; "scan.oir" is relative and ~ is not expanded',
  type: "path_not_absolute",
}];
