/**
 * The ways in which the life of a session can fail, as tagged classes; `routes/error_table.ts` maps each tag to
 * a code and a status. See also `readers/errors.ts`.
 */

/** Every tag of a {@linkcode SessionError}. */
export type SessionErrorTag =
  | "LoadTimeout"
  | "SessionMemoryExceeded"
  | "TooManyOpens"
  | "SessionNotFound"
  | "ChannelNotFound"
  | "ReferenceChannelNotFound"
  | "DialogUnavailable"
  | "DialogBusy"
  | "ClientGone"
  | "ShuttingDown";

/** Base of all tagged session errors. */
export abstract class SessionError extends Error {
  /** Names the kind of failure; the error table is keyed by it. */
  abstract readonly tag: SessionErrorTag;
  /** Seconds after which a new try makes sense, where there is such a time. */
  readonly retryAfter: number | null = null;

  /** Takes one sentence without a full stop. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Opening took longer than the load time-out; queue, reading and decoding count. */
export class LoadTimeout extends SessionError {
  /** Key in the error table. */
  readonly tag = "LoadTimeout";
}

/** The open would pass the memory budget of all sessions. */
export class SessionMemoryExceeded extends SessionError {
  /** Key in the error table. */
  readonly tag = "SessionMemoryExceeded";
}

/** More opens wait than the queue holds. */
export class TooManyOpens extends SessionError {
  /** Key in the error table. */
  readonly tag = "TooManyOpens";
  /** Seconds. */
  override readonly retryAfter = 2;
}

/** Unknown, deleted or expired session. */
export class SessionNotFound extends SessionError {
  /** Key in the error table. */
  readonly tag = "SessionNotFound";
}

/** The session holds no such source channel. */
export class ChannelNotFound extends SessionError {
  /** Key in the error table. */
  readonly tag = "ChannelNotFound";
}

/** The session holds no such reference channel. */
export class ReferenceChannelNotFound extends SessionError {
  /** Key in the error table. */
  readonly tag = "ReferenceChannelNotFound";
}

/** No dialog program, no display, or the program failed. */
export class DialogUnavailable extends SessionError {
  /** Key in the error table. */
  readonly tag = "DialogUnavailable";
}

/** A dialog is already open, or the asking page had too many cancelled. */
export class DialogBusy extends SessionError {
  /** Key in the error table. */
  readonly tag = "DialogBusy";
  /** Seconds. */
  override readonly retryAfter: number | null;

  /** Takes the seconds to wait, or `null` when that depends on the user. */
  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** The client went away before its answer; nobody reads this. */
export class ClientGone extends SessionError {
  /** Key in the error table. */
  readonly tag = "ClientGone";
}

/** The server is stopping. */
export class ShuttingDown extends SessionError {
  /** Key in the error table. */
  readonly tag = "ShuttingDown";
}
