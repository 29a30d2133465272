/** Texts that are there and say nothing, since a part of the file that holds them was lost. */
import { warnIf, type Warning } from "../warning.ts";

/** Fewest zeros in a row that stand for lost text: some programs separate or end lines with a zero or two. */
const LEAST_ZEROS = 4;

/** Number of zeros in a text in place of characters. No program writes them; a hole in a file holds them. */
export function zerosIn(text: string): number {
  let zeros = 0;
  for (let at = text.indexOf("\0"); at >= 0; at = text.indexOf("\0", at)) {
    const start = at;
    while (text.charCodeAt(at) === 0) at += 1;
    if (at - start >= LEAST_ZEROS) zeros += at - start;
  }
  return zeros;
}

/** Warns about a text that is zeros, in part or as a whole. @param what such as `"scan.txt"` */
export function lostText(what: string, text: string): Warning[] {
  const zeros = zerosIn(text);
  const lost = zeros === text.length ? "nothing but zeros" : `${zeros} zeros in place of text`;
  return warnIf(zeros > 0, "metadata_damaged", `${what} holds ${lost}`);
}
