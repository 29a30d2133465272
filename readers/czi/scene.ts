/** A scene of a document with its channels, from which planes can be planned. */
import type { ByteSource } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { channelList } from "./channel_list.ts";
import type { CziDocument } from "./document.ts";
import type { StoredScene } from "./plane_plan.ts";
import { layOut } from "./scene_layout.ts";

/**
 * Lays out a scene of a document.
 *
 * @param index rank of the scene
 * @param parts files by their number
 * @throws {DecodeFailed} its pixels are not read, or it has more than is served
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
    throw new DecodeFailed("subblocks are lost, and nothing tells which tiles of its mosaic are missing");
  }
  return {
    table,
    layout,
    channels: channelList(layout, metadata.channels),
    part: (number) => parts.get(number) ?? null,
    stop,
  };
}
