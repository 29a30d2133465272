/** Failures of requests, as classes tagged with their codes, and the answer to any failure. Only this file writes error bodies. */
import type { z } from "zod";
import { CodedError, makeTaggedClass } from "../readers/errors.ts";
import type { ValidationDetail } from "../schemas/http.ts";
import { ERRORS } from "../schemas/served.ts";
import { findErrorCode, SessionError } from "../session/errors.ts";
import { PlanesNotFound } from "../session/plane_runs.ts";
import { respondWithJson } from "./context.ts";

/** Base of all request errors. */
export abstract class RequestError extends CodedError {
  readonly headers: Readonly<Record<string, string>>;

  /** `message` is one sentence without a full stop. */
  constructor(message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.headers = headers;
  }
}

/** One fault of a request. */
export type Detail = z.infer<typeof ValidationDetail>;

/** The request does not have the form that the endpoint expects. */
export class RequestValidationFailed extends makeTaggedClass(RequestError, "request_validation_failed") {
  constructor(readonly details: readonly Detail[]) {
    super(details.map(({ location, message }) => `${location.join(".")}: ${message}`).join("; "));
  }
}

/** A body that is not `application/json` in UTF-8. */
export class UnsupportedMediaType extends makeTaggedClass(RequestError, "unsupported_media_type") {}

/** The body is larger than `most` bytes. */
export class PayloadTooLarge extends makeTaggedClass(RequestError, "payload_too_large") {
  constructor(most: number) {
    super(`The body is larger than ${most} bytes`);
  }
}

/** Pages of this origin may not name paths. */
export class OriginNotAllowed extends makeTaggedClass(RequestError, "origin_not_allowed") {}

/** The `Host` header names no loopback address, or the request target no valid one. */
export class HostNotAllowed extends makeTaggedClass(RequestError, "host_not_allowed") {}

/** A range outside the payload of `size` bytes. */
export class RangeNotSatisfiable extends makeTaggedClass(RequestError, "range_not_satisfiable") {
  constructor(message: string, size: number) {
    super(message, { "Content-Range": `bytes */${size}`, "Accept-Ranges": "bytes" });
  }
}

/** The resource does not exist. */
export class NotFound extends makeTaggedClass(RequestError, "not_found") {}

/** The resource supports only the methods `allowed`. */
export class MethodNotAllowed extends makeTaggedClass(RequestError, "method_not_allowed") {
  constructor(message: string, allowed: readonly string[]) {
    super(message, { Allow: allowed.join(", ") });
  }
}

/** The user closed the dialog without choosing. In the contract this is not an HTTP failure. */
export class Cancelled extends makeTaggedClass(RequestError, "cancelled") {}

/** The answer to a failure. */
export function respondWithError(error: unknown): Response {
  const known = findErrorCode(error);
  const code = known ?? "internal_error";
  const message = known === null ? ERRORS.internal_error[1] : (error as Error).message;
  const own = error instanceof RequestValidationFailed ? error.details : [];
  const details = code === "request_validation_failed" ? own : null;
  const [status] = ERRORS[code];
  const retryAfter = error instanceof SessionError ? error.retryAfter : null;
  const missing = error instanceof PlanesNotFound ? { missing: error.missing } : {};
  return respondWithJson({ ok: false, error: code, message, details, ...missing }, status, {
    ...(error instanceof RequestError && error.headers),
    ...(retryAfter !== null && { "Retry-After": String(retryAfter) }),
  });
}
