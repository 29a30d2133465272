/** Reads and validates the JSON body of a request. */
import type { z } from "zod";
import { PayloadTooLarge, RequestValidationFailed, UnsupportedMediaType } from "./errors.ts";

/** Bytes that a request body may have. */
export const MAX_BODY_BYTES = 1 << 20;

/** A body that is not complete after this time is given up. */
export const BODY_TIMEOUT_MS = 30_000;

/**
 * The validated body of a POST.
 *
 * @param emptyMeansObject whether a missing body counts as `{}`
 * @throws {UnsupportedMediaType | PayloadTooLarge | RequestValidationFailed}
 */
export async function readBody<T extends z.ZodType>(
  request: Request,
  schema: T,
  emptyMeansObject: boolean,
  timeoutMs = BODY_TIMEOUT_MS,
): Promise<z.infer<T>> {
  const contentType = request.headers.get("content-type");
  const empty = request.body === null || request.headers.get("content-length") === "0";
  if (!(emptyMeansObject && empty)) checkContentType(contentType);
  const bytes = await readBytes(request, timeoutMs);
  const text = bytes.length === 0 && emptyMeansObject ? "{}" : decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw faulty([], `The body is not valid JSON: ${(cause as Error).message}`, "json_invalid");
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RequestValidationFailed(
    result.error.issues.flatMap((issue) => {
      const at = (key?: string) => ["body", ...issue.path.map(String), ...(key === undefined ? [] : [key])];
      const type = issue.code;
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((key) => ({ location: at(key), message: "There is no such field", type }));
      }
      return [{ location: at(), message: issue.message, type }];
    }),
  );
}

/** A {@linkcode RequestValidationFailed} about the body. */
export function faulty(path: readonly string[], message: string, type: string): RequestValidationFailed {
  return new RequestValidationFailed([{ location: ["body", ...path], message, type }]);
}

function checkContentType(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";").map((part) => part.trim());
  if (type !== "application/json") {
    throw new UnsupportedMediaType(
      `The body must be sent as "Content-Type: application/json", not ${
        contentType === null ? "without a type" : `"${contentType}"`
      }`,
    );
  }
  const charset = parameters.find((p) => p.startsWith("charset="))?.slice("charset=".length).replaceAll(
    '"',
    "",
  );
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8") {
    throw new UnsupportedMediaType(`The body must be UTF-8, not "${charset}"`);
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
    if (cause instanceof PayloadTooLarge) throw cause;
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
