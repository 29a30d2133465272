import { boundedText } from "./description.ts";

/** Names of the samples of a colour image whose file does not name them, in the order in which they are served. */
export const COLOURS: readonly string[] = ["Red", "Green", "Blue"];

/**
 * Served names of channels: a blank name becomes `CHn` (n = index + 1), a repeated one gets ` (2)`, ` (3)`.
 *
 * @param names as the file gives them, in channel order; `null` or blank where it gives none
 */
export function channelNames(names: readonly (string | null | undefined)[]): string[] {
  return distinct(names, "CH");
}

/** Served names of scenes: a blank name becomes `Scene n`, a repeated one is marked as that of a channel is. */
export function sceneNames(names: readonly (string | null)[]): string[] {
  return distinct(names, "Scene ");
}

function distinct(names: readonly (string | null | undefined)[], noun: string): string[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return names.map((given, index) => {
    const name = boundedText(given?.trim() || `${noun}${index + 1}`);
    let unique = name;
    for (let n = repeats.get(name) ?? 2; taken.has(unique); n += 1) {
      unique = `${name} (${n})`;
      // Thousands of scenes may have one name.
      repeats.set(name, n + 1);
    }
    taken.add(unique);
    return unique;
  });
}
