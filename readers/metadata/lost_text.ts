/** Texts of zeros, which stand where a part of the file was lost. */
import { warnIf, type Warning } from "../warning.ts";

/** Fewest zeros in a row that always stand for lost text: some programs separate or end lines with a zero or two. */
const LEAST_ZEROS = 4;

/**
 * What a few zeros in a text may mean: only its end; or also a break between two lines, which both have a `=`
 * (ImageJ, ScanImage) or may be anything (MetaMorph).
 */
export type FewZeros = "end" | "end fields" | "end lines";

/** Number of zeros in a text in place of characters. No program writes them; a hole in a file holds them. */
function countZeros(text: string, few: FewZeros): number {
  let zeros = 0;
  let end = 0;
  for (let at = text.indexOf("\0"); at >= 0; at = text.indexOf("\0", end)) {
    end = at;
    while (text.charCodeAt(end) === 0) end += 1;
    const isAllowed = end === text.length || few === "end lines" ||
      few === "end fields" && isField(lineBefore(text, at)) && isField(lineAfter(text, end));
    if (end - at >= LEAST_ZEROS || !isAllowed) zeros += end - at;
  }
  return zeros;
}

/** Longest line in which a field is sought. */
const MAX_LINE = 4096;

const lineBefore = (text: string, at: number) =>
  text.slice(Math.max(0, at - MAX_LINE), at).split(/[\r\n\0]/).at(-1)!;
const lineAfter = (text: string, at: number) => text.slice(at, at + MAX_LINE).split(/[\r\n\0]/, 1)[0]!;
const isField = (line: string) => line.includes("=");

/** Warns about a text that is zeros, in part or as a whole. @param what such as `"scan.txt"` */
export function warnAboutZeros(what: string, text: string, few: FewZeros = "end"): Warning[] {
  const zeros = countZeros(text, few);
  const lost = zeros === text.length
    ? "nothing but zeros"
    : `${zeros} zero${zeros === 1 ? "" : "s"} in place of text`;
  return warnIf(zeros > 0, "metadata_damaged", `${what} holds ${lost}`);
}
