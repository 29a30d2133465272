/** The settings texts of an acquisition as they are, for who wants to read them. */
import { Buffer } from "node:buffer";
import { DecodeFailed } from "../errors.ts";
import type { MetadataDocument } from "../reader.ts";
import type { NamedStreams } from "./named_streams.ts";
import { readText } from "./settings.ts";

/**
 * The main settings, then those of the named files that are there.
 *
 * @param most bytes of UTF-8 that all of them may have
 * @throws {DecodeFailed} they have more, or one cannot be read
 */
export function settingsTexts(
  streams: NamedStreams,
  names: readonly string[],
  most: number,
): MetadataDocument[] {
  let left = most;
  const sources = [streams.settings, ...names.map((name) => streams.open(name))];
  return sources.filter((source) => source !== null).map((source) => {
    const text = readText(source);
    left -= Buffer.byteLength(text);
    if (left < 0) throw new DecodeFailed(`the metadata documents have more than ${most} bytes`);
    return { name: source.name.slice(1, -1), mediaType: "text/plain", text };
  });
}
