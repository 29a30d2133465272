/** Channels as they are served, with their names and colours. */
import { channelsOf, COLOUR_HEX, COLOURS, NAMED_COLORS, sampleName } from "../metadata/channels.ts";
import type { Channel } from "../reader.ts";
import { type ImageLayout, lengthOf, type StoredChannel } from "./image_layout.ts";

/**
 * The channels of an image. Neither a colour table nor a dye names one, since several channels may share it.
 *
 * @param names those that the user gave, one for each pixel
 */
export function channelList(layout: ImageLayout, names: readonly string[]): Channel[] {
  const { channels, sampleType } = layout;
  const colours = channels.filter(({ tag }) => tag !== 0).length;
  const pixels = channels.length - colours + colours / 3;
  const given = names.length === pixels ? names : [];
  let pixel = -1;
  const named = channels.map((channel, index) => {
    // `ChannelTag` numbers the samples of a colour pixel from 1; a grey pixel has 0.
    const { tag } = channel;
    if (tag <= 1) pixel += 1;
    const own = given[pixel]?.trim() || null;
    const sample = COLOURS[tag - 1];
    if (sample === undefined) return { name: own ?? `CH${index + 1}`, color: colorOf(channel) };
    const name = sampleName(pixels > 1 ? own ?? `CH${pixel + 1}` : null, sample);
    return { name, color: COLOUR_HEX[tag - 1] };
  });
  return channelsOf(named, { sampleType, rows: lengthOf(layout.rows), columns: lengthOf(layout.columns) });
}

/** The colour of a table; others, such as `Glow`, run through several. */
const colorOf = ({ described }: StoredChannel): string | null =>
  NAMED_COLORS.get(described.lut.trim().toLowerCase()) ?? null;
