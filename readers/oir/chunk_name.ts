/**
 * Names of pixel chunks. The main image has `<axes>_<a>_<b>_<channel id>_<chunk number>`, where `<axes>` is any
 * sequence of a letter and a number (`t001`, `l002z001`) in any order; the reference image has
 * `REF_<source>_<channel id>_<chunk number>`.
 */

/** Indices of a frame as they are written, from 1 on; a letter that is absent counts as 1. */
export interface FrameIndex {
  /** Time point. */
  readonly t: number;
  /** Wavelength. */
  readonly l: number;
  /** Depth. */
  readonly z: number;
}

/** What a chunk belongs to. */
export type ChunkOwner =
  | { readonly image: "main"; readonly frame: FrameIndex; readonly channel: string }
  | { readonly image: "reference"; readonly source: string; readonly channel: string };

const DIGITS = /^\d+$/;
const AXES = /^(?:[a-z]\d{1,9})*$/;

/** Frame indices of the axes part of a name (`t001z002`), or `null` when it holds anything else. */
function parseFrameIndex(axes: string): FrameIndex | null {
  if (!AXES.test(axes)) return null;
  const index = { t: 1, l: 1, z: 1 };
  const seen = new Set<string>();
  for (const [, letter, digits] of axes.matchAll(/([a-z])(\d+)/g)) {
    if ((letter !== "t" && letter !== "l" && letter !== "z") || seen.has(letter)) return null;
    seen.add(letter);
    index[letter] = Number(digits);
    if (index[letter] === 0) return null;
  }
  return index;
}

/** What a chunk of this name belongs to, or `null` when the name has another form. */
export function parseChunkName(name: string): ChunkOwner | null {
  const parts = name.split("_");
  const [channel, number] = parts.splice(-2);
  if (!channel || number === undefined || !DIGITS.test(number)) return null;
  if (parts[0] === "REF") {
    const source = parts.slice(1).join("_");
    return { image: "reference", source, channel };
  }
  if (parts.length >= 2 && parts.slice(-2).every((part) => DIGITS.test(part))) parts.length -= 2;
  if (parts.length > 1) return null;
  const frame = parseFrameIndex(parts[0] ?? "");
  return frame && { image: "main", frame, channel };
}
