/** Failures of a request as such, before or apart from any acquisition. */
import type { z } from "zod";
import type { ValidationDetail } from "../schemas/http.ts";

/** Every tag of a {@linkcode RequestError}. */
export type RequestErrorTag =
  | "RequestValidationFailed"
  | "UnsupportedMediaType"
  | "PayloadTooLarge"
  | "OriginNotAllowed"
  | "HostNotAllowed"
  | "RangeNotSatisfiable"
  | "NotFound"
  | "MethodNotAllowed"
  | "MalformedRequest"
  | "TooManyConnections"
  | "HeadersTooLarge"
  | "UnknownExpectation"
  | "UnknownTransferCoding"
  | "Cancelled";

/** Base of all tagged request errors. */
export abstract class RequestError extends Error {
  /** Names the kind of failure; the error table is keyed by it. */
  abstract readonly tag: RequestErrorTag;
  /** Headers that the answer carries. */
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** One fault of a request. */
export type Detail = z.infer<typeof ValidationDetail>;

/** The request is not of the form that the endpoint takes. */
export class RequestValidationFailed extends RequestError {
  readonly tag = "RequestValidationFailed";
  readonly details: readonly Detail[];

  constructor(details: readonly Detail[]) {
    super(details.map(({ location, message }) => `${location.join(".")}: ${message}`).join("; "));
    this.details = details;
  }
}

/** A body that is not `application/json` in UTF-8. */
export class UnsupportedMediaType extends RequestError {
  readonly tag = "UnsupportedMediaType";
}

/** A body over the limit. */
export class PayloadTooLarge extends RequestError {
  readonly tag = "PayloadTooLarge";
  // What is left of the body is not read, so the connection cannot be used again.
  override readonly headers = { Connection: "close" };
}

/** A page of this origin may not name paths. */
export class OriginNotAllowed extends RequestError {
  readonly tag = "OriginNotAllowed";
}

/** The `Host` header names no loopback address. */
export class HostNotAllowed extends RequestError {
  readonly tag = "HostNotAllowed";
}

/** A range that lies outside the payload of `size` bytes. */
export class RangeNotSatisfiable extends RequestError {
  readonly tag = "RangeNotSatisfiable";
  override readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, size: number) {
    super(message);
    this.headers = { "Content-Range": `bytes */${size}`, "Accept-Ranges": "bytes" };
  }
}

/** No such resource. */
export class NotFound extends RequestError {
  readonly tag = "NotFound";
}

/** The resource has other methods. */
export class MethodNotAllowed extends RequestError {
  readonly tag = "MethodNotAllowed";
  override readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, allowed: readonly string[]) {
    super(message);
    this.headers = { Allow: allowed.join(", ") };
  }
}

/** What arrived is no request of HTTP/1.1; the connection ends. */
export class MalformedRequest extends RequestError {
  readonly tag = "MalformedRequest";
  override readonly headers = { Connection: "close" };
}

/** More or longer headers than the server takes; the connection ends. */
export class HeadersTooLarge extends RequestError {
  readonly tag = "HeadersTooLarge";
  override readonly headers = { Connection: "close" };
}

/** The request expects what the server cannot promise; the connection ends, as the body may never come. */
export class UnknownExpectation extends RequestError {
  readonly tag = "UnknownExpectation";
  override readonly headers = { Connection: "close" };
}

/** The body is coded in a way that the server does not know, so its end is unknown; the connection ends. */
export class UnknownTransferCoding extends RequestError {
  readonly tag = "UnknownTransferCoding";
  override readonly headers = { Connection: "close" };
}

/** Every connection that may be open has a request that runs. */
export class TooManyConnections extends RequestError {
  readonly tag = "TooManyConnections";
  override readonly headers = { Connection: "close", "Retry-After": "2" };

  constructor(limit: number) {
    super(`All of the ${limit} connections that may be open are busy; try again in a moment`);
  }
}

/** The user closed the dialog without choosing; by the contract no HTTP failure. */
export class Cancelled extends RequestError {
  readonly tag = "Cancelled";
}
