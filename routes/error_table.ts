/** The table of codes and statuses of all failures. Only this file writes error bodies. */
import { ReaderError, type ReaderErrorTag } from "../readers/errors.ts";
import type { ErrorCode } from "../schemas/http.ts";
import {
  type ErrorRow,
  INTERNAL_MESSAGE,
  row,
  SESSION_ERRORS,
  SessionError,
  type SessionErrorTag,
} from "../session/errors.ts";
import { jsonResponse } from "./context.ts";
import { RequestError, type RequestErrorTag, RequestValidationFailed } from "./errors.ts";

/** Code and status per tag. */
const ERROR_TABLE = {
  ...SESSION_ERRORS,
  Cancelled: row("cancelled", 200),
  RequestValidationFailed: row("request_validation_failed", 422),
  UnsupportedMediaType: row("unsupported_media_type", 415),
  PayloadTooLarge: row("payload_too_large", 413),
  TooManyConnections: row("too_many_opens", 503),
  OriginNotAllowed: row("origin_not_allowed", 403),
  HostNotAllowed: row("host_not_allowed", 403),
  RangeNotSatisfiable: row("range_not_satisfiable", 416),
  NotFound: row("not_found", 404),
  MethodNotAllowed: row("method_not_allowed", 405),
  MalformedRequest: row("request_validation_failed", 400),
  UnknownExpectation: row("request_validation_failed", 417),
  HeadersTooLarge: row("request_validation_failed", 431),
  UnknownTransferCoding: row("request_validation_failed", 501),
} as const satisfies Readonly<Record<ReaderErrorTag | SessionErrorTag | RequestErrorTag, ErrorRow>>;

const INTERNAL_ERROR: ErrorRow = row("internal_error", 500);

/** Errors that every endpoint can return. */
export const COMMON_ERRORS: readonly ErrorRow[] = [
  ERROR_TABLE.MalformedRequest,
  ERROR_TABLE.HostNotAllowed,
  ERROR_TABLE.UnknownExpectation,
  ERROR_TABLE.HeadersTooLarge,
  INTERNAL_ERROR,
  ERROR_TABLE.UnknownTransferCoding,
];

/** The first row with this code. */
export function rowOf(code: ErrorCode): ErrorRow {
  return Object.values(ERROR_TABLE).find((row) => row.code === code) ?? INTERNAL_ERROR;
}

/** True for a failure that has a row; any other failure is a bug of the server. */
export function isKnownError(error: unknown): error is ReaderError | SessionError | RequestError {
  return error instanceof ReaderError || error instanceof SessionError || error instanceof RequestError;
}

/** The answer to a failure. */
export function errorResponse(error: unknown): Response {
  const isKnown = isKnownError(error);
  const { code, status } = isKnown ? ERROR_TABLE[error.tag] : INTERNAL_ERROR;
  const message = isKnown ? error.message : INTERNAL_MESSAGE;
  const own = error instanceof RequestValidationFailed ? error.details : [];
  const details = code === "request_validation_failed" ? own : null;
  const retryAfter = error instanceof SessionError ? error.retryAfter : null;
  return jsonResponse({ ok: false, error: code, message, details }, status, {
    ...(error instanceof RequestError && error.headers),
    ...(retryAfter !== null && { "Retry-After": String(retryAfter) }),
  });
}
