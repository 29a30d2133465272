/** Channels as they are served, with their names and colours. */
import { channelNames } from "../metadata/channel_names.ts";
import type { Channel } from "../reader.ts";
import { type ImageLayout, lengthOf, type StoredChannel } from "./image_layout.ts";

/** Names and colours of the samples of colour pixels by `ChannelTag`. */
const SAMPLES: Readonly<Record<number, readonly [name: string, color: string]>> = {
  1: ["Red", "#ff0000"],
  2: ["Green", "#00ff00"],
  3: ["Blue", "#0000ff"],
};

/** Tables of one colour; others, such as `Glow`, run through several. */
const TABLES: Readonly<Record<string, string>> = {
  red: "#ff0000",
  green: "#00ff00",
  blue: "#0000ff",
  cyan: "#00ffff",
  magenta: "#ff00ff",
  yellow: "#ffff00",
  gray: "#ffffff",
  grey: "#ffffff",
};

/**
 * The channels of an image. A colour table and a dye are no names: the same one may stand for several channels.
 *
 * @param names those that the user gave, one for each pixel
 */
export function channelList(layout: ImageLayout, names: readonly string[]): Channel[] {
  const { channels, sampleType } = layout;
  const colours = channels.filter(({ tag }) => tag !== 0).length;
  const pixels = channels.length - colours + colours / 3;
  const given = names.length === pixels ? names : [];
  let pixel = -1;
  const wanted = channels.map(({ tag }, index) => {
    if (tag <= 1) pixel += 1;
    const own = given[pixel]?.trim() || null;
    const sample = SAMPLES[tag]?.[0];
    if (sample === undefined) return own ?? `CH${index + 1}`;
    return pixels > 1 ? `${own ?? `CH${pixel + 1}`} ${sample}` : sample;
  });
  const rows = lengthOf(layout.rows);
  const columns = lengthOf(layout.columns);
  return channelNames(wanted).map((name, index) => ({
    index,
    name,
    sampleType,
    rows,
    columns,
    color: colorOf(channels[index]!),
  }));
}

function colorOf({ tag, described }: StoredChannel): string | null {
  const table = described.lut.trim().toLowerCase();
  return SAMPLES[tag]?.[1] ?? (Object.hasOwn(TABLES, table) ? TABLES[table]! : null);
}
