/**
 * Which frames of the main image are stored. Chunks tell their frame by the number in their name, and nothing guards a
 * name: the numbers must fit each other and the frame documents, so that no other frame is taken for the first one.
 */
import { DecodeFailed } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { damageWithin, type FileScan, MAX_PLANES } from "./file_scan.ts";
import type { FrameDocuments } from "./frame_documents.ts";

/** Frames of the main image. */
export interface StoredFrames {
  /** Numbers without gaps, ascending; position 0 is the first of each. A frame between others may have no planes. */
  readonly t: readonly number[];
  /** Wavelengths. */
  readonly l: readonly number[];
  /** Depths. */
  readonly z: readonly number[];
}

/** The frames, and the files without the planes that belong to none of them. */
export interface FittingFrames {
  /** The frames that fit each other. */
  readonly frames: StoredFrames;
  /** The files without planes of other frames. */
  readonly scans: readonly FileScan[];
  /** Which frames were left out. */
  readonly warnings: readonly Warning[];
}

/** The frame at the start of every axis. */
export function firstFrame({ t: [t = 1], l: [l = 1], z: [z = 1] }: StoredFrames): FrameIndex {
  return { t, l, z };
}

const AXES = ["t", "l", "z"] as const;
type Axis = typeof AXES[number];

/**
 * The frames for which any plane is stored, in any file. A frame whose number is higher than their count and than any
 * that a frame document names has a damaged name and is left out.
 */
export function storedFrames(scans: readonly FileScan[], documents: FrameDocuments): FittingFrames {
  const stored = { t: numbers(scans, "t"), l: numbers(scans, "l"), z: numbers(scans, "z") };
  const described = scans.reduce((sum, { frames }) => sum + frames.length / 5, 0);
  const most = Math.max(described, scans.reduce((sum, { planes }) => sum + planes.size, 0));
  let named: readonly FrameIndex[] | null = null;
  const fitting = (axis: Axis) => {
    const others = AXES.filter((a) => a !== axis).reduce((product, a) => product * stored[a].length, 1);
    const [first = 1] = stored[axis];
    const counted = stored[axis].filter((n, at) => n - first === at || (n - first) * others < most);
    if (counted.length === stored[axis].length) return counted;
    named ??= documents.frames();
    const highest = named.reduce((top, frame) => Math.max(top, frame[axis]), 0);
    return stored[axis].filter((n, at) => at < counted.length || (n <= highest && n - first < MAX_PLANES));
  };
  const kept = { t: fitting("t"), l: fitting("l"), z: fitting("z") };
  const frames = { t: filled(kept.t), l: filled(kept.l), z: filled(kept.z) };
  const strays = AXES.flatMap((axis) =>
    stored[axis].slice(kept[axis].length).map((n) => axis + String(n).padStart(3, "0"))
  );
  const [stray] = strays;
  if (stray === undefined) return { frames, scans, warnings: [] };
  const which = strays.length === 1 ? `frame ${stray}` : `${strays.length} frames such as ${stray}`;
  return {
    frames,
    scans: scans.map((scan) => without(scan, frames)),
    warnings: [
      warning(
        "content_left_out",
        `Planes of ${which} are left out: their number does not fit the other frames`,
      ),
    ],
  };
}

const numbers = (scans: readonly FileScan[], axis: Axis) =>
  [...new Set(scans.flatMap((scan) => [...scan.frameNumbers[axis]]))].sort((a, b) => a - b);

function filled(kept: readonly number[]): number[] {
  const [first = 1, last = 0] = [kept[0], kept.at(-1)];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function without(scan: FileScan, frames: StoredFrames): FileScan {
  const within = (key: string) => {
    const [t = 0, l = 0, z = 0] = key.split(",").map(Number);
    return t <= (frames.t.at(-1) ?? 0) && l <= (frames.l.at(-1) ?? 0) && z <= (frames.z.at(-1) ?? 0);
  };
  const planes = new Map([...scan.planes].filter(([key]) => within(key)));
  const used = new Set([...planes.values()].flatMap((slots) => Object.keys(slots).map(Number)));
  return {
    ...scan,
    planes,
    channelSlots: new Map([...scan.channelSlots].filter(([, slot]) => used.has(slot))),
  };
}

/**
 * Makes sure that no frame was before the first one that is stored.
 *
 * @param apart a continuation file that was opened without its acquisition, whose numbers go on from another file
 * @throws {DecodeFailed} the first frame is lost
 */
export function checkFirstFrame(
  scans: readonly FileScan[],
  first: FrameIndex,
  documents: FrameDocuments,
  apart: boolean,
): void {
  if (first.t === 1 && first.l === 1 && first.z === 1) return;
  const described = documents.frames();
  const before = described.find(({ t, l, z }) => t < first.t || l < first.l || z < first.z);
  const confirmed = described.some(({ t, l, z }) => t === first.t && l === first.l && z === first.z);
  const damage = damageWithin(scans.slice(0, 1));
  if (!before && damage === null && (confirmed || apart)) return;
  const lost = before ?? { t: 1, l: 1, z: 1 };
  throw new DecodeFailed(
    `frame ${frameName(lost, first)} has no pixels under its name: the first that has any is ${
      frameName(first, lost)
    }` +
      (damage ? `; ${damage}` : ""),
  );
}

/** `t003z001`: as in the names of chunks, the axes in which two frames differ. */
function frameName(frame: FrameIndex, other: FrameIndex): string {
  return AXES.filter((axis) => frame[axis] !== other[axis]).map((axis) =>
    axis + String(frame[axis]).padStart(3, "0")
  )
    .join("");
}
