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

  /** Takes one sentence without a full stop. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** One fault of a request. */
export type Detail = z.infer<typeof ValidationDetail>;

/** The request is not of the form that the endpoint takes. */
export class RequestValidationFailed extends RequestError {
  /** Key in the error table. */
  readonly tag = "RequestValidationFailed";
  /** Every fault. */
  readonly details: readonly Detail[];

  /** Takes what is wrong and where. */
  constructor(details: readonly Detail[]) {
    super(details.map(({ location, message }) => `${location.join(".")}: ${message}`).join("; "));
    this.details = details;
  }
}

/** A body that is not `application/json` in UTF-8. */
export class UnsupportedMediaType extends RequestError {
  /** Key in the error table. */
  readonly tag = "UnsupportedMediaType";
}

/** A body over the limit. */
export class PayloadTooLarge extends RequestError {
  /** Key in the error table. */
  readonly tag = "PayloadTooLarge";
  /** Headers of the answer. The rest of the body is not read, so the connection cannot be used again. */
  override readonly headers = { Connection: "close" };
}

/** A page of this origin may not name paths. */
export class OriginNotAllowed extends RequestError {
  /** Key in the error table. */
  readonly tag = "OriginNotAllowed";
}

/** The `Host` header names no loopback address. */
export class HostNotAllowed extends RequestError {
  /** Key in the error table. */
  readonly tag = "HostNotAllowed";
}

/** A range that lies outside the payload of `size` bytes. */
export class RangeNotSatisfiable extends RequestError {
  /** Key in the error table. */
  readonly tag = "RangeNotSatisfiable";
  /** Headers of the answer. */
  override readonly headers: Readonly<Record<string, string>>;

  /** Takes one sentence without a full stop and the bytes of the payload. */
  constructor(message: string, size: number) {
    super(message);
    this.headers = { "Content-Range": `bytes */${size}`, "Accept-Ranges": "bytes" };
  }
}

/** No such resource. */
export class NotFound extends RequestError {
  /** Key in the error table. */
  readonly tag = "NotFound";
}

/** The resource has other methods. */
export class MethodNotAllowed extends RequestError {
  /** Key in the error table. */
  readonly tag = "MethodNotAllowed";
  /** Headers of the answer. */
  override readonly headers: Readonly<Record<string, string>>;

  /** Takes one sentence without a full stop and the methods that the resource has. */
  constructor(message: string, allowed: readonly string[]) {
    super(message);
    this.headers = { Allow: allowed.join(", ") };
  }
}

/** What arrived is no request of HTTP/1.1; the connection ends. */
export class MalformedRequest extends RequestError {
  /** Key in the error table. */
  readonly tag = "MalformedRequest";
  /** Headers of the answer. */
  override readonly headers = { Connection: "close" };
}

/** More or longer headers than the server takes; the connection ends. */
export class HeadersTooLarge extends RequestError {
  /** Key in the error table. */
  readonly tag = "HeadersTooLarge";
  /** Headers of the answer. */
  override readonly headers = { Connection: "close" };
}

/** The request expects what the server cannot promise; the connection ends, as the body may never come. */
export class UnknownExpectation extends RequestError {
  /** Key in the error table. */
  readonly tag = "UnknownExpectation";
  /** Headers of the answer. */
  override readonly headers = { Connection: "close" };
}

/** The body is coded in a way that the server does not know, so its end is unknown; the connection ends. */
export class UnknownTransferCoding extends RequestError {
  /** Key in the error table. */
  readonly tag = "UnknownTransferCoding";
  /** Headers of the answer. */
  override readonly headers = { Connection: "close" };
}

/** Every connection that may be open has a request that runs. */
export class TooManyConnections extends RequestError {
  /** Key in the error table. */
  readonly tag = "TooManyConnections";
  /** Headers of the answer. */
  override readonly headers = { Connection: "close", "Retry-After": "2" };

  /** Takes how many connections may be open. */
  constructor(limit: number) {
    super(`All of the ${limit} connections that may be open are busy; try again in a moment`);
  }
}

/** The user closed the dialog without choosing; by the contract no HTTP failure. */
export class Cancelled extends RequestError {
  /** Key in the error table. */
  readonly tag = "Cancelled";
}
