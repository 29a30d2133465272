/** What a dialog says of who asks for it. */

/** Characters of an origin. Title bars cut a line at its right end, where the owner of a host name stands. */
const MAX_ORIGIN = 60;

/** @param foreign origin of the asking page; `null` for the server's own pages and for scripts */
export function dialogTitle(foreign: string | null): string {
  if (foreign === null) return "Open an acquisition";
  // An empty one is that of a page that does not say which it is.
  const nowhere = foreign === "null" || foreign === "";
  return `Open an acquisition for ${nowhere ? "a page without an address" : shortOrigin(foreign)}`;
}

/** Cut in the middle: everybody can have a name that begins with somebody else's. */
function shortOrigin(origin: string): string {
  if (origin.length <= MAX_ORIGIN) return origin;
  const scheme = /^[a-z]{1,20}:\/\//.exec(origin)?.[0] ?? "";
  return `${scheme}…${origin.slice(scheme.length + 1 - MAX_ORIGIN)}`;
}
