/** The recordings of a folder that the server lists: which they are, and their order. */

/** Most folders that are looked into: half a year of recordings for most users. */
export const MOST_FOLDERS = 500;

/** Last name of a path of the server's system. */
export const takeLastPathName = (path: string): string => /([^\\/]*)[\\/]?$/.exec(path)?.[1] ?? "";

/** The recordings of a listing. */
export const selectRecordings = <Entry extends { kind: string }>(
  { entries }: { entries: readonly Entry[] },
): Entry[] => entries.filter(({ kind }) => kind !== "folder");

/** The only recording of a folder, if it has the name of the folder, or null. */
export function findOwnRecording<Entry extends { kind: string; name: string }>(
  listing: { path: string; entries: readonly Entry[] },
): Entry | null {
  const [first, ...others] = selectRecordings(listing);
  if (first === undefined || others.length > 0) return null;
  return first.name.replace(/\.[^.]*$/, "") === takeLastPathName(listing.path) ? first : null;
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** The order of recordings: `scan_2` comes before `scan_10`. */
export const compareRecordings = (a: { name: string }, b: { name: string }): number =>
  compare(a.name, b.name);
