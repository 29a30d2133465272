/** Plans planes of the main image. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Acquisition, type Channel, type PlanePlan, type Position, servedLines } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { type ChunkTriples, type FileScan, planeKey } from "./file_scan.ts";
import { completeRows, planeOf, type RowLayout, type StoredFrames } from "./main_image.ts";
import { readPlane, type StoredPlane } from "./plane_chunks.ts";

/** Locations of the planes of the main image. */
export interface StoredImage {
  readonly scans: readonly FileScan[];
  /** All channels, with the ids in the names of their chunks. */
  readonly channels: readonly { readonly id: string; readonly channel: Channel }[];
  readonly frames: StoredFrames;
  readonly layout: RowLayout;
  /** Why planes may have been lost from the file, or `null`. */
  readonly lost: string | null;
}

/**
 * Plans the planes of some channels in one frame. A plane of a line scan has the lines that all wanted channels have; a plane of
 * a frame has all rows or is refused.
 *
 * @throws {PlaneNotFound} this later frame is not in the file, which is undamaged
 * @throws {DecodeFailed} a plane is incomplete, with its stored and needed bytes
 */
export function planPlanes(
  image: StoredImage,
  [wanted, position, rows]: Parameters<Acquisition["plan"]>,
): PlanePlan {
  const { scans, channels, frames: { first }, layout } = image;
  const { t, l, z } = position;
  const key = planeKey({ t: first.t + t, l: first.l + l, z: first.z + z });
  const planes = wanted.map((index) => {
    const { id, channel } = channels[index]!;
    return { channel, stored: planeOf(scans, key, id) };
  });
  const warnings: Warning[] = [];
  for (const { channel, stored } of planes) {
    requireComplete(image, channel, stored, position);
    const extra = stored.bytes - neededBytes(layout, channel);
    if (!layout.lineScan && extra > 0) {
      warnings.push(
        warning(
          "metadata_disagree",
          `Channel ${channel.index} stores ${extra} bytes more than its plane needs`,
        ),
      );
    }
    if (layout.lineScan && stored.gap) warnings.push(lostLines(channel, stored.gap));
  }
  const complete = planes.map(({ channel, stored }) => Math.min(layout.rows, completeIn(stored, channel)));
  const lines = servedLines(complete, layout.plannedRows, rows);
  const { columns } = planes[0]!.channel;
  return {
    ...lines,
    columns,
    warnings: [...warnings, ...lines.warnings],
    overwrites: true,
    decode: (targets) =>
      Promise.try(() => {
        for (const [i, { channel, stored }] of planes.entries()) {
          const samples = { sampleType: channel.sampleType, first: lines.filled.start * columns };
          readPlane(stored, samples, targets[i]!, naming(channel));
        }
      }),
  };
}

const naming = ({ index, name }: Channel) => `channel ${index} ("${name}")`;

const neededBytes = ({ rows }: RowLayout, { columns, sampleType }: Channel) =>
  rows * columns * SAMPLE_BYTES[sampleType];

const completeIn = (stored: StoredPlane, { columns, sampleType }: Channel) =>
  completeRows(stored, columns, sampleType);

/** Refuses a plane that lacks rows of its image. */
function requireComplete(
  { scans, layout, lost }: StoredImage,
  channel: Channel,
  stored: StoredPlane,
  { t, l, z }: Position,
): void {
  const needed = neededBytes(layout, channel);
  if (completeIn(stored, channel) > 0 && (layout.lineScan || stored.bytes >= needed)) return;
  if (stored.bytes === 0 && lost === null && t + l + z > 0) {
    throw new PlaneNotFound(
      `${naming(channel)} has no plane at T ${t}, L ${l}, Z ${z}`,
    );
  }
  const damage = lost ?? scans.map((scan) => scan.damage.text).find((text) => text !== null);
  throw new DecodeFailed(
    `${naming(channel)} is incomplete: ${stored.bytes} of ${needed} bytes are stored` +
      (stored.gap ? `, and ${stored.gap.after} more after a gap` : "") + (damage ? `; ${damage}` : ""),
  );
}

/** Warning about lost lines of a line scan, counted from 1. The position of the lines after them is uncertain. */
function lostLines(
  { index, name, columns, sampleType }: Channel,
  gap: NonNullable<StoredPlane["gap"]>,
): Warning {
  const rowBytes = columns * SAMPLE_BYTES[sampleType];
  const [first, last] = [Math.floor(gap.from / rowBytes) + 1, Math.ceil(gap.to / rowBytes)];
  return warning(
    "lines_missing",
    `Channel ${index} ("${name}") lost lines ${first} to ${last}; the ${gap.after} bytes after them are left out`,
  );
}

/**
 * Warns if fewer than `intended` planes are complete in a channel: the acquisition was interrupted, or a continuation
 * file is missing.
 */
export function missingPlanes(
  { scans, channels, layout }: StoredImage,
  intended: number,
  stop: StopFlag,
): Warning[] {
  let complete = 0;
  for (const { id, channel } of channels) {
    /** Number of stored bytes per plane; a plane may continue in another file. */
    const stored = new Map<string, number>();
    for (const { planes, channelSlots } of scans) {
      const slot = channelSlots.get(id) ?? -1;
      for (const [key, slots] of planes) {
        stop.check();
        stored.set(key, (stored.get(key) ?? 0) + bytesIn(slots[slot] ?? []));
      }
    }
    const needed = neededBytes(layout, channel);
    complete += stored.values().filter((bytes) => bytes >= needed).toArray().length;
  }
  const planes = intended * channels.length;
  const text = `${planes - complete} of ${planes} planes are incomplete or missing`;
  return warnIf(complete < planes, "planes_missing", text);
}

function bytesIn(chunks: ChunkTriples): number {
  let bytes = 0;
  for (let i = 2; i < chunks.length; i += 3) bytes += chunks[i]!;
  return bytes;
}
