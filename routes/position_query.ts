/** Which plane of a channel the query of a request asks for. */
import { PositionOutOfRange } from "../readers/errors.ts";
import type { Position } from "../readers/reader.ts";
import { type Detail, RequestValidationFailed } from "./errors.ts";

/** Names of the query and the axes that they are indices along. */
const AXES = { t: "T", z: "Z", l: "L" } as const;

/** Names that would be taken for those of {@linkcode AXES} and mean nothing. */
const MISTAKABLE: Readonly<Record<string, string>> = {
  T: "is written t",
  Z: "is written z",
  L: "is written l",
  time: "is written t",
  scene: "is chosen when the acquisition is opened",
};

/** A position as it was asked for, whose signs are not judged yet. */
export interface AskedPosition {
  /** The numbers; one that is not given means the position that the session opened at. */
  readonly position: Partial<Position>;
  /** What was written below 0, by its axis: `-1` along `T`. */
  readonly negative: readonly (readonly ["T" | "Z" | "L", string])[];
}

/**
 * Reads the query.
 *
 * @throws {RequestValidationFailed} a value is no integer, is empty or given twice, or a name would be mistaken
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
 * Refuses indices below 0.
 *
 * @param sizes of the axes where the session is known
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
