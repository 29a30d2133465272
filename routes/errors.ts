/** Failures of requests, as tagged classes. See also `session/errors.ts` and `readers/errors.ts`. */
import type { z } from "zod";
import { tagged } from "../readers/errors.ts";
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
  /** Key in the error table. */
  abstract readonly tag: RequestErrorTag;
  readonly headers: Readonly<Record<string, string>>;

  /** `message` is one sentence without a full stop. */
  constructor(message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = new.target.name;
    this.headers = headers;
  }
}

/** Error after which the connection cannot be used again, since the rest of the request is not read. */
abstract class LastRequestError extends RequestError {
  constructor(message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message, { Connection: "close", ...headers });
  }
}

/** One fault of a request. */
export type Detail = z.infer<typeof ValidationDetail>;

/** The request does not have the form that the endpoint expects. */
export class RequestValidationFailed extends tagged(RequestError, "RequestValidationFailed") {
  readonly details: readonly Detail[];

  constructor(details: readonly Detail[]) {
    super(details.map(({ location, message }) => `${location.join(".")}: ${message}`).join("; "));
    this.details = details;
  }
}

/** A body that is not `application/json` in UTF-8. */
export class UnsupportedMediaType extends tagged(RequestError, "UnsupportedMediaType") {}

/** The body is larger than the limit. */
export class PayloadTooLarge extends tagged(LastRequestError, "PayloadTooLarge") {}

/** Pages of this origin may not name paths. */
export class OriginNotAllowed extends tagged(RequestError, "OriginNotAllowed") {}

/** The `Host` header names no loopback address. */
export class HostNotAllowed extends tagged(RequestError, "HostNotAllowed") {}

/** A range outside the payload of `size` bytes. */
export class RangeNotSatisfiable extends tagged(RequestError, "RangeNotSatisfiable") {
  /** `message` is one sentence without a full stop; `size` is that of the payload in bytes. */
  constructor(message: string, size: number) {
    super(message, { "Content-Range": `bytes */${size}`, "Accept-Ranges": "bytes" });
  }
}

/** The resource does not exist. */
export class NotFound extends tagged(RequestError, "NotFound") {}

/** The resource does not support the method. */
export class MethodNotAllowed extends tagged(RequestError, "MethodNotAllowed") {
  /** `message` is one sentence without a full stop; `allowed` lists the methods of the resource. */
  constructor(message: string, allowed: readonly string[]) {
    super(message, { Allow: allowed.join(", ") });
  }
}

/** Malformed HTTP/1.1. */
export class MalformedRequest extends tagged(LastRequestError, "MalformedRequest") {}

/** Too many or too long headers. */
export class HeadersTooLarge extends tagged(LastRequestError, "HeadersTooLarge") {}

/** The server does not know the request's expectation, so its body may never arrive. */
export class UnknownExpectation extends tagged(LastRequestError, "UnknownExpectation") {}

/** The body has an unknown transfer coding, so its end is unknown. */
export class UnknownTransferCoding extends tagged(LastRequestError, "UnknownTransferCoding") {}

/** Every connection is busy. */
export class TooManyConnections extends tagged(LastRequestError, "TooManyConnections") {
  constructor(limit: number) {
    super(`All ${limit} connections are busy; try again in a moment`, { "Retry-After": "2" });
  }
}

/** The user closed the dialog without choosing. In the contract this is not an HTTP failure. */
export class Cancelled extends tagged(RequestError, "Cancelled") {}
