/** Names that do not collide. */

/**
 * The name itself if it is free, else the first free one with a number from 2.
 *
 * @param numbered writes the number, by default `name 2`
 */
export function freeName(
  name: string,
  isTaken: (name: string) => boolean,
  numbered: (n: number) => string = (n) => `${name} ${n}`,
): string {
  let free = name;
  for (let n = 2; isTaken(free); n += 1) free = numbered(n);
  return free;
}
