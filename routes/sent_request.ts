/**
 * The head of a request as it was sent. `incoming.headers` merges some headers and drops others; `rawHeaders` is all
 * of them, in their order, since the listener takes any number.
 */
import type { IncomingMessage } from "node:http";
import { quoted } from "../readers/errors.ts";
import {
  HeadersTooLarge,
  MalformedRequest,
  MethodNotAllowed,
  type RequestError,
  UnknownExpectation,
  UnknownTransferCoding,
} from "./errors.ts";

/** Headers that a request may have; browsers send fewer than 30. */
const MAX_HEADERS = 100;

/** Bytes that the lines of all headers may have: browsers send the cookies of every program on this host. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Headers of one value that decide who may call. Of two values, two programs might take different ones. */
const SINGLE = ["origin", "sec-fetch-site", "content-type"];

/** The head of a request. */
export interface SentHead {
  /**
   * Every header that was sent; the values of one that was sent again are joined, empty ones too. Of a request that is
   * refused only the host.
   */
  readonly headers: Headers;
  /** Why the request is answered without being looked at any further, or `null`. */
  readonly refusal: RequestError | null;
}

/** Reads and judges what HTTP itself asks of a head. */
export function sentHead(incoming: IncomingMessage): SentHead {
  const sent = new Map<string, string[]>();
  const { rawHeaders } = incoming;
  let bytes = 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [written = "", value = ""] = rawHeaders.slice(i, i + 2);
    const name = written.toLowerCase();
    bytes += name.length + value.length + ": \r\n".length;
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  const refusal = judge(incoming, sent, bytes);
  const headers = new Headers();
  for (const [name, values] of sent) {
    // `Headers` takes seconds for a few thousand of them; for a refused request the guard needs the host alone.
    if (refusal !== null && name !== "host") continue;
    headers.set(name, values.join(name === "cookie" ? "; " : ", "));
  }
  return { headers, refusal };
}

function judge(
  { method, rawHeaders }: IncomingMessage,
  sent: ReadonlyMap<string, readonly string[]>,
  bytes: number,
): RequestError | null {
  const count = rawHeaders.length / 2;
  if (count > MAX_HEADERS || bytes > MAX_HEADER_BYTES) {
    return headersTooLarge(`has ${count} headers of ${bytes} bytes`);
  }
  if (method === "CONNECT") {
    return new MethodNotAllowed("CONNECT is not possible: this server is no proxy", [
      "GET",
      "HEAD",
      "POST",
      "DELETE",
    ]);
  }
  const coding = sent.get("transfer-encoding")?.join(", ");
  if (coding !== undefined && sent.has("content-length")) {
    return malformed("it has both a Content-Length and a Transfer-Encoding");
  }
  // RFC 9112, section 6.1: 501 for a coding that is not understood.
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return new UnknownTransferCoding(
      `A body may be sent chunked or with its length, not as ${quoted(coding)}`,
    );
  }
  const expectation = sent.get("expect")?.join(", ");
  if (expectation !== undefined && expectation.toLowerCase() !== "100-continue") {
    return new UnknownExpectation(
      `The only expectation that can be met is "100-continue", not ${quoted(expectation)}`,
    );
  }
  for (const name of SINGLE) {
    const count = sent.get(name)?.length ?? 0;
    if (count > 1) return malformed(`it has ${count} headers "${name}"`);
  }
  return null;
}

/**
 * The error of what cannot be answered as HTTP.
 *
 * @param what what is wrong, such as `a header is malformed`
 */
export function malformed(what: string): MalformedRequest {
  return new MalformedRequest(`This is no request of HTTP/1.1 that can be answered: ${what}`);
}

/**
 * The error of too many or too long headers.
 *
 * @param what which size they have, as far as it is known
 */
export function headersTooLarge(what: string): HeadersTooLarge {
  return new HeadersTooLarge(
    `The request ${what}, more than ${MAX_HEADERS} headers or ${MAX_HEADER_BYTES} bytes. Cookies of other programs ` +
      "on this host are a likely cause, as browsers send them to every port: clear the cookies of this address",
  );
}
