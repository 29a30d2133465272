/** Channels as they are served, with their names and colours. */
import { channelNames } from "../channel_names.ts";
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
 * @param names those that the user gave, in the order of the channels
 */
export function channelList(layout: ImageLayout, names: readonly string[]): Channel[] {
  const { channels, sampleType } = layout;
  const given = names.length === channels.length ? names : [];
  const samples = channels.filter(({ tag }) => tag !== 0).length;
  const pixels = samples / 3 + (channels.length - samples);
  let pixel = 0;
  const wanted = channels.map((channel, i) => {
    const sample = SAMPLES[channel.tag];
    if (!sample) return (pixel += 1, given[i] ?? null);
    if (channel.tag === 1) pixel += 1;
    return pixels > 1 ? `CH${pixel} ${sample[0]}` : sample[0];
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
