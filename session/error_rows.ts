/** The code and the HTTP status of each failure of a reader or a session, for the routes and for the commands. */
import { ReaderError, type ReaderErrorTag } from "../readers/errors.ts";
import type { ErrorCode } from "../schemas/http.ts";
import { SessionError, type SessionErrorTag } from "./errors.ts";

/** Code and HTTP status of a failure. */
export interface ErrorRow {
  /** `error` of the body. */
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
}

/** Makes a row. */
export const row = (code: ErrorCode, status: number): ErrorRow => ({ code, status });

/** The rows of readers and sessions, by tag; `routes/error_table.ts` adds those of requests. */
export const SESSION_ERRORS: Readonly<Record<ReaderErrorTag | SessionErrorTag, ErrorRow>> = {
  PathNotFound: row("path_not_found", 404),
  PathNotAllowed: row("path_not_allowed", 403),
  UnsupportedFormat: row("unsupported_format", 415),
  InvalidChannelIndices: row("invalid_channel_indices", 422),
  ChannelOutOfRange: row("channel_out_of_range", 422),
  SceneOutOfRange: row("scene_out_of_range", 422),
  PositionOutOfRange: row("position_out_of_range", 422),
  PlaneNotFound: row("plane_not_found", 404),
  AcquisitionChanged: row("acquisition_changed", 409),
  DecodeFailed: row("decode_failed", 500),
  LoadTimeout: row("load_timeout", 504),
  SessionNotFound: row("session_not_found", 404),
  ChannelNotFound: row("channel_not_found", 404),
  ReferenceChannelNotFound: row("reference_channel_not_found", 404),
  SessionMemoryExceeded: row("session_memory_exceeded", 507),
  TooManyOpens: row("too_many_opens", 503),
  DialogUnavailable: row("dialog_unavailable", 501),
  DialogBusy: row("dialog_busy", 409),
  ShuttingDown: row("shutting_down", 503),
  // Nobody waits for this work, so nobody receives the answer.
  ClientGone: row("cancelled", 200),
  Stopped: row("shutting_down", 503),
};

/** Message of a fault of the program itself. */
export const INTERNAL_MESSAGE = "The server made a mistake; its log has the details";

/** The code of a failure of a reader or a session; `null` for a fault of the program. */
export function codeOf(error: unknown): ErrorCode | null {
  const isKnown = error instanceof ReaderError || error instanceof SessionError;
  return isKnown ? SESSION_ERRORS[error.tag].code : null;
}
