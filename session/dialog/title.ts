/** Characters of an origin. Title bars cut a line at its right end, where a host name tells its owner. */
const MAX_ORIGIN = 60;

/**
 * Title of a dialog, which names who asks for it.
 *
 * @param foreign origin of the asking page; `null` for the server's own pages and for scripts
 */
export function dialogTitle(foreign: string | null): string {
  if (foreign === null) return "Open an acquisition";
  // Empty where a page does not tell its origin.
  const nowhere = foreign === "null" || foreign === "";
  return `Open an acquisition for ${nowhere ? "a page without an address" : shortOrigin(foreign)}`;
}

/** Cut in the middle: a host name can begin with any other name, but its end tells its owner. */
function shortOrigin(origin: string): string {
  if (origin.length <= MAX_ORIGIN) return origin;
  const scheme = /^[a-z]{1,20}:\/\//.exec(origin)?.[0] ?? "";
  return `${scheme}…${origin.slice(scheme.length + 1 - MAX_ORIGIN)}`;
}
