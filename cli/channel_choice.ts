/** The channel that `--channel` names: by its exact name or its index. */
import { listInWords } from "../static/measure/word_list.ts";
import { basename } from "node:path";
import { ChannelOutOfRange, quoted } from "../readers/errors.ts";
import type { Channel } from "../readers/reader.ts";
import type { Sessions } from "../session/sessions.ts";
import { makeOpenOrder } from "./shell.ts";

/** Help of the flag. */
export const CHANNEL_HELP = "Channel by its exact name, else its index (index:N)";

/** Most channels in a message. */
const MOST_LISTED = 20;

/**
 * The index of a channel.
 *
 * @param text as typed
 * @param file in messages
 * @throws {ChannelOutOfRange} there is no such channel, or the name of one is the index of another
 */
export function findChannelIndex(
  text: string,
  channels: readonly Pick<Channel, "index" | "name">[],
  file: string,
): number {
  const exact = /^index:(\d{1,9})$/.exec(text);
  const named = exact ? undefined : channels.find(({ name }) => name === text);
  const digits = exact?.[1] ?? (/^\d{1,9}$/.test(text) ? text : undefined);
  const indexed = digits === undefined ? undefined : channels.find(({ index }) => index === Number(digits));
  if (named !== undefined && indexed !== undefined && named !== indexed) {
    throw new ChannelOutOfRange(
      `${quoted(text)} is the name of channel ${named.index} and the index of channel ${indexed.index}, ${
        quoted(indexed.name)
      }, of ${quoted(file)}: write index:${named.index} or index:${indexed.index}`,
    );
  }
  const found = named ?? indexed;
  if (found !== undefined) return found.index;
  if (/^-\d+$/.test(text)) throw new ChannelOutOfRange(`A channel index starts at 0; ${text} is negative`);
  const names = listInWords(channels.map(({ index, name }) => `${index} ${quoted(name)}`), MOST_LISTED);
  throw new ChannelOutOfRange(
    `Channel ${digits ?? quoted(text.slice(0, 64))} does not exist: ${quoted(file)} has ${
      channels.length === 1 ? "only" : "channels"
    } ${names}`,
  );
}

/** The channels of a scene of a path. */
export async function openChannels(
  sessions: Sessions,
  path: string,
  scene: number | null,
): Promise<readonly Channel[]> {
  return (await sessions.opener.describe(makeOpenOrder({ path, scene, channelIndices: null }))).summary
    .channels;
}

/** The index of a channel of a path. @throws {ChannelOutOfRange} as {@linkcode findChannelIndex} */
export async function requireChannelIndex(
  sessions: Sessions,
  path: string,
  scene: number | null,
  text: string,
): Promise<number> {
  return findChannelIndex(text, await openChannels(sessions, path, scene), basename(path));
}
