/**
 * Channels of the main image: those with pixels, in the order that the documents state. Chunks name their channel by
 * its id, and nothing guards a name: ids and order must agree wherever the file states them, so that no channel is taken
 * for another one.
 */
import { DecodeFailed } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { damageWithin, type FileScan, planeKey } from "./file_scan.ts";
import { type ChannelList, type DescribedChannel, orderIsSound, shortened } from "./described_channels.ts";
import { colourComponents } from "./colour_components.ts";
import type { Metadata } from "./metadata.ts";

type Description = ReadonlyMap<string, DescribedChannel>;

/**
 * Channels of the main image.
 *
 * @param rowsOf complete rows of a channel in the first frame
 * @param strays whether planes were left out whose frame does not fit
 * @throws {DecodeFailed} a channel that the documents promise has no pixels, or its place among the others is uncertain
 */
export function channelList(
  scans: readonly FileScan[],
  first: FrameIndex,
  metadata: Metadata,
  { rgb, strays, rowsOf }: {
    readonly rgb: boolean;
    readonly strays: boolean;
    readonly rowsOf: (id: string) => number;
  },
): ChannelList {
  const withPixels = new Set(scans.flatMap((scan) => [...scan.channelSlots.keys()]));
  const lost = strays ? "planes of an impossible frame" : damageWithin(scans);
  if (rgb) return colourComponents(withPixels, metadata, lost);
  const { description, warnings } = agreed(metadata.descriptions, withPixels);
  if (description === null) {
    const ids = [...withPixels].sort();
    return { ids, described: new Map(), names: ids.map(() => null), warnings };
  }

  const label = (id: string) => `"${shortened(description.get(id)?.name ?? id)}"`;
  const planes = (id: string) => scans.some((scan) => planeIn(scan, first, id));
  const described = [...description.keys()].filter((id) => withPixels.has(id));
  const components = new Set([...description.values()].flatMap((channel) => channel.components));
  for (const id of metadata.camera.names.keys()) components.add(id);
  const undescribed = [...withPixels].filter((id) => !description.has(id)).sort();
  const unknown = undescribed.filter((id) => !components.has(id));
  const fewest = Math.min(...described.map((id) => planes(id) ? rowsOf(id) : Infinity));
  const whole = described.every(planes);
  const fragments = described.length === 0 ? [] : unknown.filter((id) => !whole || rowsOf(id) < fewest);
  const silent = [...description].find(([id, channel]) =>
    channel.recorded && channel.components.length === 0 && !withPixels.has(id)
  )?.[0];
  const [stranger] = unknown;
  if (silent !== undefined && stranger !== undefined) {
    const missing = `channel ${label(silent)} has no pixels under its id ${shortened(silent)}`;
    throw new DecodeFailed(
      `${missing}, and no document describes the channel ${shortened(stranger)}, which has some`,
    );
  }
  if (silent !== undefined && lost !== null) {
    throw new DecodeFailed(`channel ${label(silent)} has no readable pixels: ${lost}`);
  }
  if (silent !== undefined) {
    warnings.push(
      warning("channel_missing", `Channel ${label(silent)} is listed as recorded and has no pixels`),
    );
  }
  const [fragment] = fragments;
  if (fragment !== undefined) {
    const what = `Pixels of channel ${shortened(fragment)} are left out`;
    warnings.push(warning("channel_missing", `${what}: no document describes it, and it is incomplete`));
  }
  const ids = [...described, ...undescribed.filter((id) => !fragments.includes(id))];
  const nameOf = (id: string) =>
    (description.get(id)?.name ?? metadata.properties.channels.get(id)?.name) || null;
  return { ids, described: description, names: ids.map(nameOf), warnings };
}

const planeIn = (scan: FileScan, frame: FrameIndex, id: string) =>
  scan.planes.get(planeKey(frame))?.[scan.channelSlots.get(id) ?? -1] !== undefined;

/**
 * The description of the channels on which the copies of the image properties agree. Where they do not, the one that
 * describes all channels with pixels and numbers them soundly, if the other does not.
 */
function agreed(
  [last, other]: readonly Description[],
  withPixels: ReadonlySet<string>,
): { description: Description | null; warnings: Warning[] } {
  if (last === undefined) return { description: null, warnings: [] };
  const sequence = (copy: Description) => [...copy.keys()].filter((id) => withPixels.has(id));
  const sound = (copy: Description) =>
    sequence(copy).length === withPixels.size && orderIsSound(copy, sequence(copy));
  if (other === undefined) {
    if (sequence(last).length > 1 && !orderIsSound(last, sequence(last))) {
      throw uncertain(last, sequence(last));
    }
    return { description: last, warnings: [] };
  }
  if (sequence(last).join() === sequence(other).join()) return { description: last, warnings: [] };
  const [usable, ...more] = [last, other].filter(sound);
  if (usable === undefined || more.length > 0) throw uncertain(last, sequence(last), sequence(other));
  return {
    description: usable,
    warnings: [
      warning(
        "metadata_disagree",
        "The two copies of the image properties disagree about the channels; those of the copy that fits the pixels count",
      ),
    ],
  };
}

function uncertain(copy: Description, ...sequences: readonly (readonly string[])[]): DecodeFailed {
  const [one, two] = sequences.map((ids) =>
    ids.map((id) => `"${copy.get(id)?.name ?? id}" (${copy.get(id)?.order ?? "no number"})`).join(", ")
  );
  return new DecodeFailed(
    two === undefined
      ? `the order of its channels is damaged: ${one}`
      : `its two copies of the image properties disagree about the order of its channels: ${one}, and ${two}`,
  );
}
