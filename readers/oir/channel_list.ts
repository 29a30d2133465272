/** Channels of the main image: those with pixels, in the order that the image properties state. */
import { DecodeFailed, quoted } from "../errors.ts";
import { COLOURS } from "../metadata/channels.ts";
import { listed, type Warning, warning } from "../warning.ts";
import { damageWithin, type FileScan } from "./file_scan.ts";
import { orderedIds } from "./main_image.ts";
import type { Metadata } from "./metadata.ts";

/** Channels by index. */
export interface ChannelList {
  /** Ids in the names of their chunks. */
  readonly ids: readonly string[];
  /** `null` where the file gives none. */
  readonly names: readonly (string | null)[];
  /** What the user should know about the channels. */
  readonly warnings: readonly Warning[];
}

/**
 * Channels of the main image.
 *
 * @param rgb whether they are the components of a colour image
 * @throws {DecodeFailed} a colour image lacks a component, or a damaged file lacks the pixels of a recorded channel
 */
export function channelList(
  scans: readonly FileScan[],
  metadata: Metadata,
  rgb: boolean,
): ChannelList {
  const withPixels = new Set(scans.flatMap((scan) => [...scan.channelSlots.keys()]));
  const ids = orderedIds(withPixels, metadata.properties);
  if (rgb) return colourComponents(ids, metadata);
  const described = metadata.properties.channels;
  const empty = [...described]
    .filter(([id, { recorded, components }]) => recorded && components.length === 0 && !withPixels.has(id))
    .map(([id, { name }]) => quoted(name ?? id));
  const lost = damageWithin(scans);
  if (lost !== null && empty.length > 0) {
    throw new DecodeFailed(`channel ${listed(empty)} has no readable pixels: ${lost}`);
  }
  return {
    ids,
    names: ids.map((id) => described.get(id)?.name || null),
    warnings: empty.length === 0
      ? []
      : [warning("channel_missing", `Channels are listed as recorded and have no pixels: ${listed(empty)}`)],
  };
}

/** The components of a colour image, named by the camera documents, else in the order of their ids. */
function colourComponents(ids: readonly string[], { properties, camera }: Metadata): ChannelList {
  if (ids.length < COLOURS.length) {
    throw new DecodeFailed(
      `${ids.length} of the ${COLOURS.length} components of a colour image have pixels`,
    );
  }
  const names = ids.map((id) => camera.names.get(id) ?? properties.channels.get(id)?.name ?? null);
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) {
    return { ids, names, warnings: [] };
  }
  return {
    ids,
    names: COLOURS,
    warnings: [
      warning(
        "metadata_missing",
        "The file does not state the colours of its components, which are named in the order of their ids",
      ),
    ],
  };
}
