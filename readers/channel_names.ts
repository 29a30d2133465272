/** Names of the samples of a colour image whose file does not name them, in the order in which they are served. */
export const COLOURS: readonly string[] = ["Red", "Green", "Blue"];

/**
 * Served names of channels: a blank name becomes `CHn` (n = index + 1), a repeated one gets ` (2)`, ` (3)`.
 *
 * @param names as the file gives them, in channel order; `null` or blank where it gives none
 */
export function channelNames(names: readonly (string | null | undefined)[]): string[] {
  const taken = new Set<string>();
  return names.map((given, index) => {
    const name = given?.trim() || `CH${index + 1}`;
    let unique = name;
    for (let n = 2; taken.has(unique); n += 1) unique = `${name} (${n})`;
    taken.add(unique);
    return unique;
  });
}
