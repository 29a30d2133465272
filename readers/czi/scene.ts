/** A scene of a document with its channels. */
import { DecodeFailed } from "../errors.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { channelNames, channelsOf, sampleName } from "../metadata/channels.ts";
import type { Channel } from "../reader.ts";
import type { CziDocument } from "./document.ts";
import type { DescribedChannel } from "./metadata.ts";
import { SAMPLE_NAMES } from "./pixel_type.ts";
import { layOut, type SceneLayout, spanOf } from "./scene_layout.ts";
import type { SubblockTable } from "./subblock_table.ts";

/** A scene with its files. */
export interface StoredScene {
  /** All subblocks of the document. */
  readonly table: SubblockTable;
  /** The layout of the scene. */
  readonly layout: SceneLayout;
  /** The served channels. */
  readonly channels: readonly ServedChannel[];
  /** Files of the document by their part number. */
  readonly parts: ReadonlyMap<number, ByteSource>;
  /** Stops planning and decoding. */
  readonly stop: StopFlag;
}

/**
 * Lays out a scene of a document.
 *
 * @param index rank of the scene
 * @throws {DecodeFailed} its pixels are unsupported, it exceeds a bound, or tiles may be missing
 */
export function storedScene(
  document: CziDocument,
  index: number,
  parts: ReadonlyMap<number, ByteSource>,
  stop: StopFlag,
): StoredScene {
  const { table, scenes, metadata, complete } = document;
  const layout = layOut(table, scenes[index]!.entries, stop);
  if (!complete && (layout.tiles > 1 || layout.tilesBy === "M")) {
    throw new DecodeFailed("subblocks are lost, so tiles of the mosaic may be missing");
  }
  return { table, layout, channels: channelList(layout, metadata.channels), parts, stop };
}

/** A served channel: a channel of the file, or a sample of its colour pixels. */
export interface ServedChannel extends Channel {
  /** Index along `C`, from the first one. */
  readonly c: number;
  /** Index among the samples of a pixel, in the order red, green, blue, alpha. */
  readonly sample: number;
}

function channelList(
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
  const type = channels.find((channel) => channel !== null)?.sampleType ?? "uint16";
  const listed = channels.flatMap((channel, c) => {
    const { samples, sampleType } = channel ?? { samples: 1, sampleType: type };
    const name = own[c]!;
    return Array.from({ length: samples }, (_, sample) => ({
      c,
      sample,
      name: samples === 1 ? name : sampleName(several ? name : null, SAMPLE_NAMES[sample]!),
      sampleType,
      // The samples of a colour pixel do not share the colour of their channel.
      color: samples === 1 ? facts(c)?.color ?? null : null,
    }));
  });
  if (listed.length > MAX_CHANNELS) {
    throw new DecodeFailed(`it has ${listed.length} channels, more than ${MAX_CHANNELS}`);
  }
  return channelsOf(listed, { sampleType: type, rows, columns }).map((channel, i) => {
    const { c, sample, sampleType } = listed[i]!;
    return { ...channel, c, sample, sampleType };
  });
}
