/** Texts of TIFF fields and of the files beside them. */

/** UTF-8, or Latin-1 where it is not (older programs write the micro sign so), up to the first NUL. */
export function decodeText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return textOf(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A copy of a part of a document that does not keep the whole document in memory, as a slice of it does. */
export function detached(text: string): string {
  return ` ${text}`.slice(1);
}

/** A text up to its first NUL. */
export function upToNul(text: string): string {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** Text without the NUL at its end; UTF-8, or Latin-1 where it is not. */
export function textOf(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  const text = bytes.subarray(0, end);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch {
    return new TextDecoder("latin1").decode(text);
  }
}
