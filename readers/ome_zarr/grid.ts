/** Positions in the grid of the chunks of an array or a shard. */

/** Every combination of one position along each axis, the last axis fastest. */
export function* combinations(along: readonly (readonly number[])[]): Generator<number[]> {
  const [first, ...rest] = along;
  if (first === undefined) return yield [];
  for (const position of first) for (const others of combinations(rest)) yield [position, ...others];
}

/** The numbers below a count for which a condition holds. */
export function numbersBelow(count: number, holds: (n: number) => boolean): number[] {
  const found: number[] = [];
  for (let n = 0; n < count; n += 1) if (holds(n)) found.push(n);
  return found;
}
