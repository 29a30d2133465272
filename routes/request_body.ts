/** Reads and validates the JSON body of a request. */
import { Buffer } from "node:buffer";
import type { z } from "zod";
import { DecodeFailed, quoted } from "../readers/errors.ts";
import { parseJson, REQUEST_BODY } from "../readers/metadata/json.ts";
import type { Clock } from "../session/clock.ts";
import { TooManyOpens } from "../session/errors.ts";
import type { SchemaName, Schemas } from "./context.ts";
import {
  type Detail,
  PayloadTooLarge,
  RequestError,
  RequestValidationFailed,
  UnsupportedMediaType,
} from "./errors.ts";

/** Largest request body in bytes, by default. */
export const MAX_BODY_BYTES = 1 << 20;

/** Seconds that a body may take to arrive. */
const BODY_SECONDS = 30;

const MAX_DETAILS = 20;

/** Bytes of a body that it may have without room: those of all but pasted lists. */
const SMALL_BODY_BYTES = 16 << 10;

/** Most bytes of larger bodies that are in memory at one time. */
const MAX_BODIES_BYTES = 32 << 20;

/** The room for request bodies that are arriving or being parsed, which no other budget counts. */
export class BodyRoom {
  #used = 0;

  /** Takes room for a body of so many bytes, in place of what it `held` before. @throws {TooManyOpens} there is none */
  take(held: number, bytes: number): number {
    const wanted = Math.max(0, bytes - SMALL_BODY_BYTES);
    if (this.#used - held + wanted > MAX_BODIES_BYTES) {
      throw new TooManyOpens(
        `Other requests have bodies of ${MAX_BODIES_BYTES >> 20} MiB; try again in a moment`,
      );
    }
    this.#used += wanted - held;
    return wanted;
  }

  give(held: number): void {
    this.#used -= held;
  }
}

/** The room of this process. */
const ROOM = new BodyRoom();

/**
 * The validated body of a POST of at most {@linkcode MAX_BODY_BYTES}.
 *
 * @param emptyMeansObject true if an empty body counts as `{}`
 * @throws {UnsupportedMediaType | PayloadTooLarge | RequestValidationFailed | TooManyOpens}
 */
export async function readBody<Name extends SchemaName>(
  request: Request,
  clock: Clock,
  name: Name,
  emptyMeansObject: boolean,
): Promise<z.infer<Schemas[Name]>> {
  if (!emptyMeansObject) checkContentType(request);
  let held = 0;
  try {
    const bytes = await readBytes(request, clock, MAX_BODY_BYTES, (size) => held = ROOM.take(held, size));
    return await parsedBody(request, bytes, name, emptyMeansObject);
  } finally {
    ROOM.give(held);
  }
}

async function parsedBody<Name extends SchemaName>(
  request: Request,
  bytes: Uint8Array,
  name: Name,
  emptyMeansObject: boolean,
): Promise<z.infer<Schemas[Name]>> {
  // Loads Zod with the first body rather than when the server starts.
  const schemas: { [N in SchemaName]: z.ZodType<z.infer<Schemas[N]>> } = await import("../schemas/http.ts");
  const schema = schemas[name];
  if (emptyMeansObject && bytes.length === 0) return schema.parse({});
  checkContentType(request);
  let value: unknown;
  try {
    value = parseJson(bytes, "The body", REQUEST_BODY);
  } catch (error) {
    return reportNotJson(error);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw reportInvalid(result.error.issues);
}

/** Reports a body that is not JSON. @throws {RequestValidationFailed} or any other error as it is */
export function reportNotJson(error: unknown): never {
  if (!(error instanceof DecodeFailed)) throw error;
  throw reportFaulty([], error.message, "json_invalid");
}

/** The error for a body that its schema refuses. */
export const reportInvalid = (issues: readonly z.core.$ZodIssue[]): RequestValidationFailed =>
  new RequestValidationFailed(issues.flatMap(listDetails).slice(0, MAX_DETAILS));

function listDetails(issue: z.core.$ZodIssue): Detail[] {
  const at = (...keys: string[]) => ["body", ...issue.path.map(String), ...keys];
  const type = issue.code;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      location: at(key.slice(0, 64)),
      message: "unknown field",
      type,
    }));
  }
  return [{ location: at(), message: describeFault(issue), type }];
}

/** Message for a fault; patterns and refinements have messages of their own. */
function describeFault(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int"
        ? "must be an integer"
        : `must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? "must not be empty"
        : `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string" || issue.origin === "array"
        ? `must not be longer than ${issue.maximum}`
        : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** A {@linkcode RequestValidationFailed} about the body. */
export function reportFaulty(
  path: readonly string[],
  message: string,
  type: string,
): RequestValidationFailed {
  return new RequestValidationFailed([{ location: ["body", ...path], message, type }]);
}

/** Checks that a body declares JSON in UTF-8. @throws {UnsupportedMediaType} */
export function checkContentType({ headers }: Request): void {
  const contentType = headers.get("content-type");
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";").map((part) => part.trim());
  // Two headers arrive joined by a comma.
  if (type !== "application/json" || contentType!.includes(",")) {
    throw new UnsupportedMediaType(
      `The body must be sent as "Content-Type: application/json", not ${
        contentType === null ? "without a type" : quoted(contentType)
      }`,
    );
  }
  const charset = parameters.find((p) => p.startsWith("charset="))?.slice("charset=".length).replaceAll(
    '"',
    "",
  );
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    throw new UnsupportedMediaType(`The body must be UTF-8, not ${quoted(charset)}`);
  }
}

/** Most bytes that the body may have: its declared length, or `most`. */
export const boundBody = (request: Request, most: number): number =>
  Math.min(most, Number(request.headers.get("content-length") ?? most) || most);

/**
 * The body of a request.
 *
 * @param arrives called with the bytes so far, before they are kept
 * @throws {PayloadTooLarge | RequestValidationFailed} it is too large, incomplete or late
 */
export async function readBytes(
  request: Request,
  clock: Clock,
  most: number,
  arrives: (bytes: number) => void = () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > most) throw new PayloadTooLarge(most);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  const late = Promise.withResolvers<never>();
  const cancelDeadline = clock.after(BODY_SECONDS * 1000, () => {
    late.reject(reportFaulty([], `The body did not arrive within ${BODY_SECONDS} s`, "body_incomplete"));
  });
  try {
    while (reader !== undefined) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) break;
      size += value.length;
      if (size > most) throw new PayloadTooLarge(most);
      arrives(size);
      chunks.push(value);
    }
  } catch (cause) {
    void reader?.cancel().catch(() => {});
    if (cause instanceof RequestError || cause instanceof TooManyOpens) throw cause;
    throw reportFaulty([], "The body is incomplete", "body_incomplete");
  } finally {
    cancelDeadline();
  }
  return Buffer.concat(chunks);
}
