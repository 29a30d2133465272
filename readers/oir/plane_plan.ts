/** Plans planes of the main image. */
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { type Acquisition, type Channel, type PlanePlan, type Position, servedLines } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning } from "../warning.ts";
import { makePlaneKey } from "./file_scan.ts";
import { collectPlane, type MainImage } from "./main_image.ts";
import { countCompleteRows, readChunkedPlane, type StoredPlane } from "./plane_chunks.ts";

/**
 * Plans the planes of some channels in one frame. A plane of a line scan has the lines that all wanted channels have; a plane of
 * a frame has all rows or is refused.
 *
 * @throws {PlaneNotFound} this later frame is not in the file, which is undamaged
 * @throws {DecodeFailed} a plane is incomplete, with its stored and needed bytes
 */
export function planOirPlanes(
  image: MainImage,
  [wanted, position, rows]: Parameters<Acquisition["plan"]>,
  stop: StopFlag,
): PlanePlan {
  const { scans, ids, channels, frames: { first }, layout } = image;
  const { t, l, z } = position;
  const key = makePlaneKey({ t: first.t + t, l: first.l + l, z: first.z + z });
  const planes = wanted.map((index) => ({
    channel: channels[index]!,
    stored: collectPlane(scans, key, ids[index]!),
  }));
  const warnings: Warning[] = [];
  for (const { channel, stored } of planes) {
    requireComplete(image, channel, stored, position);
    const extra = stored.source.size - computeNeededBytes(channel);
    if (!layout.lineScan && extra > 0) {
      const text = `Channel ${channel.index} stores ${extra} bytes more than its plane needs`;
      warnings.push(warning("metadata_disagree", text));
    }
    if (layout.lineScan && stored.gap) warnings.push(warnAboutLostLines(channel, stored.gap));
  }
  const complete = planes.map(({ channel, stored }) =>
    Math.min(layout.rows, countCompleteRows(stored, channel))
  );
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
          readChunkedPlane(stored, samples, targets[i]!, nameChannel(channel), stop);
        }
      }),
  };
}

const nameChannel = ({ index, name }: Channel) => `channel ${index} ("${name}")`;

const computeNeededBytes = ({ rows, columns, sampleType }: Channel) =>
  rows * columns * SAMPLE_BYTES[sampleType];

/** Refuses a plane that lacks rows of its image. */
function requireComplete(
  { scans, layout, lost }: MainImage,
  channel: Channel,
  stored: StoredPlane,
  { t, l, z }: Position,
): void {
  const needed = computeNeededBytes(channel);
  const { size } = stored.source;
  if (countCompleteRows(stored, channel) > 0 && (layout.lineScan || size >= needed)) return;
  if (size === 0 && lost === null && t + l + z > 0) {
    throw new PlaneNotFound(`${nameChannel(channel)} has no plane at T ${t}, L ${l}, Z ${z}`);
  }
  const damage = lost ?? scans.map((scan) => scan.damage.text).find((text) => text !== null);
  throw new DecodeFailed(
    `${nameChannel(channel)} is incomplete: ${size} of ${needed} bytes are stored` +
      (stored.gap ? `, and ${stored.gap.after} more after a gap` : "") + (damage ? `; ${damage}` : ""),
  );
}

/** Warning about lost lines of a line scan, counted from 1. The position of the lines after them is uncertain. */
function warnAboutLostLines(channel: Channel, { from, to, after }: NonNullable<StoredPlane["gap"]>): Warning {
  const rowBytes = channel.columns * SAMPLE_BYTES[channel.sampleType];
  const [first, last] = [Math.floor(from / rowBytes) + 1, Math.ceil(to / rowBytes)];
  const text = `Channel ${channel.index} ("${channel.name}") lost lines ${first} to ${last}; ` +
    `the ${after} bytes after them are left out`;
  return warning("lines_missing", text);
}

/** Warns if fewer than `intended` planes of a channel are complete, after an interruption or without a continuation file. */
export function warnAboutMissingFrames(
  { scans, ids, channels }: MainImage,
  intended: number,
  stop: StopFlag,
): Warning[] {
  let complete = 0;
  for (const [i, channel] of channels.entries()) {
    // Stored bytes per plane; a plane may continue in another file.
    const stored = new Map<string, number>();
    for (const { planes } of scans) {
      for (const [key, chunks] of planes.get(ids[i]!) ?? []) {
        stop.check();
        let bytes = stored.get(key) ?? 0;
        for (let at = 2; at < chunks.length; at += 3) bytes += chunks[at]!;
        stored.set(key, bytes);
      }
    }
    const needed = computeNeededBytes(channel);
    for (const bytes of stored.values()) complete += bytes >= needed ? 1 : 0;
  }
  const planes = intended * channels.length;
  const text = `${planes - complete} of ${planes} planes are incomplete or missing`;
  return warnIf(complete < planes, "planes_missing", text);
}
