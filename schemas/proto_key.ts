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
  let same = true;
  const entries = Object.entries(value).map(([key, inner]) => {
    const judged = withStandIns(inner);
    same &&= key !== KEY && judged === inner;
    return [key === KEY ? STAND_IN : key, judged] as const;
  });
  return same ? value : Object.fromEntries(entries);
}

/** The key that a stand-in stands for; any other key is itself. */
export const writtenKey = (key: PropertyKey): PropertyKey => key === STAND_IN ? KEY : key;
