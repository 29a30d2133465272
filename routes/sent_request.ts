/**
 * The head of a request as sent. `incoming.headers` merges some headers and drops others; `rawHeaders` holds all of them, in
 * order.
 */
import type { IncomingMessage } from "node:http";
import { quoted } from "../readers/errors.ts";
import { MethodNotAllowed, RefusedByHttp, type RequestError } from "./errors.ts";

/** Largest number of headers; browsers send fewer than 30. */
const MAX_HEADERS = 100;

/** Largest total size of all header lines in bytes: browsers send the cookies of every program on this host. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Methods that the Fetch standard (section 2.2.1) forbids in a `Request`. */
const FORBIDDEN_METHODS: readonly unknown[] = ["CONNECT", "TRACE", "TRACK"];

/** Headers that control access and must not be repeated, since programs disagree about which value counts. */
const SINGLE = ["origin", "sec-fetch-site", "content-type"];

/** The head of a request. */
export interface SentHead {
  /** All headers; values of a repeated header are joined. A refused request has only its host. */
  readonly headers: Headers;
  /** Why the request breaks the rules of HTTP, or `null`. */
  readonly refusal: RequestError | null;
}

/** Reads a head and validates it by the rules of HTTP. */
export function sentHead(incoming: IncomingMessage): SentHead {
  const sent = new Map<string, string[]>();
  const { rawHeaders } = incoming;
  let bytes = 0;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [written = "", value = ""] = rawHeaders.slice(i, i + 2);
    const name = written.toLowerCase();
    bytes += name.length + value.length + ": \r\n".length;
    sent.getOrInsertComputed(name, () => []).push(value);
  }
  const refusal = judge(incoming, sent, bytes);
  const headers = new Headers();
  for (const [name, values] of sent) {
    // `Headers` takes seconds for thousands of headers.
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
  if (FORBIDDEN_METHODS.includes(method)) {
    return new MethodNotAllowed(`${method} is not allowed here`, ["GET", "HEAD", "POST", "DELETE"]);
  }
  const coding = sent.get("transfer-encoding")?.join(", ");
  if (coding !== undefined && sent.has("content-length")) {
    return malformed("it has both Content-Length and Transfer-Encoding");
  }
  // RFC 9112, section 6.1: 501 for an unknown coding.
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return new RefusedByHttp(
      501,
      `Unknown transfer coding ${quoted(coding)}; send the body chunked or with its length`,
    );
  }
  const expectation = sent.get("expect")?.join(", ");
  if (expectation !== undefined && expectation.toLowerCase() !== "100-continue") {
    return new RefusedByHttp(
      417,
      `Unknown expectation ${quoted(expectation)}; the server only supports "100-continue"`,
    );
  }
  for (const name of SINGLE) {
    const count = sent.get(name)?.length ?? 0;
    if (count > 1) return malformed(`it has ${count} headers "${name}"`);
  }
  return null;
}

/** The error of a malformed request. */
export function malformed(what: string): RefusedByHttp {
  return new RefusedByHttp(400, `Malformed HTTP/1.1 request: ${what}`);
}

/** The error of too many or too long headers; `what` gives their size, as far as known. */
export function headersTooLarge(what: string): RefusedByHttp {
  return new RefusedByHttp(
    431,
    `The request ${what}, more than ${MAX_HEADERS} headers or ${MAX_HEADER_BYTES} bytes; if a browser sends the cookies ` +
      "of other programs on this host, clear the cookies of this address",
  );
}
