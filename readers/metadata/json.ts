/** JSON in files, checked against limits before it is parsed. */
import { DecodeFailed } from "../errors.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";

export { isJsonObject, type JsonObject } from "../../schemas/json_object.ts";

/** Limits of a JSON text. */
export interface JsonLimits {
  readonly bytes: number;
  readonly values: number;
}

/** Largest number of values in a document. A value takes at most 300 bytes of heap, as an object under a distinct key. */
export const MAX_JSON_VALUES = 1_000_000;

const DOCUMENT: JsonLimits = { bytes: MAX_JSON_BYTES, values: MAX_JSON_VALUES };

/** Limits of a request body, since the serving thread validates each of its values. */
export const REQUEST_BODY: JsonLimits = { bytes: 32 << 20, values: 100_000 };

/** Deepest nesting of a document. */
export const MAX_JSON_DEPTH = 256;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes the text of a JSON document and drops a byte order mark. @throws {DecodeFailed} not UTF-8, or above a limit */
export function decodeJsonText(bytes: Uint8Array, what: string, limits = DOCUMENT): string {
  if (bytes.length > limits.bytes) {
    throw new DecodeFailed(`${what} has ${bytes.length} bytes, more than ${limits.bytes}`);
  }
  checkStructure(bytes, what, limits.values);
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new DecodeFailed(`${what} is not UTF-8`, { cause });
  }
}

/** Counts commas and brackets outside strings, which gives an upper limit for the number of values. */
function checkStructure(bytes: Uint8Array, what: string, most: number): void {
  let values = 0;
  let depth = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === 0x22) i = endOfString(bytes, i);
    else if (byte === 0x2c) values += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      values += 1;
      depth += 1;
      if (depth > MAX_JSON_DEPTH) {
        throw new DecodeFailed(`${what} is nested more than ${MAX_JSON_DEPTH} deep`);
      }
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  if (values > most) throw new DecodeFailed(`${what} has more than ${most} values`);
}

/** Index of the quote that ends the string from `start` on, or the end of the document. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(0x22, start + 1); end >= 0; end = bytes.indexOf(0x22, end + 1)) {
    let before = end - 1;
    while (bytes[before] === 0x5c) before -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - before) % 2 === 1) return end;
  }
  return bytes.length;
}

/** Parses the text of a document. @throws {DecodeFailed} invalid JSON, or above a limit */
export function parseJsonText(text: string, what: string): unknown {
  if (text.length > MAX_JSON_BYTES) {
    throw new DecodeFailed(`${what} has ${text.length} characters, more than ${MAX_JSON_BYTES}`);
  }
  return parseJson(new TextEncoder().encode(text), what);
}

/** Parses a document. @throws {DecodeFailed} invalid JSON, or above a limit */
export function parseJson(bytes: Uint8Array, what: string, limits = DOCUMENT): unknown {
  const text = decodeJsonText(bytes, what, limits);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DecodeFailed(`${what} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
