/**
 * Links to a view: `#path=/data/scan.oir&scene=1&t=3&z=2`. Any site can lead a browser to a link, so a link only fills
 * a field; the user opens it. All functions are pure.
 *
 * @typedef {{path: string, scene: number, position: {t: number, z: number, l: number}}} LinkedView
 */

/**
 * @param {string} hash with or without its `#`
 * @returns {LinkedView | null} null where it names no path
 */
export function viewOfLink(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const path = query.get("path") ?? "";
  if (path.trim() === "") return null;
  const index = (/** @type {string} */ name) => {
    const text = query.get(name) ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  };
  return { path, scene: index("scene"), position: { t: index("t"), z: index("z"), l: index("l") } };
}

/** The shortest link to a view, with its `#`. @param {LinkedView} view */
export function linkOfView({ path, scene, position }) {
  const query = new URLSearchParams({ path });
  for (const [name, index] of Object.entries({ scene, ...position })) {
    if (index > 0) query.set(name, String(index));
  }
  // Slashes and colons need no escape in a fragment, and people read the path.
  return `#${String(query).replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
}
