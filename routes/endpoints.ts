/** The table of endpoints, the source of routes and OpenAPI document; and the other routes. */
import { type ErrorCode, SERVED } from "../schemas/served.ts";
import { type Endpoint, type Handler, respondWithJson, type SchemaName, type Success } from "./context.ts";
import * as example from "./examples.ts";
import { downloadArchive, exportMembers, readExportState } from "./export.ts";
import { answerFolderListing, openAgain, openByPath, pickAndOpen } from "./open.ts";
import {
  readManual,
  redirect,
  serveClientFile,
  serveDemoPage,
  serveDocsPage,
  serveDocumentSchema,
  servePageFile,
  serveSchemaIndex,
} from "./pages.ts";
import { readChannel, readReferenceChannel } from "./planes.ts";
import { answerCapabilities, answerHealth, INDEX, LINKS } from "./service.ts";
import { answerMetadata, deleteSession, readSession } from "./sessions.ts";

const OPEN_ERRORS: readonly ErrorCode[] = [
  "request_validation_failed",
  "unsupported_media_type",
  "payload_too_large",
  "path_not_found",
  "unsupported_format",
  "invalid_channel_indices",
  "channel_out_of_range",
  "scene_out_of_range",
  "decode_failed",
  "load_timeout",
  "session_memory_exceeded",
  "too_many_opens",
  "shutting_down",
];

const PLANE_ERRORS: readonly ErrorCode[] = [
  "request_validation_failed",
  "channel_out_of_range",
  "position_out_of_range",
  "session_not_found",
];

/** Errors from reading the files of a live session. */
const READ_AGAIN_ERRORS: readonly ErrorCode[] = [
  "acquisition_changed",
  "decode_failed",
  "load_timeout",
  "session_memory_exceeded",
  "too_many_opens",
  "shutting_down",
];

const json = (description: string, schema: SchemaName, sample: unknown): Success => ({
  status: 200,
  description,
  mediaType: "application/json",
  schema,
  example: sample,
});

const plane: Success = {
  status: 200,
  description: "rows x columns little-endian float32 samples, row-major, not transposed",
  mediaType: SERVED.mediaType,
};

const page: Success = { status: 200, description: "A page", mediaType: "text/html" };

const takeLink = (id: keyof typeof LINKS) => {
  const { method, href, description } = LINKS[id];
  return { method, path: href, id, summary: description };
};

/** All endpoints of the contract. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/v2",
    id: "index",
    tag: "service",
    summary: "Links to the resources of the contract",
    description: "Start here: every resource that has a fixed path, with its method.",
    success: json("The links", "Index", INDEX),
    errors: [],
    handler: () => respondWithJson(INDEX),
  },
  {
    ...takeLink("health"),
    description: "Ask this to find out whether an acq-server listens. It reads no file.",
    tag: "service",
    success: json("The server is available", "Health", example.HEALTH),
    errors: [],
    handler: answerHealth,
  },
  {
    ...takeLink("capabilities"),
    description:
      "What this caller may open depends on the flags of the server and on the origin of the page that asks.",
    tag: "service",
    success: json("The capabilities", "Capabilities", example.CAPABILITIES),
    errors: [],
    handler: answerCapabilities,
  },
  {
    ...takeLink("open"),
    id: "openByPath",
    description:
      "Answers once the first plane of each channel is in memory. A path that is one part of an acquisition opens the whole.",
    tag: "acquisitions",
    request: "OpenRequest",
    requestExamples: example.OPEN_REQUESTS,
    success: json("The session and what it holds", "OpenResponse", example.OPEN),
    errors: ["origin_not_allowed", "path_not_allowed", ...OPEN_ERRORS],
    handler: openByPath,
  },
  {
    ...takeLink("pickAndOpen"),
    description:
      "Shows the dialog on the screen of the server and answers when the user has chosen. A cancelled dialog is a 200 with `ok: false`.",
    tag: "acquisitions",
    request: "PickRequest",
    requestExamples: example.PICK_REQUESTS,
    success: json(
      "The session and what it holds, or an error with the code cancelled",
      "OpenResponse",
      example.OPEN,
    ),
    errors: ["cancelled", "dialog_unavailable", "dialog_busy", ...OPEN_ERRORS],
    handler: pickAndOpen,
  },
  {
    method: "POST",
    path: "/api/v2/list",
    id: "listFolder",
    tag: "acquisitions",
    summary: "List the acquisitions and folders in a folder by their names",
    description: "One entry for each acquisition, however many files it has. No file is opened.",
    request: "ListRequest",
    requestExamples: example.LIST_REQUESTS,
    success: json("What lies in the folder", "ListResponse", example.LIST),
    errors: [
      "request_validation_failed",
      "unsupported_media_type",
      "payload_too_large",
      "origin_not_allowed",
      "path_not_allowed",
      "path_not_found",
      "unsupported_format",
      "decode_failed",
      "load_timeout",
      "too_many_opens",
      "shutting_down",
    ],
    handler: answerFolderListing,
  },
  {
    method: "POST",
    path: "/api/v2/export",
    id: "exportArchive",
    tag: "acquisitions",
    summary: "Prepare recordings, with regions and analyses, for one archive of OME-Zarr images",
    description: "Answers with a link that downloads the archive once. Nothing is written on the server.",
    request: "ExportRequest",
    requestExamples: example.EXPORT_REQUESTS,
    success: json("A link to the archive", "ExportResponse", example.EXPORT),
    errors: [
      "origin_not_allowed",
      "path_not_allowed",
      "session_not_found",
      "acquisition_changed",
      "too_many_exports",
      ...OPEN_ERRORS,
    ],
    handler: exportMembers,
  },
  {
    method: "GET",
    path: "/api/v2/exports/{export_id}",
    id: "downloadArchive",
    tag: "acquisitions",
    summary: "The archive of a link, once",
    description: "The archive is made while it is downloaded, so its size is not known before.",
    success: { status: 200, description: "A ZIP file, while it is made", mediaType: "application/zip" },
    errors: [
      "export_not_found",
      "acquisition_changed",
      "decode_failed",
      "load_timeout",
      "session_memory_exceeded",
      "shutting_down",
    ],
    handler: downloadArchive,
  },
  {
    method: "GET",
    path: "/api/v2/exports/{export_id}/state",
    id: "readExportState",
    tag: "acquisitions",
    summary: "How far the download of an archive is",
    description:
      "For pages, which start a download and never see its bytes. Known until 10 minutes after the end.",
    success: json("The state", "ExportState", example.EXPORT_STATE),
    errors: ["export_not_found"],
    handler: readExportState,
  },
  {
    method: "GET",
    path: "/api/v2/sessions/{session_id}",
    id: "readSession",
    tag: "sessions",
    summary: "State of a session",
    description: "Does not prolong the session.",
    success: json("The state", "SessionInfo", example.SESSION),
    errors: ["session_not_found"],
    handler: readSession,
  },
  {
    method: "DELETE",
    path: "/api/v2/sessions/{session_id}",
    id: "deleteSession",
    tag: "sessions",
    summary: "End a session and free its memory",
    description: "Planes that are being downloaded are completed.",
    success: json("The session is gone", "SessionDeleted", example.DELETED),
    errors: ["session_not_found"],
    handler: deleteSession,
  },
  {
    method: "POST",
    path: "/api/v2/sessions/{session_id}/open",
    id: "openAgain",
    tag: "acquisitions",
    summary: "Open the acquisition of a session again, such as another scene, into a new session",
    description: "Needs no path. The session that is named in the path goes on.",
    request: "OpenAgainRequest",
    requestExamples: example.OPEN_AGAIN_REQUESTS,
    success: json("The new session and what it holds", "OpenResponse", example.OPEN),
    errors: ["session_not_found", "acquisition_changed", ...OPEN_ERRORS],
    handler: openAgain,
  },
  {
    method: "GET",
    path: "/api/v2/sessions/{session_id}/metadata",
    id: "readMetadata",
    tag: "sessions",
    summary: "Metadata documents of the file, as they are",
    description: "XML, JSON or text as the microscope wrote them, by name.",
    success: json("The documents", "MetadataDocuments", example.METADATA),
    errors: ["session_not_found", ...READ_AGAIN_ERRORS],
    handler: answerMetadata,
  },
  {
    method: "GET",
    path: "/api/v2/sessions/{session_id}/channels/{channel_index}/data",
    id: "readChannel",
    tag: "sessions",
    summary: "Plane of a source channel, at any time point, focus plane and wavelength, or a run of planes",
    description: "Without `t`, `z` and `l` it is the plane of the opened position, which is in memory. " +
      "A range, such as `t=0-99`, answers consecutive planes, one after the other; `Range` is ignored then. " +
      "At most two runs of a session and four in all are sent at the same time. If the file has no plane at some " +
      "positions of a run, the error `plane_not_found` lists them in `missing`. If a later plane fails, the body ends short.",
    success: plane,
    ranges: true,
    positions: true,
    runs: true,
    errors: [
      ...PLANE_ERRORS,
      ...READ_AGAIN_ERRORS,
      "channel_not_found",
      "plane_not_found",
      "range_not_satisfiable",
    ],
    handler: readChannel,
  },
  {
    method: "GET",
    path: "/api/v2/sessions/{session_id}/reference/channels/{channel_index}/data",
    id: "readReferenceChannel",
    tag: "sessions",
    summary: "Plane of a channel of the reference image",
    description: "The reference image has one position: `t`, `z` and `l` are 0.",
    success: plane,
    ranges: true,
    positions: true,
    errors: [...PLANE_ERRORS, "reference_channel_not_found", "range_not_satisfiable"],
    handler: readReferenceChannel,
  },
  {
    ...takeLink("openapi"),
    description: "Made from the table that routes requests.",
    tag: "pages",
    success: { status: 200, description: "The OpenAPI document", mediaType: "application/json" },
    errors: [],
    handler: async (_c, { version }) => {
      const { buildOpenapiDocument } = await import("./openapi.ts");
      return respondWithJson(buildOpenapiDocument(ENDPOINTS, version));
    },
  },
  {
    ...takeLink("schemas"),
    description: "Documents of collections, such as regions and analyses.",
    tag: "pages",
    summary: "The JSON Schemas of the collection documents",
    success: json("Paths of the schemas", "SchemaIndex", example.SCHEMAS),
    errors: [],
    handler: serveSchemaIndex,
  },
  {
    method: "GET",
    path: "/schemas/{file}",
    id: "readSchema",
    tag: "pages",
    summary: "JSON Schema (draft 2020-12) of one kind of collection document",
    description: "Take the name from the list at `/schemas`.",
    success: { status: 200, description: "The JSON Schema", mediaType: "application/schema+json" },
    errors: ["not_found"],
    handler: serveDocumentSchema,
  },
  {
    ...takeLink("docs"),
    description: "This document, to try out in a browser.",
    tag: "pages",
    success: page,
    errors: [],
    handler: serveDocsPage,
  },
  {
    ...takeLink("demo"),
    description: "Shows, measures and saves recordings.",
    tag: "pages",
    success: page,
    errors: [],
    handler: serveDemoPage,
  },
];

/** Paths outside the contract: short paths that people type, files of pages, the manual, and clients for programs. `{path...}` is the rest of a path. */
const PAGES: Readonly<Record<string, Handler>> = {
  "/": () => redirect("/demo/v2/"),
  "/demo": () => redirect("/demo/v2/"),
  "/demo/": () => redirect("/demo/v2/"),
  "/demo/v2": () => redirect("/demo/v2/"),
  "/docs/": () => redirect("/docs"),
  "/manual": () => redirect("/README.md"),
  "/manual/": () => redirect("/README.md"),
  "/schemas/": () => redirect("/schemas"),
  "/static/{path...}": servePageFile,
  "/README.md": readManual,
  "/CHANGELOG.md": readManual,
  "/CONTRIBUTING.md": readManual,
  "/SECURITY.md": readManual,
  "/CITATION.cff": readManual,
  "/LICENSE": readManual,
  "/docs/{path...}": readManual,
  "/examples/{path...}": readManual,
  "/client/v2/{file}": serveClientFile,
};

/** All routes. A GET also answers HEAD. */
export const ROUTES: readonly Pick<Endpoint, "method" | "path" | "handler">[] = [
  ...ENDPOINTS,
  ...Object.entries(PAGES).map(([path, handler]) => ({ method: "GET" as const, path, handler })),
];
