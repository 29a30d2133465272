/** The channel and the position that a request for a plane names. */
import { ChannelOutOfRange, PositionOutOfRange, quoted } from "../readers/errors.ts";
import type { AxisLetter, Position } from "../readers/reader.ts";
import { readPathParameter, type RequestContext } from "./context.ts";
import { type Detail, RequestValidationFailed } from "./errors.ts";

/** Names in a query that clients mistake for `t`, `z` and `l`. */
const MISTAKABLE: Readonly<Record<string, string>> = {
  T: "is written t",
  Z: "is written z",
  L: "is written l",
  time: "is written t",
  scene: "is chosen when the acquisition is opened",
};

const INTEGER = /^-?\d+$/;

/** A range of indices, its end included. */
const RANGE = /^(\d+)-(\d+)$/;

/** A plane as named by a request. */
export interface AskedPlane {
  readonly channel: number;
  /** The indices that were sent, of a range the first; the opened position is the default. */
  readonly position: Partial<Position>;
  /** The axis that a range was sent for, and its number of indices; `null` without one. */
  readonly run: { readonly axis: AxisLetter; readonly count: number } | null;
}

/**
 * Reads path and query: first the form of all values, then their signs.
 *
 * @param sizeAlong size of an axis for messages; `null` if the session is unknown
 * @param mayRun whether one of the indices may be a range
 * @throws {RequestValidationFailed} a value has another form, is empty or repeated, a second one is a range, or a name is mistaken
 * @throws {ChannelOutOfRange | PositionOutOfRange} an index is negative
 */
export function readAskedPlane(
  c: RequestContext,
  sizeAlong: (axis: AxisLetter) => number | null,
  mayRun = false,
): AskedPlane {
  const channel = readPathParameter(c, "channel_index");
  if (!INTEGER.test(channel)) {
    throw new RequestValidationFailed([reportNotInteger(["path", "channel_index"], channel)]);
  }
  const query = new URL(c.req.url).searchParams;
  const details: Detail[] = Object.entries(MISTAKABLE).filter(([name]) => query.has(name)).map(
    ([name, message]) => ({ location: ["query", name], message, type: "unknown_parameter" }),
  );
  const indices: [name: keyof Position, text: string][] = [];
  let run: AskedPlane["run"] = null;
  for (const name of ["t", "z", "l"] as const) {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) continue;
    const [, first, last] = mayRun ? RANGE.exec(text) ?? [] : [];
    if (more.length > 0) {
      details.push({ location: ["query", name], message: "must not be given twice", type: "repeated" });
    } else if (first !== undefined && last !== undefined) {
      const fault = run !== null
        ? "must be an index, since another axis has a range"
        : Number(first) > Number(last)
        ? `must not end before it begins, as ${quoted(text.slice(0, 64))} does`
        : null;
      if (fault !== null) details.push({ location: ["query", name], message: fault, type: "invalid_range" });
      const count = readIndex(last) - readIndex(first) + 1;
      run = { axis: name.toUpperCase() as AxisLetter, count };
      indices.push([name, first]);
    } else if (!INTEGER.test(text)) details.push(reportNotInteger(["query", name], text));
    else indices.push([name, text]);
  }
  if (details.length > 0) throw new RequestValidationFailed(details);
  if (channel.startsWith("-")) {
    throw new ChannelOutOfRange(`A channel index starts at 0; ${channel.slice(0, 64)} is negative`);
  }
  for (const [name, text] of indices) {
    if (!text.startsWith("-")) continue;
    const axis = name.toUpperCase() as AxisLetter;
    const size = sizeAlong(axis);
    throw new PositionOutOfRange(
      `Index ${text.slice(0, 64)} along ${axis} does not exist: indices start at 0${
        size === null ? "" : ` and ${axis} has size ${size}`
      }`,
    );
  }
  const position = indices.map(([name, text]) => [name, readIndex(text)]);
  return { channel: Number(channel), position: Object.fromEntries(position), run };
}

/** An index; a larger one than any axis has stays too large. */
const readIndex = (text: string) => Math.min(Number(text), Number.MAX_SAFE_INTEGER);

const reportNotInteger = (location: string[], text: string): Detail => ({
  location,
  message: `must be an integer, not "${text.slice(0, 64)}"`,
  type: "invalid_type",
});
