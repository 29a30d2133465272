/** Plans for planes of the main image. */
import { DecodeFailed } from "../errors.ts";
import type { Channel, PlanePlan, Position } from "../reader.ts";
import { SAMPLE_BYTES } from "../to_float32.ts";
import type { FrameIndex } from "./chunk_name.ts";
import type { FileScan } from "./file_scan.ts";
import { completeRows, planeOf, type RowLayout } from "./main_image.ts";
import { readPlane, type StoredPlane } from "./plane_chunks.ts";
import { firstFrame, type StoredFrames } from "./stored_frames.ts";

/** The frame at a position, by the numbers that the file gives its time points, wavelengths and focus planes. */
export function frameAt(frames: StoredFrames, { t, l, z }: Position): FrameIndex {
  const first = firstFrame(frames);
  // Numbers have no gaps.
  return { t: first.t + t, l: first.l + l, z: first.z + z };
}

/**
 * Plans the planes of some channels in one frame: of a line scan the lines that all of them have, of a frame all
 * rows or none.
 *
 * @throws {DecodeFailed} a plane is incomplete, with its stored and needed bytes
 */
export function planPlanes(
  scans: readonly FileScan[],
  wanted: readonly { readonly id: string; readonly channel: Channel }[],
  frame: FrameIndex,
  layout: RowLayout,
): PlanePlan {
  const planes = wanted.map(({ id, channel }) => ({ channel, stored: planeOf(scans, frame, id) }));
  const damage = scans.map((scan) => scan.damage.text).find((text) => text !== null);
  const warnings: string[] = [];
  let rows = layout.rows;
  for (const { channel, stored } of planes) {
    const columns = channel.columns;
    const complete = completeRows(stored, columns, channel.sampleType);
    const needed = layout.rows * columns * SAMPLE_BYTES[channel.sampleType];
    if (complete === 0 || (!layout.lineScan && stored.bytes < needed)) {
      throw new DecodeFailed(
        `channel ${channel.index} ("${channel.name}") is incomplete: ${stored.bytes} of ${needed} bytes are stored` +
          (stored.gap ? `, and ${stored.gap.after} more after a gap` : "") + (damage ? `; ${damage}` : ""),
      );
    }
    if (!layout.lineScan && stored.bytes > needed) {
      warnings.push(`Channel ${channel.index} stores ${stored.bytes - needed} bytes more than its plane has`);
    }
    if (layout.lineScan && stored.gap) warnings.push(lostLines(channel, stored.gap));
    if (complete < rows) rows = complete;
  }
  if (rows < layout.rows) {
    warnings.push(`${rows} of ${layout.rows} lines are stored in every channel that was asked for`);
  }
  return {
    rows,
    columns: wanted[0]!.channel.columns,
    warnings,
    decode: (targets) =>
      Promise.try(() => {
        for (const [i, { channel, stored }] of planes.entries()) {
          readPlane(stored, channel.sampleType, targets[i]!, `channel ${channel.index} ("${channel.name}")`);
        }
      }),
  };
}

/** Which lines of a line scan are lost, counted from 1; those after them have no certain place. */
function lostLines(
  { index, name, columns, sampleType }: Channel,
  gap: NonNullable<StoredPlane["gap"]>,
): string {
  const rowBytes = columns * SAMPLE_BYTES[sampleType];
  const [first, last] = [Math.floor(gap.from / rowBytes) + 1, Math.ceil(gap.to / rowBytes)];
  return `Channel ${index} ("${name}") lost lines ${first} to ${last}; the ${gap.after} bytes after them are left out`;
}
