/** The position in a request's query. */
import { PositionOutOfRange } from "../readers/errors.ts";
import type { Position } from "../readers/reader.ts";
import { type Detail, RequestValidationFailed } from "./errors.ts";

/** Axes by their names in the query. */
const AXES = { t: "T", z: "Z", l: "L" } as const;

/** Names that clients mistake for those of {@linkcode AXES}. */
const MISTAKABLE: Readonly<Record<string, string>> = {
  T: "is written t",
  Z: "is written z",
  L: "is written l",
  time: "is written t",
  scene: "is chosen when the acquisition is opened",
};

/** A position as sent; indices may be negative. */
export interface AskedPosition {
  /** The indices; the opened position is the default. */
  readonly position: Partial<Position>;
  /** Negative indices by axis, as sent. */
  readonly negative: readonly (readonly ["T" | "Z" | "L", string])[];
}

/**
 * Reads the query.
 *
 * @throws {RequestValidationFailed} a value is not an integer, is empty or repeated, or a name is mistaken
 */
export function askedPosition(query: URLSearchParams): AskedPosition {
  const details: Detail[] = Object.entries(MISTAKABLE).filter(([name]) => query.has(name)).map(
    ([name, meaning]) => ({ location: ["query", name], message: meaning, type: "unknown_parameter" }),
  );
  const position: { t?: number; z?: number; l?: number } = {};
  const negative: ["T" | "Z" | "L", string][] = [];
  for (const name of ["t", "z", "l"] as const) {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) continue;
    if (more.length > 0) {
      details.push({ location: ["query", name], message: "must not be given twice", type: "repeated" });
    } else if (!/^-?\d+$/.test(text)) {
      const message = `must be an integer, not "${text.slice(0, 64)}"`;
      details.push({ location: ["query", name], message, type: "invalid_type" });
    } else if (text.startsWith("-")) negative.push([AXES[name], text.slice(0, 64)]);
    else position[name] = Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  }
  if (details.length > 0) throw new RequestValidationFailed(details);
  return { position, negative };
}

/**
 * Refuses negative indices.
 *
 * @param sizeAlong size of an axis; `null` if the session is unknown
 * @throws {PositionOutOfRange}
 */
export function requireSigns({ negative }: AskedPosition, sizeAlong: (axis: string) => number | null): void {
  const [first] = negative;
  if (first === undefined) return;
  const [axis, text] = first;
  const size = sizeAlong(axis);
  throw new PositionOutOfRange(
    `Index ${text} along ${axis} does not exist: indices start at 0${
      size === null ? "" : ` and ${axis} has size ${size}`
    }`,
  );
}
