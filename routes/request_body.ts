/** Reads and validates the JSON body of a request. */
import type { z } from "zod";
import { quoted } from "../readers/errors.ts";
import { MAX_ITEMS } from "../schemas/served.ts";
import type { SchemaName, Schemas } from "./endpoint.ts";
import {
  type Detail,
  PayloadTooLarge,
  RequestError,
  RequestValidationFailed,
  UnsupportedMediaType,
} from "./errors.ts";

/** Bytes that a request body may have. */
const MAX_BODY_BYTES = 1 << 20;

/** A body that is not complete after this time is given up. */
const BODY_TIMEOUT_MS = 30_000;

/** Fields that a request body may have, known or not. */
const MAX_FIELDS = 64;

/** Faults that an answer lists; a body can have a million. */
const MAX_DETAILS = 20;

/**
 * The validated body of a POST.
 *
 * @param name of its schema
 * @param emptyMeansObject whether an empty body counts as `{}`
 * @throws {UnsupportedMediaType | PayloadTooLarge | RequestValidationFailed}
 */
export async function readBody<Name extends SchemaName>(
  request: Request,
  name: Name,
  emptyMeansObject: boolean,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<z.infer<Schemas[Name]>> {
  if (!emptyMeansObject) checkContentType(request);
  const bytes = await readBytes(request, timeoutMs);
  const schema = await loadedSchema(name);
  if (emptyMeansObject && bytes.length === 0) return schema.parse({});
  checkContentType(request);
  let value: unknown;
  try {
    value = JSON.parse(decode(bytes));
  } catch (cause) {
    if (cause instanceof RequestValidationFailed) throw cause;
    throw faulty(
      [],
      `The body is not valid JSON: ${cause instanceof Error ? cause.message : cause}`,
      "json_invalid",
    );
  }
  checkExtent(value);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RequestValidationFailed(result.error.issues.flatMap(detailsOf).slice(0, MAX_DETAILS));
}

/** Zod is loaded with the first body, not when the server starts. */
async function loadedSchema<Name extends SchemaName>(name: Name): Promise<z.ZodType<z.infer<Schemas[Name]>>> {
  const schemas: { [N in SchemaName]: z.ZodType<z.infer<Schemas[N]>> } = await import("../schemas/http.ts");
  return schemas[name];
}

/** Refuses a value with so many parts that looking for its faults would take long. */
function checkExtent(value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const fields = Object.entries(value);
  if (fields.length > MAX_FIELDS) {
    throw faulty([], `has ${fields.length} fields, more than ${MAX_FIELDS}`, "too_big");
  }
  for (const [name, field] of fields) {
    if (Array.isArray(field) && field.length > MAX_ITEMS) {
      throw faulty([name.slice(0, 64)], `has ${field.length} items, more than ${MAX_ITEMS}`, "too_big");
    }
  }
}

function detailsOf(issue: z.core.$ZodIssue): Detail[] {
  const at = (...keys: string[]) => ["body", ...issue.path.map(String), ...keys];
  const type = issue.code;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      location: at(key.slice(0, 64)),
      message: "there is no such field",
      type,
    }));
  }
  return [{ location: at(), message: faultOf(issue), type }];
}

/** The fault in plain words; patterns and refinements of the schemas have their own messages. */
function faultOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int"
        ? "must be an integer"
        : `must be ${article(issue.expected)} ${issue.expected}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? "must not be empty"
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string" || issue.origin === "array"
        ? `must not be longer than ${issue.maximum}`
        : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const article = (noun: string) => /^[aeiou]/.test(noun) ? "an" : "a";

/** A {@linkcode RequestValidationFailed} about the body. */
export function faulty(path: readonly string[], message: string, type: string): RequestValidationFailed {
  return new RequestValidationFailed([{ location: ["body", ...path], message, type }]);
}

function checkContentType({ headers }: Request): void {
  const contentType = headers.get("content-type");
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";").map((part) => part.trim());
  if (type !== "application/json") {
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

async function readBytes(request: Request, timeoutMs: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => {});
  }, timeoutMs);
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MAX_BODY_BYTES) {
        void reader.cancel().catch(() => {});
        throw tooLarge();
      }
      chunks.push(value);
    }
  } catch (cause) {
    if (cause instanceof RequestError) throw cause;
    if (!late) throw faulty([], "The body ended before it was complete", "body_incomplete");
  } finally {
    clearTimeout(timer);
  }
  if (late) throw faulty([], `The body was not complete after ${timeoutMs / 1000} s`, "body_timeout");
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const tooLarge = () => new PayloadTooLarge(`The body is larger than ${MAX_BODY_BYTES} bytes`);

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw faulty([], "The body is not valid UTF-8", "utf8_invalid");
  }
}
