/** Texts of TIFF fields and of the files beside them. */
import { boundedText } from "../metadata/description.ts";
import { textFrom } from "../metadata/text.ts";

/** Text without the NULs at its end: UTF-8, else Latin-1, in which older programs write the micro sign. */
export function textOf(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return textFrom(bytes.subarray(0, end));
}

/** The same up to the first NUL. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return textOf(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A text up to its first NUL. */
export function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** A copy, cut to 4 KiB, that does not keep the document in memory from which it was cut, as a slice does. */
export function detached(text: string): string {
  return boundedText(` ${text}`.slice(1));
}

/** Whether a description is OME-XML, even with a damaged root element. */
export function isOmeXml(text: string): boolean {
  return /<(?:\w+:)?OME[\s>]|openmicroscopy\.org\/Schemas\/OME/i.test(text.slice(0, 8192));
}

/** Whether a description is the shape of an array of tifffile. */
export function isShape(text: string): boolean {
  return text.startsWith("{") && text.includes('"shape":');
}
