/**
 * Channels of the main image: those with pixels, in the order that the documents state. Chunks name their channel by
 * its id, and nothing guards a name: ids and order must agree wherever the file states them, so that no channel is taken
 * for another one.
 */
import { DecodeFailed } from "../errors.ts";
import { COLOURS } from "../metadata/channels.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameIndex } from "./chunk_name.ts";
import { type ChannelList, type DescribedChannel, orderIsSound, shortened } from "./described_channels.ts";
import { damageWithin, type FileScan, planeKey } from "./file_scan.ts";
import { orderedIds } from "./main_image.ts";
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

/**
 * The components of a colour image, named by the camera documents, else in the order of their ids.
 *
 * @param stored ids with pixels, in the order in which they are stored
 * @param lost why pixels may be lost, or `null`
 * @throws {DecodeFailed} one of them has no pixels
 */
export function colourComponents(
  stored: ReadonlySet<string>,
  { properties, camera }: Metadata,
  lost: string | null,
): ChannelList {
  const ids = orderedIds(stored, properties);
  if (ids.length < COLOURS.length) {
    const why = lost === null ? "" : `: ${lost}`;
    throw new DecodeFailed(
      `${ids.length} of the ${COLOURS.length} components of a colour image have pixels${why}`,
    );
  }
  const absent = [...camera.names.keys()].find((id) => !stored.has(id));
  const stranger = ids.find((id) => !camera.names.has(id));
  if (absent !== undefined && stranger !== undefined && camera.names.size >= COLOURS.length) {
    const missing = `component "${camera.names.get(absent)}" has no pixels under its id ${shortened(absent)}`;
    throw new DecodeFailed(
      `${missing}, and no document describes the component ${shortened(stranger)}, which has some`,
    );
  }
  const described = properties.channels;
  const names = ids.map((id) => camera.names.get(id) ?? described.get(id)?.name ?? null);
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) {
    return { ids, described, names, warnings: [] };
  }
  const elsewhere = ids.join() === [...stored].join()
    ? ""
    : ", which is not the order in which they are stored";
  return {
    ids,
    described,
    names: COLOURS,
    warnings: [
      warning(
        "metadata_missing",
        "The file does not say which component has which colour; they are named in the order of their ids" +
          elsewhere,
      ),
    ],
  };
}
