/** Names of parts in tables. */
import { freeName } from "./free_name.ts";

/**
 * A name for each part by which its rows can be told apart: one without a name is called by its kind and number, and a repeated name
 * gets ` (2)`, ` (3)`.
 *
 * @param kind such as `Rectangle`
 */
export function makeNamesDistinct(names: readonly (string | null | undefined)[], kind: string): string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  let unnamed = 0;
  return names.map((name) => {
    const own = name?.trim() ? name : `${kind} ${unnamed += 1}`;
    const isTaken = (other: string) => taken.has(other) || other !== own && given.has(other);
    const distinct = freeName(own, isTaken, (n) => `${own} (${n})`);
    taken.add(distinct);
    return distinct;
  });
}
