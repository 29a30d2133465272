/** Failures in the life of a session, as tagged classes, and the table of the error codes of readers and sessions. */
import { ReaderError, type ReaderErrorTag, tagged } from "../readers/errors.ts";
import type { ErrorCode } from "../schemas/http.ts";

/** Every tag of a {@linkcode SessionError}. */
export type SessionErrorTag =
  | "LoadTimeout"
  | "SessionMemoryExceeded"
  | "TooManyOpens"
  | "SessionNotFound"
  | "ExportNotFound"
  | "TooManyExports"
  | "ChannelNotFound"
  | "ReferenceChannelNotFound"
  | "DialogUnavailable"
  | "DialogBusy"
  | "ClientGone"
  | "ShuttingDown";

/** Options of a {@linkcode SessionError}. */
export interface SessionErrorOptions extends ErrorOptions {
  /** Seconds after which the client should try again. */
  readonly retryAfter?: number | null;
}

/** Base of all tagged session errors. */
export abstract class SessionError extends Error {
  /** Key in the error table. */
  abstract readonly tag: SessionErrorTag;
  /** Seconds after which the client should try again, if known. */
  readonly retryAfter: number | null;

  /** `message` is one sentence without a full stop. */
  constructor(message: string, { retryAfter = null, ...options }: SessionErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.retryAfter = retryAfter;
  }
}

/** Waiting, reading and decoding together took longer than the load time-out. */
export class LoadTimeout extends tagged(SessionError, "LoadTimeout") {}

/** The work would exceed the memory budget of all sessions. */
export class SessionMemoryExceeded extends tagged(SessionError, "SessionMemoryExceeded") {}

/** The queue for workers is full. */
export class TooManyOpens extends tagged(SessionError, "TooManyOpens") {
  constructor(message: string) {
    super(message, { retryAfter: 2 });
  }
}

/** Unknown, deleted or expired session. */
export class SessionNotFound extends tagged(SessionError, "SessionNotFound") {}

/** Unknown, used or expired link to an archive. */
export class ExportNotFound extends tagged(SessionError, "ExportNotFound") {}

/** Too many links to archives wait for their download. */
export class TooManyExports extends tagged(SessionError, "TooManyExports") {}

/** The session has no such source channel. */
export class ChannelNotFound extends tagged(SessionError, "ChannelNotFound") {}

/** The session has no such reference channel. */
export class ReferenceChannelNotFound extends tagged(SessionError, "ReferenceChannelNotFound") {}

/** No dialog program is installed, there is no display, or the program failed. */
export class DialogUnavailable extends tagged(SessionError, "DialogUnavailable") {}

/** A dialog is already open, or too many dialogs of foreign pages were cancelled. */
export class DialogBusy extends tagged(SessionError, "DialogBusy") {}

/** The client left before it was answered. */
export class ClientGone extends tagged(SessionError, "ClientGone") {}

/** The server is stopping. */
export class ShuttingDown extends tagged(SessionError, "ShuttingDown") {}

/** Code and HTTP status of a failure. */
export interface ErrorRow {
  /** `error` of the body. */
  readonly code: ErrorCode;
  readonly status: number;
}

/** Makes a row. */
export const row = (code: ErrorCode, status: number): ErrorRow => ({ code, status });

/** Rows of reader and session errors by tag; `routes/error_table.ts` adds those of requests. */
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
  ExportNotFound: row("export_not_found", 404),
  TooManyExports: row("too_many_exports", 503),
  ChannelNotFound: row("channel_not_found", 404),
  ReferenceChannelNotFound: row("reference_channel_not_found", 404),
  SessionMemoryExceeded: row("session_memory_exceeded", 507),
  TooManyOpens: row("too_many_opens", 503),
  DialogUnavailable: row("dialog_unavailable", 501),
  DialogBusy: row("dialog_busy", 409),
  ShuttingDown: row("shutting_down", 503),
  // Nobody receives this answer.
  ClientGone: row("cancelled", 200),
  Stopped: row("shutting_down", 503),
};

/** Message of a bug in the program. */
export const INTERNAL_MESSAGE = "The server made a mistake; its log has the details";

/** The code of a reader or session error; `null` for a bug in the program. */
export function codeOf(error: unknown): ErrorCode | null {
  const isKnown = error instanceof ReaderError || error instanceof SessionError;
  return isKnown ? SESSION_ERRORS[error.tag].code : null;
}
