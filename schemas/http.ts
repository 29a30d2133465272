/** The JSON bodies of the HTTP contract v2, for validating requests and for the OpenAPI document. */
import { z } from "zod";
import { axisDisplay, roi } from "./documents.ts";
import { type ErrorCode, ERRORS, MAX_ITEMS, SERVED } from "./served.ts";
import { freeObject, opaqueId, text } from "./shared.ts";

/** Schemas by their name in the OpenAPI document. */
export const HTTP_SCHEMAS = z.registry<{ id: string }>();

/** A JSON object with exactly these fields. */
function defineObject<Shape extends z.core.$ZodLooseShape>(id: string, about: string, shape: Shape) {
  const schema = z.strictObject(shape).describe(about);
  HTTP_SCHEMAS.add(schema, { id });
  return schema;
}

const string = (about: string) => z.string().describe(about);
const strings = (about: string) => z.array(z.string()).describe(about);

const binary = {
  servedDtype: z.literal(SERVED.servedDtype).describe("Sample type of every served plane"),
  encoding: z.literal(SERVED.encoding).describe("Little-endian 32-bit floats without any header"),
  layout: z.literal(SERVED.layout).describe("Row after row; planes are never transposed"),
  mediaType: z.literal(SERVED.mediaType).describe("Content type of the binary payload"),
};
const apiVersion = z.literal("v2").describe("Version of the HTTP contract");
const ok = z.literal(true).describe("true for every success");
const count = z.int().nonnegative();
const hasNoRepeats = (items: readonly unknown[]) => new Set(items).size === items.length;

const sampleType = z.enum([
  "bool",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "int8",
  "int16",
  "int32",
  "int64",
  "float16",
  "float32",
  "float64",
]);

const extension = z.string().max(64).regex(
  /^\.[^\s/\\]+$/,
  "must start with a dot and contain no blank or slash",
);

const channelIndices = z.array(z.int().nonnegative())
  .min(1)
  .max(MAX_ITEMS)
  .refine(hasNoRepeats, { message: "must not name a channel twice" })
  .meta({ uniqueItems: true })
  .nullable()
  .optional()
  .describe("Channels to load, in the order of the answer; absent or null loads all");

const scene = z.int().nonnegative()
  .nullable()
  .optional()
  .describe(
    "Scene (series, position, image) to open, from 0; absent or null opens the one that the file belongs to",
  );

/** Absolute paths on this server's system, for the OpenAPI document; `open.ts` refuses relative paths with a better message. */
const ABSOLUTE_PATH = Deno.build.os === "windows" ? "^([A-Za-z]:)?[\\\\/][^\\u0000]*$" : "^/[^\\u0000]*$";

const absolutePath = z.string()
  .min(1)
  .refine((path) => path.trim() !== "", "must not be blank")
  .refine((path) => !path.includes("\0"), "must not contain a NUL character")
  .meta({ pattern: ABSOLUTE_PATH });

/** Body of `POST /api/v2/open`. */
export const OpenRequest = defineObject("OpenRequest", "Names an acquisition by its path", {
  path: absolutePath.describe(
    "Absolute path of the acquisition, as the server sees it; ~ is not expanded",
  ),
  channelIndices,
  scene,
});

/** Body of `POST /api/v2/pick-and-open`. */
export const PickRequest = defineObject("PickRequest", "All fields are optional; {} is valid", {
  channelIndices,
  scene,
  extensions: z.array(extension)
    .min(1)
    .max(MAX_ITEMS)
    .refine((list) => hasNoRepeats(list.map((e) => e.toLowerCase())), {
      message: "must not name an extension twice",
    })
    .meta({ uniqueItems: true })
    .nullable()
    .optional()
    .describe(
      "Extensions that the dialog shows, each with a leading dot; absent or null shows all that are allowed",
    ),
});

/** Body of `POST /api/v2/sessions/{session_id}/open`. */
export const OpenAgainRequest = defineObject("OpenAgainRequest", "All fields are optional; {} is valid", {
  channelIndices,
  scene,
});

const exportedTable = z.strictObject({
  id: opaqueId.optional(),
  name: text.describe("Name for people, kept in the summary of its analysis"),
  csv: string("The table: RFC 4180, with a header of distinct names"),
});

const exportedAnalysis = z.strictObject({
  id: opaqueId.optional(),
  type: text.describe("What was measured, such as velocity"),
  roiId: opaqueId.optional().describe("Id of a region of this member"),
  channel: count.optional().describe("Index among the loaded channels, ascending"),
  parameters: freeObject.optional().describe("How it was measured"),
  summary: freeObject.optional().describe("What came out"),
  tables: z.array(exportedTable).min(1).max(MAX_ITEMS).describe("Its tables, at least one"),
});

const exportedMember = z.strictObject({
  sessionId: z.string().optional().describe("A live session, whose loaded channels are exported"),
  path: absolutePath.optional().describe("Absolute path of an acquisition, as the server sees it"),
  scene,
  id: opaqueId.optional(),
  name: text.optional().describe("Name of the member; that of the file by default"),
  accepted: z.boolean().optional().describe(
    "Whether the recording is accepted. A field that is absent, from here on, has the value of its collection, if it is in one",
  ),
  rois: z.array(roi).max(MAX_ITEMS).optional().describe("Regions, as documents v1 writes them"),
  axisDisplay: axisDisplay.optional().describe("Steps and units by OME axis names"),
  experimentMetadata: freeObject.optional().describe("Anything about the experiment"),
  imageMetadata: freeObject.optional().describe("Anything about the image"),
  analyses: z.array(exportedAnalysis).max(MAX_ITEMS).optional().describe("What was measured in it"),
}).refine((member) => (member.sessionId === undefined) !== (member.path === undefined), {
  error: "must have either sessionId or path",
}).refine((member) => member.sessionId === undefined || member.scene == null, {
  error: "a session has a scene already",
  path: ["scene"],
});

/** Largest number of recordings in an order; the command \`acq-server export\` takes more. */
const MAX_EXPORTED = 1000;

/** Body of `POST /api/v2/export`. */
export const ExportRequest = defineObject("ExportRequest", "Recordings for one archive", {
  id: opaqueId.optional().describe("Id of the collection; a new one by default"),
  name: text.optional().describe("Name of the collection and of the file"),
  members: z.array(exportedMember).min(1).max(MAX_EXPORTED).describe(
    "Recordings, in the order of the archive",
  ),
  images: z.enum(["all", "opened", "none"]).optional().describe(
    "all positions (the default), the opened time point and focus plane, or documents and tables alone",
  ),
});

/** Answer of `POST /api/v2/export`. */
export const ExportResponse = defineObject("ExportResponse", "A link to the archive", {
  ok,
  apiVersion,
  downloadUrl: string("Path on this server that answers with the ZIP file, once"),
  expiresInSeconds: z.number().positive().describe("Seconds in which the download can begin"),
  warnings: strings("What the archive lacks or changes"),
});

/** Answer of `GET /api/v2/exports/{export_id}/state`. */
export const ExportState = defineObject("ExportState", "How far the download of an archive is", {
  ok,
  apiVersion,
  state: z.enum(["waiting", "streaming", "done", "failed"]).describe(
    "waiting for its download, streaming, done when all bytes were handed over, or failed: the ZIP file is then incomplete",
  ),
  message: z.string().nullable().describe("Why it failed, or null"),
});

/** Body of `POST /api/v2/list`. */
export const ListRequest = defineObject("ListRequest", "Names a folder by its path", {
  path: absolutePath.describe("Absolute path of a folder, as the server sees it; ~ is not expanded"),
  contains: z.string().max(255).optional().describe(
    "Lists only what has this text in its name; case does not matter",
  ),
});

/** Answer of `GET /api/v2/health`. */
export const Health = defineObject("Health", "The one answer with snake_case names", {
  ok: z.literal(true).describe("true when the server is available"),
  api_version: z.literal("v2").describe("Version of the HTTP contract"),
  server_version: string("Version of the server program, independent of the contract"),
});

const Link = defineObject("Link", "Where a resource is", {
  href: string("Path on this server"),
  method: z.enum(["GET", "POST"]).describe("HTTP method"),
  description: string("What it is for"),
});

/** Answer of `GET /api/v2`. */
export const Index = defineObject("Index", "Entry point of the contract", {
  ok,
  apiVersion,
  description: string("What this server does"),
  links: z.strictObject({
    health: Link,
    capabilities: Link,
    open: Link,
    pickAndOpen: Link,
    openapi: Link,
    docs: Link,
    demo: Link,
    schemas: Link,
  }).describe("The resources of this server by name"),
});

/** Answer of `GET /api/v2/capabilities`. */
export const Capabilities = defineObject(
  "Capabilities",
  "What this server can open and how it serves planes",
  {
    ok,
    apiVersion,
    supportedImportExtensions: strings(
      "Extensions that this build reads: lower case, leading dot, sorted",
    ),
    allowedImportExtensions: strings(
      "Extensions that the operator allows, a part of the supported ones",
    ),
    binary: z.strictObject(binary).describe("How planes are served"),
    sessionTtlSeconds: z.number().positive().describe(
      "Time to live of a session in seconds, from its creation",
    ),
    dialogAvailable: z.boolean().describe(
      "Whether the machine of the server has a dialog program and a display",
    ),
    openByPath: z.boolean().describe(
      "Whether the client may open files by path, by its origin and the flags of the server",
    ),
  },
);

const Source = defineObject("Source", "What was opened", {
  path: string("Absolute path of the opened file with links resolved"),
  name: string("File name"),
  format: string("Short name of the format, such as tif, ome.zarr, oir"),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/).nullable().describe(
    "Identifies the content by sizes and some bytes of its files, equal after a copy or a move, for each file of a set and " +
      "each scene; null where a file cannot be read",
  ),
  sourceDtype: sampleType.describe("Sample type in the file, of the first loaded channel"),
  numChannels: count.describe("Channels of the file, also when fewer are loaded"),
});

const Header = defineObject("Header", "Normalized metadata of the whole acquisition", {
  shape: z.array(count).describe("Size per dimension of the whole array of the opened scene"),
  dims: z.array(z.enum(["T", "L", "C", "Z", "Y", "X"])).describe(
    "Names of the dimensions, aligned with shape, always in the order T L C Z Y X; those of size 1 are left out, except Y and X",
  ),
  sizes: z.record(z.string(), count).describe("Size by dimension name"),
  dtype: sampleType.describe("Sample type in the file, of the first loaded channel"),
  numChannels: count.describe("Channels of the file"),
  physicalUnits: z.array(z.number().positive()).describe(
    "Physical step per dimension; 1 without calibration",
  ),
  physicalUnitsLabels: strings(
    "Unit of each step: um, seconds, Pixels without calibration, any other unit as the file writes it",
  ),
  date: z.string().regex(/^(\d{8})?$/).describe("Date of acquisition as YYYYMMDD, or empty"),
  time: z.string().regex(/^(\d{2}:\d{2}:\d{2})?$/).describe(
    "Time of acquisition as HH:MM:SS as the microscope wrote it, or empty",
  ),
  fileSize: string(
    "Size of all files of the acquisition, such as 4.8 MB, or empty for a directory",
  ),
});

const PlaneAxis = defineObject(
  "Axis",
  "One axis of a plane. In a line scan Y is time (seconds per line) and X is space (um per pixel)",
  {
    arrayDimension: z.literal([0, 1]).describe("0 for rows, 1 for columns"),
    name: z.enum(["Y", "X"]).describe("Y for rows, X for columns"),
    size: count.describe("Samples along the axis"),
    step: z.number().positive().describe("Physical step per sample"),
    unit: string("Unit of the step: um, seconds, Pixels, or as the file writes it"),
  },
);

const Plane = defineObject("Plane", "Geometry that all planes of a group share", {
  shape: z.tuple([count, count]).describe("[rows, columns]"),
  axes: z.tuple([PlaneAxis, PlaneAxis]).describe("Rows, then columns"),
  ...binary,
});

const SourceChannel = defineObject("Channel", "One loaded plane", {
  index: count.describe("Channel index in the file"),
  name: string("Name of the channel; CHn where the file has none"),
  color: z.string().regex(/^#[0-9a-f]{6}$/).nullable().describe(
    "Colour in which the file shows the channel, #rrggbb, or null",
  ),
  byteLength: count.describe("Bytes of the payload: 4 x rows x columns"),
  dataUrl: string(
    "Path on this server that answers the payload; ?t=, ?z= and ?l= choose another plane than the first",
  ),
});

const ScanPath = defineObject(
  "ScanPath",
  "Path that the laser travelled, in pixels of the reference plane: arrays of equal length",
  {
    x: z.array(z.number()).describe("Columns of the points"),
    y: z.array(z.number()).describe("Rows of the points"),
  },
);

const Reference = defineObject("Reference", "Reference (overview) image of a line scan", {
  plane: Plane,
  channels: z.array(SourceChannel).describe("All channels of the reference image"),
  lineRoi: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable().describe(
    "[x0, y0, x1, y1], start to end of the scanned line in pixels of the reference plane, or null",
  ),
  scanPath: ScanPath.nullable().describe("Path that the laser travelled, or null. Preferred over lineRoi"),
});

const SceneInfo = defineObject("Scene", "One scene: a series, position or image of the file", {
  index: count.describe("Index to open it by"),
  name: string("As the file says, or Scene n with n = index + 1; distinct"),
  sizes: z.record(z.string(), count).describe(
    "Like header.sizes; empty where it is known only when the scene is opened",
  ),
});

const LineScan = defineObject("LineScan", "How a line scan was made; null where the file does not say", {
  secondsPerLine: z.number().positive().nullable().describe("Seconds from one line to the next"),
  secondsPerPixel: z.number().positive().nullable().describe("Seconds that the laser stays on a pixel"),
  bidirectional: z.boolean().nullable().describe("Whether every second line was scanned backwards"),
});

const CollectionInfo = defineObject("Collection", "The collection that an image is a member of", {
  id: string("Id of the collection"),
  name: string("Name of the collection"),
  member: z.strictObject({
    id: string("Id of the member"),
    name: string("Name of the member"),
    accepted: z.boolean().nullable().describe("Whether it was accepted; null without an image document"),
  }).describe("The opened image"),
});

/** Success of all open endpoints. */
export const OpenResponse = defineObject("OpenResponse", "A new session and its planes", {
  ok,
  apiVersion,
  sessionId: z.string().regex(/^[0-9a-f]{32}$/).describe("Id of the new session"),
  source: Source,
  header: Header,
  scene: count.describe("Index of the opened scene"),
  sceneCount: z.int().positive().describe("Scenes of the file"),
  scenes: z.array(SceneInfo).describe("The scenes of the file, at most the first 10000"),
  times: z.array(z.number()).nullable().describe(
    "Seconds of each time point from the first, or null without time stamps: one per index along T, or per row " +
      "where rows are the time points of a line scan. As in the file: they may repeat or fall",
  ),
  plane: Plane,
  channels: z.array(SourceChannel).describe("One entry per loaded channel, in requested order"),
  reference: Reference.nullable().describe("Reference image, or null when the acquisition has none"),
  position: z.strictObject({
    t: count.describe("Index along T"),
    z: count.describe("Index along Z"),
    l: count.describe("Index along L"),
  }).describe(
    "Position of the loaded planes, the default of t, z and l in data URLs: 0 unless the first planes are missing",
  ),
  lineScan: LineScan.nullable().describe("How a line scan was made, or null for other images"),
  collection: CollectionInfo.nullable().describe("The collection that the image is a member of, or null"),
  warnings: strings(
    "What the user should know, such as a missing companion file",
  ),
  warningCodes: strings("A stable identifier for each of the warnings"),
});

const FolderEntry = defineObject("FolderEntry", "One acquisition, collection or folder", {
  name: string(
    "Name in the folder; of an acquisition in several files, that of the one to open",
  ),
  path: string("Absolute path to open or to list"),
  kind: z.enum(["folder", "image", "collection"]).describe(
    "image for an acquisition, collection for a folder with collection.json or a list of acqstore, folder for any other",
  ),
  format: z.string().nullable().describe(
    "Short name of the format that the extension stands for; null for folders",
  ),
  bytes: count.nullable().describe("Bytes of all files together; null for what is a folder"),
  modified: string("Last change of any of the files, RFC 3339"),
});

/** Answer of `POST /api/v2/list`. */
export const ListResponse = defineObject(
  "ListResponse",
  "Acquisitions and folders in a folder, by their names and, where those do not suffice, headers",
  {
    ok,
    apiVersion,
    path: string("Absolute path of the folder with links resolved"),
    entries: z.array(FolderEntry).describe("Sorted by name, at most 10000"),
    truncated: z.boolean().describe("Whether there are more entries"),
    warnings: strings("What is left out of the list"),
    warningCodes: strings("A stable identifier for each of the warnings"),
  },
);

/** Answer of `GET /api/v2/sessions/{session_id}`. */
export const SessionInfo = defineObject("SessionInfo", "State of a session", {
  ok,
  sessionId: string("Id of the session"),
  ttlSecondsRemaining: z.number().nonnegative().describe(
    "Seconds until the session ends; no request extends it",
  ),
  channelIndices: z.array(count).describe("Loaded source channels, ascending"),
  referenceChannelIndices: z.array(count).describe("Loaded reference channels, ascending"),
  totalBytes: count.describe("Bytes of all planes of the session"),
});

/** Answer of `GET /api/v2/sessions/{session_id}/metadata`. */
export const MetadataDocuments = z.array(z.strictObject({
  name: string("Where the document stands in the file, or the name of its own file"),
  mediaType: string("Such as application/xml, application/json, text/plain"),
  text: string("The document, unchanged"),
})).describe("The metadata documents of the file, 32 MiB at most");
HTTP_SCHEMAS.add(MetadataDocuments, { id: "MetadataDocuments" });

/** Answer of `DELETE /api/v2/sessions/{session_id}`. */
export const SessionDeleted = defineObject("SessionDeleted", "The session is gone", {
  ok,
  sessionId: string("Id of the deleted session"),
  deleted: z.literal(true).describe("true: the session and its planes are gone"),
});

/** Answer of `GET /schemas`. */
export const SchemaIndex = defineObject("SchemaIndex", "JSON Schemas of the collection documents", {
  ok,
  schemas: z.record(z.string(), z.string()).describe("Path of the JSON Schema by document kind"),
});

/** One entry of `details`. */
export const ValidationDetail = defineObject("ValidationDetail", "One fault of a request", {
  location: strings(
    "body, path or query, then the way to the field",
  ),
  message: string("What is wrong"),
  type: string("Kind of the fault"),
});

/** The body of every error. */
export const ErrorBody = defineObject("Error", "Every error of the API has this body", {
  ok: z.literal(false).describe("false for every error"),
  error: z.enum(Object.keys(ERRORS) as ErrorCode[]).describe("Stable code; clients branch on it"),
  message: string("Summary for a person; clients never branch on it"),
  details: z.array(ValidationDetail).nullable().describe(
    "Faults of the request for request_validation_failed, else null",
  ),
  missing: z.array(z.object({
    t: count.describe("Index along T"),
    z: count.describe("Index along Z"),
    l: count.describe("Index along L"),
  })).max(100).optional().describe(
    "Only if planes of a run are missing: their positions, at most 100",
  ),
});
