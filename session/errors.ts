/** Failures in the life of a session, as classes tagged with their codes. */
import { CodedError, makeTaggedClass } from "../readers/errors.ts";
import type { ErrorCode } from "../schemas/served.ts";

/** Base of all session errors. */
export abstract class SessionError extends CodedError {
  /** Seconds after which the client should try again, if known. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    { retryAfter = null, ...options }: ErrorOptions & { readonly retryAfter?: number | null } = {},
  ) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

/** Waiting, reading and decoding together took longer than the load time-out. */
export class LoadTimeout extends makeTaggedClass(SessionError, "load_timeout") {}

/** The work would exceed the memory budget of all sessions. */
export class SessionMemoryExceeded extends makeTaggedClass(SessionError, "session_memory_exceeded") {}

/** The queue for workers is full. */
export class TooManyOpens extends makeTaggedClass(SessionError, "too_many_opens") {
  constructor(message: string) {
    super(message, { retryAfter: 2 });
  }
}

/** Unknown, deleted or expired session. */
export class SessionNotFound extends makeTaggedClass(SessionError, "session_not_found") {}

/** Unknown, used or expired link to an archive. */
export class ExportNotFound extends makeTaggedClass(SessionError, "export_not_found") {}

/** Too many links to archives wait for their download. */
export class TooManyExports extends makeTaggedClass(SessionError, "too_many_exports") {}

/** The session has no such source channel. */
export class ChannelNotFound extends makeTaggedClass(SessionError, "channel_not_found") {}

/** The session has no such reference channel. */
export class ReferenceChannelNotFound extends makeTaggedClass(SessionError, "reference_channel_not_found") {}

/** No dialog program is installed, there is no display, or the program failed. */
export class DialogUnavailable extends makeTaggedClass(SessionError, "dialog_unavailable") {}

/** A dialog is already open, or too many dialogs of foreign pages were cancelled. */
export class DialogBusy extends makeTaggedClass(SessionError, "dialog_busy") {}

/** The client left before it was answered, so nobody receives the answer. */
export class ClientGone extends makeTaggedClass(SessionError, "cancelled") {}

/** The server is stopping. */
export class ShuttingDown extends makeTaggedClass(SessionError, "shutting_down") {
  constructor() {
    super("The server is stopping");
  }
}

/** The code of a known failure; `null` for a bug in the program. */
export function findErrorCode(error: unknown): ErrorCode | null {
  return error instanceof CodedError ? error.tag : null;
}
