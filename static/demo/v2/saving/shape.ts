/** Shapes of stored values: small predicates and what combines them. Other programs, and damage, may have stored anything. */

/** Whether a value has this shape. */
export type Shape = (value: unknown) => boolean;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Numbers of results may be NaN. */
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isFinite = (value: unknown): value is number => Number.isFinite(value);
export const isCount: Shape = (value) => isNumber(value) && Number.isInteger(value) && value >= 0;
export const isSize: Shape = (value) => isNumber(value) && Number.isInteger(value) && value >= 1;
export const isText: Shape = (value) => typeof value === "string";
export const isFlag: Shape = (value) => typeof value === "boolean";
export const isPlain: Shape = (value) => value === null || isNumber(value) || isText(value) || isFlag(value);

export const oneOf = (...known: unknown[]): Shape => (value) => known.includes(value);
export const orNone = (shape: Shape): Shape => (value) =>
  value === null || value === undefined || shape(value);
export const listOf = (shape: Shape): Shape => (value) => Array.isArray(value) && value.every(shape);
/** Work with a list grows faster than the list. */
export const atMost = (most: number, shape: Shape): Shape => (value) =>
  Array.isArray(value) && value.length <= most && shape(value);
export const pairOf = (shape: Shape): Shape => (value) =>
  Array.isArray(value) && value.length === 2 && value.every(shape);
export const valuesOf = (shape: Shape): Shape => (value) =>
  isObject(value) && Object.values(value).every(shape);
/** An object with these fields, among others. */
export const withFields = (shapes: Readonly<Record<string, Shape>>): Shape => (value) =>
  isObject(value) && Object.entries(shapes).every(([name, shape]) => shape(value[name]));
