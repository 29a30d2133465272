/** Shapes of stored values: small predicates and what combines them. Other programs, and damage, may have stored anything. */

/** Whether a value has this shape. */
export type Shape = (value: unknown) => boolean;

/** An object that is not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A number, which may be NaN in results. */
export const isNumber = (value: unknown): value is number => typeof value === "number";

/** A finite number. */
export const isFinite = (value: unknown): value is number => Number.isFinite(value);

/** A whole number from 0. */
export const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value) && value >= 0;

/** A whole number from 1. */
export const isSize = (value: unknown): boolean => isCount(value) && value !== 0;

/** A text. */
export const isText = (value: unknown): value is string => typeof value === "string";

/** True or false. */
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

/** A value without parts. */
export const isPlain = (value: unknown): boolean =>
  value === null || isNumber(value) || isText(value) || isFlag(value);

/** One of these values. */
export const oneOf = (...known: unknown[]): Shape => (value) => known.includes(value);

/** Nothing, or this shape. */
export const orNone = (shape: Shape): Shape => (value) =>
  value === null || value === undefined || shape(value);

/** A list of this shape. */
export const listOf = (shape: Shape): Shape => (value) => Array.isArray(value) && value.every(shape);

/** A list of this length at most: work with a list grows faster than the list. */
export const atMost = (most: number, shape: Shape): Shape => (value) =>
  Array.isArray(value) && value.length <= most && shape(value);

/** A list of two. */
export const pairOf = (shape: Shape): Shape => (value) =>
  Array.isArray(value) && value.length === 2 && value.every(shape);

/** An object whose values have this shape. */
export const valuesOf = (shape: Shape): Shape => (value) =>
  isObject(value) && Object.values(value).every(shape);

/** An object with these fields, among others. */
export const withFields = (shapes: Readonly<Record<string, Shape>>): Shape => (value) =>
  isObject(value) && Object.entries(shapes).every(([name, shape]) => shape(value[name]));
