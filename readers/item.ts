/**
 * The item of a list at an index that has to exist, for places where speed does not matter.
 *
 * @throws {RangeError} there is none
 */
export function item<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`a list of ${list.length} items has none at ${index}`);
  return found;
}
