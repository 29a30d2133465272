import { quoted } from "../readers/errors.ts";
import { RangeNotSatisfiable } from "./errors.ts";

/** A range of bytes of a payload. */
export interface ByteRange {
  /** First byte. */
  readonly start: number;
  /** One past the last byte. */
  readonly end: number;
}

/**
 * Reads a `Range` header (RFC 9110, section 14).
 *
 * @param size bytes of the payload
 * @returns `null` for the whole payload: no header, several ranges, or a malformed one
 * @throws {RangeNotSatisfiable} a single range outside the payload
 */
export function parseRange(header: string | undefined, size: number): ByteRange | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "");
  if (header === undefined || !match) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) throw outside(header, size);
    return { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) throw outside(header, size);
  return { start, end };
}

const outside = (header: string, size: number) =>
  new RangeNotSatisfiable(`The range ${quoted(header)} lies outside the payload of ${size} bytes`, size);
