/** Lists of words in sentences. */

/** `A, B and C`. With more than `most` words, `A, B, C and 2 more`. */
export function listInWords(words: readonly string[], most = Infinity): string {
  const shown = words.slice(0, most);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
