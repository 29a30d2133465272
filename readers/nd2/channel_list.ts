/** Channels of the frames: the picture planes, of which colour cameras have one with three components. */
import {
  BLACK,
  channelsOf,
  COLOUR_HEX,
  COLOURS,
  hexColor,
  type NamedChannel,
  sampleName,
} from "../metadata/channels.ts";
import type { Channel } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import type { FrameLayout } from "./frame_layout.ts";
import { countIn, itemsOf, numberIn, objectIn, objectOf, textIn, type VariantObject } from "./variant.ts";

/** The channels and what is doubtful about them. */
export interface ChannelList {
  /** One for each component of a pixel. */
  readonly channels: readonly Channel[];
  /** What does not agree. */
  readonly warnings: readonly Warning[];
}

/** The components of a pixel as channels, with the names and colours of their planes. */
export function channelList(picture: VariantObject, layout: FrameLayout): ChannelList {
  const planes = planesOf(picture);
  const stated = countIn(objectIn(picture, "sPicturePlanes"), "uiCount");
  const shares = planes.length > 0 ? shareOf(planes, layout.components) : null;
  const components = shares === null
    ? []
    : planes.flatMap((plane, i) => componentsOf(plane, shares[i] ?? 1, planes.length > 1));
  const warnings = planes.length === 0 || shares !== null && (stated === 0 || stated === planes.length)
    ? []
    : [
      warning(
        "metadata_disagree",
        `${planes.length} of ${stated} channels are described, and pixels have ${layout.components} samples`,
      ),
    ];
  const all = Array.from({ length: layout.components }, (_, i) => components[i] ?? { name: null });
  return { channels: channelsOf(all, layout), warnings };
}

/** Descriptions of the planes in the order of the file; older files call them `sPlane`. */
function planesOf(picture: VariantObject): readonly VariantObject[] {
  const pictures = objectIn(picture, "sPicturePlanes");
  const newer = itemsOf(pictures.get("sPlaneNew")).map(objectOf);
  return newer.length > 0 ? newer : itemsOf(pictures.get("sPlane")).map(objectOf);
}

/** How many components each plane has, or `null` where they do not add up to those of a pixel. */
function shareOf(planes: readonly VariantObject[], components: number): readonly number[] | null {
  const stated = planes.map((plane) => Math.max(countIn(plane, "uiCompCount"), 1));
  if (stated.reduce((sum, count) => sum + count, 0) === components) return stated;
  const equal = components / planes.length;
  return Number.isInteger(equal) ? planes.map(() => equal) : null;
}

/** The components of a plane: a channel, the blue, green and red of a camera, or numbered ones. */
function componentsOf(plane: VariantObject, count: number, several: boolean): readonly NamedChannel[] {
  const name = textIn(plane, "sDescription")?.trim() ?? null;
  const color = colorOf(numberIn(plane, "uiColor"));
  if (count === 1) return [{ name, color }];
  if (count !== COLOURS.length) {
    return Array.from({ length: count }, (_, i) => ({ name: name && `${name} ${i + 1}`, color }));
  }
  const colours = COLOURS.map((colour, i) => ({
    name: sampleName(several ? name : null, colour),
    color: COLOUR_HEX[i],
  }));
  return colours.reverse();
}

/** `#rrggbb` of a number with red in its lowest byte; black means no colour. */
export function colorOf(value: number | null): string | null {
  if (value === null || !Number.isInteger(value)) return null;
  const color = hexColor(value, value >>> 8, value >>> 16);
  return color === BLACK ? null : color;
}
