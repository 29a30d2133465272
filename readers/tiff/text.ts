/** Texts in TIFF fields and in files beside them. */
import { boundedText } from "../io/limits.ts";
import { textFrom } from "../metadata/text.ts";

/** Text without NULs at its end: UTF-8, else Latin-1, in which older programs write the micro sign. */
export function textOf(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return textFrom(bytes.subarray(0, end));
}

/** The same text, up to its first NUL. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return textOf(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A text up to its first NUL. */
export function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** A copy, cut to 4 KiB. Unlike a slice, it does not keep the whole document in memory. */
export function detached(text: string): string {
  return boundedText(` ${text}`.slice(1));
}

/** Whether a description is OME-XML, even if its root element is damaged. */
export function isOmeXml(text: string): boolean {
  return /<(?:\w+:)?OME[\s>]|openmicroscopy\.org\/Schemas\/OME/i.test(text.slice(0, 8192));
}

/** Whether a description is an array shape written by tifffile. */
export function isShape(text: string): boolean {
  return text.startsWith("{") && text.includes('"shape":');
}
