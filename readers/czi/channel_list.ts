/** The channels of a scene as they are served: those of the file, and the samples of colour pixels. */
import { channelNames, channelsOf, sampleName } from "../metadata/channels.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { Channel } from "../reader.ts";
import type { DescribedChannel } from "./metadata.ts";
import { SAMPLE_NAMES } from "./pixel_type.ts";
import { type SceneLayout, spanOf } from "./scene_layout.ts";

/** A channel, and which sample of which channel of the file it is. */
export interface ServedChannel extends Channel {
  /** Index along `C` from the first one on. */
  readonly c: number;
  /** Index among the samples of a pixel, in the order red, green, blue, alpha. */
  readonly sample: number;
}

/**
 * Lists them.
 *
 * @param described what the metadata say, by index along `C` in the numbers of the file
 * @throws {DecodeFailed} there are more than are served
 */
export function channelList(
  layout: SceneLayout,
  described: readonly DescribedChannel[],
): ServedChannel[] {
  const { start } = spanOf(layout, "C");
  const { channels } = layout;
  const facts = (c: number) => described[start + c];
  const own = channelNames(channels.map((_, c) => facts(c)?.name));
  const rows = spanOf(layout, layout.rowAxis).size;
  const columns = spanOf(layout, "X").size;
  const several = channels.length > 1;
  const listed = channels.flatMap((channel, c) => {
    const { samples, sampleType } = channel ?? { samples: 1, sampleType: firstType(layout) };
    const name = own[c]!;
    return Array.from({ length: samples }, (_, sample) => ({
      c,
      sample,
      name: samples === 1 ? name : sampleName(several ? name : null, SAMPLE_NAMES[sample]!),
      sampleType,
      // Several samples of a channel do not share its colour.
      color: samples === 1 ? facts(c)?.color ?? null : null,
    }));
  });
  if (listed.length > MAX_CHANNELS) {
    throw new DecodeFailed(`it has ${listed.length} channels, more than ${MAX_CHANNELS}`);
  }
  const plane = { sampleType: firstType(layout), rows, columns };
  return channelsOf(listed, plane).map((channel, i) => {
    const { c, sample, sampleType } = listed[i]!;
    return { ...channel, c, sample, sampleType };
  });
}

const firstType = ({ channels }: SceneLayout) =>
  channels.find((channel) => channel !== null)?.sampleType ?? "uint16";
