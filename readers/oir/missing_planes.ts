/** Planes after the first frame that are not stored, or not as a whole. */
import type { StopFlag } from "../io/stop_flag.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { type ChunkTriples, type FileScan, planeKey } from "./file_scan.ts";
import { planeOf } from "./main_image.ts";
import { assemblePlane } from "./plane_chunks.ts";
import { firstFrame, type StoredFrames } from "./stored_frames.ts";

/**
 * Says how many planes of the frames after the first one are incomplete or missing, and which is the first, or gives
 * `null` when there is none. The planes of the first frame are judged when they are asked for.
 *
 * @param expected ids of the channels by index, and bytes of a complete plane
 */
export function missingPlanes(
  scans: readonly FileScan[],
  frames: StoredFrames,
  { ids, needed }: { readonly ids: readonly string[]; readonly needed: number },
  stop: StopFlag,
): Warning | null {
  const first = planeKey(firstFrame(frames));
  let complete = 0;
  for (const scan of scans) {
    const slots = ids.map((id) => scan.channelSlots.get(id)).filter((slot) => slot !== undefined);
    for (const [key, planes] of scan.planes) {
      stop.check();
      if (key === first) continue;
      for (const slot of slots) {
        const chunks = planes[slot];
        if (chunks && storedBytes(scan, chunks) >= needed) complete += 1;
      }
    }
  }
  const later = (frames.t.length * frames.l.length * frames.z.length - 1) * ids.length;
  if (complete >= later) return null;
  for (const frame of inOrder(frames)) {
    stop.check();
    if (planeKey(frame) === first) continue;
    const channel = ids.findIndex((id) => planeOf(scans, frame, id).bytes < needed);
    if (channel >= 0) {
      const place = `channel ${channel} of frame ${frameName(frame, frames)}`;
      return later - complete === 1
        ? warning("planes_missing", `The plane of ${place} is incomplete or missing`)
        : warning(
          "planes_missing",
          `${later - complete} planes of later frames are incomplete or missing, the first in ${place}`,
        );
    }
  }
  return null;
}

function storedBytes({ file }: FileScan, chunks: ChunkTriples): number {
  const [planeOffset, , length] = chunks;
  if (chunks.length === 3 && planeOffset === 0 && length !== undefined) return length;
  return assemblePlane([{ file, chunks }]).bytes;
}

function* inOrder(frames: StoredFrames): Generator<FrameIndex> {
  for (const t of frames.t) for (const l of frames.l) for (const z of frames.z) yield { t, l, z };
}

/** `t003z001`: as in the names of chunks, the axes that have more than one position. */
function frameName(frame: FrameIndex, frames: StoredFrames): string {
  const axes = (["t", "l", "z"] as const).filter((axis) => frames[axis].length > 1);
  return axes.map((axis) => `${axis}${String(frame[axis]).padStart(3, "0")}`).join("");
}
