/** The settings texts of an acquisition as documents. */
import type { DocumentList } from "../io/document_list.ts";
import type { NamedStreams } from "./named_streams.ts";
import { readText } from "./settings.ts";

/** Adds the main settings, then those of the named files that exist. @throws {DecodeFailed} one cannot be read */
export function addSettings(list: DocumentList, streams: NamedStreams, names: readonly string[]): void {
  for (const source of [streams.settings, ...names.map((name) => streams.open(name))]) {
    if (source) list.add(source.name.slice(1, -1), "text/plain", readText(source));
  }
}
