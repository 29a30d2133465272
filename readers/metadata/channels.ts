/** Channels as served: unique names with defaults, and colours as `#rrggbb`. */
import type { Channel } from "../reader.ts";
import { limitText } from "../io/limits.ts";

/** Names of the samples of a colour pixel, in served order. */
export const COLOURS: readonly string[] = ["Red", "Green", "Blue"];

/** Colours in which these samples are displayed, if the format asks for it. */
export const COLOUR_HEX: readonly string[] = ["#ff0000", "#00ff00", "#0000ff"];

/** Lookup tables of a single colour, by name in lower case. */
export const NAMED_COLORS: ReadonlyMap<string, string> = new Map([
  ["red", "#ff0000"],
  ["green", "#00ff00"],
  ["blue", "#0000ff"],
  ["cyan", "#00ffff"],
  ["magenta", "#ff00ff"],
  ["yellow", "#ffff00"],
  ["gray", "#ffffff"],
  ["grey", "#ffffff"],
  ["white", "#ffffff"],
]);

/** Colour that most formats write for a channel without a colour. */
export const BLACK = "#000000";

/** Name and colour of a channel in its file; `null` or blank if missing. */
export interface NamedChannel {
  readonly name: string | null | undefined;
  /** `#rrggbb` in lower case. */
  readonly color?: string | null | undefined;
}

/** Channels of equal shape and sample type, with unique names. */
export function buildChannels(
  named: readonly NamedChannel[],
  { sampleType, rows, columns }: Pick<Channel, "sampleType" | "rows" | "columns">,
): Channel[] {
  const names = nameChannelsApart(named.map(({ name }) => name));
  return named.map(({ color = null }, index) => ({
    index,
    name: names[index]!,
    sampleType,
    rows,
    columns,
    color,
  }));
}

/** Name of a sample of a pixel, after the name of its channel if there is one. */
export const sampleName = (channel: string | null | undefined, sample: string): string =>
  channel ? `${channel} ${sample}` : sample;

/** `#rrggbb` from the lowest bytes of three numbers. */
export const formatHexColor = (...parts: readonly [red: number, green: number, blue: number]): string =>
  `#${parts.map((part) => (part & 0xff).toString(16).padStart(2, "0")).join("")}`;

/** Unique channel names: a blank name becomes `CHn` (n = index + 1), a repeated name gets ` (2)`, ` (3)`. */
export const nameChannelsApart = (names: readonly (string | null | undefined)[]): string[] =>
  makeDistinct(names, "CH");

/** Unique scene names: a blank name becomes `Scene n`. */
export const nameScenesApart = (names: readonly (string | null)[]): string[] => makeDistinct(names, "Scene ");

function makeDistinct(names: readonly (string | null | undefined)[], noun: string): string[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return names.map((given, index) => {
    const name = limitText(given?.trim() || `${noun}${index + 1}`);
    let unique = name;
    for (let n = repeats.get(name) ?? 2; taken.has(unique); n += 1) {
      unique = `${name} (${n})`;
      // Thousands of scenes may have the same name.
      repeats.set(name, n + 1);
    }
    taken.add(unique);
    return unique;
  });
}
