/**
 * Zod skips the key `__proto__`, which a JSON document may hold like any other: as an unknown field, in a free
 * object, as the name of an axis. Under another name it is judged as JSON Schema judges it.
 */

const KEY = "__proto__";
const STAND_IN = "\0__proto__";

/** The value with each key `__proto__` under its stand-in; the same value when there is none. */
export function withStandIns(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withStandIns);
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const entries = Object.entries(value);
  const judged = entries.map(([key, inner]) => [key === KEY ? STAND_IN : key, withStandIns(inner)] as const);
  const same = judged.every(([key, inner], i) => key === entries[i]![0] && inner === entries[i]![1]);
  return same ? value : Object.fromEntries(judged);
}

/** The key that a stand-in stands for; any other key is itself. */
export const writtenKey = (key: PropertyKey): PropertyKey => key === STAND_IN ? KEY : key;
