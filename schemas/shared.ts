/** Types shared by the four kinds of documents. All rules are structures and patterns, which JSON Schema can express too. */
import { z } from "zod";

/** Non-empty text. */
export const text = z.string().min(1);

/** Id of a document, member, region or resource. */
export const opaqueId = text.describe("Opaque id");

/**
 * Slash-separated path relative to the root of the collection: no leading slash, no scheme, no backslash, `?` or
 * `#`, and no segment `.` or `..`.
 */
export const RELATIVE_PATH = /^(?!\/)(?![A-Za-z][A-Za-z0-9+.\-]*:)(?!(?:[^\/]*\/)*\.{1,2}(?:\/|$))[^\\?#]+$/;

/** At most 64 folders, as in every name that this program follows. Each further one costs a look at the disk. */
const SHALLOW_PATH = /^(?:[^\/]*\/){0,64}[^\/]*$/;

/** {@linkcode RELATIVE_PATH} with at most 64 folders. */
export const relativePath = z.string().regex(SHALLOW_PATH, {
  error: "must have at most 64 folders",
  abort: true,
}).regex(RELATIVE_PATH, {
  error: 'must be a relative path: no leading "/", no scheme, no "\\", "?" or "#", no "." or ".." segment',
}).describe("Path relative to the root of the collection");

/** Any JSON object. */
export const freeObject = z.record(z.string(), z.unknown());

/** `[x, y]`: column and row from 0, in pixels of the full resolution. */
export const pixelPoint = z.array(z.int().min(0)).length(2).describe("[x, y] in pixels from 0");

const DATE = "(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|" +
  "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|" +
  "02-(?:0[1-9]|1\\d|2[0-8])))";
const CLOCK = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?";
const LEAP_SECOND = "23:59:60(?:\\.\\d+)?[Zz]";
const OFFSET = "(?:[Zz]|[+\\-](?:[01]\\d|2[0-3]):[0-5]\\d)";

/** RFC 3339 date and time with seconds and offset. */
export const dateTime = z.string()
  .regex(new RegExp(`^${DATE}[Tt](?:${CLOCK}${OFFSET}|${LEAP_SECOND})$`), {
    error: "must be an RFC 3339 date and time with seconds and offset, such as 2026-01-31T08:30:00Z",
  })
  .meta({ format: "date-time" });

/** The program that wrote a document. */
export const producer = z.strictObject({ name: text, version: text.optional() });

/** A table that accompanies the images. */
export const csvResource = z.strictObject({
  id: opaqueId,
  media_type: z.literal("text/csv"),
  path: relativePath,
});
