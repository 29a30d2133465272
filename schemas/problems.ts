/** Problems of documents, and the validation of values by schemas. */
import { z } from "zod";
import { isJsonObject, type JsonObject } from "./json_object.ts";

/** One problem that `acq-server validate` finds. */
export interface Problem {
  readonly file: string;
  /** RFC 6901 pointer to the wrong or missing value. */
  readonly pointer: string;
  readonly message: string;
}

/** Collects the problems of a document. */
export class DocumentProblems {
  readonly #file: string;
  readonly #problems: Problem[];
  readonly #at: readonly PropertyKey[];

  /** Adds problems to a list, for the part of the document at `at`. */
  constructor(
    file: string,
    problems: Problem[],
    at: readonly PropertyKey[] = [],
  ) {
    this.#file = file;
    this.#problems = problems;
    this.#at = at;
  }

  /** Collects the problems of a part of this document. */
  below(path: readonly PropertyKey[]): DocumentProblems {
    return new DocumentProblems(this.#file, this.#problems, [...this.#at, ...path]);
  }

  add(path: readonly PropertyKey[], message: string): void {
    const keys = [...this.#at, ...path].map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1"));
    this.addAt(keys.map((key) => `/${key}`).join(""), message);
  }

  /** Adds a problem at a pointer from the root of the document. */
  addAt(pointer: string, message: string): void {
    this.#problems.push({ file: this.#file, pointer, message });
  }
}

/** Validates a value and adds its problems, each at its own pointer. @returns true if there is no problem */
export function checkValue(schema: z.ZodType, value: unknown, problems: DocumentProblems): boolean {
  const result = schema.safeParse(value);
  const issues = result.error?.issues ?? [];
  const mistyped = new Set(issues.filter((i) => i.code === "invalid_type").map((i) => i.path.join("\0")));
  for (const issue of issues) {
    // For a value of the wrong type, skips further issues such as its length.
    if (issue.code !== "invalid_type" && mistyped.has(issue.path.join("\0"))) continue;
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) problems.add([...issue.path, key], "unknown field");
    } else problems.add(issue.path, explainIssue(issue, findValueAt(value, issue.path)));
  }
  return result.success;
}

/** The first issue of a value, at its path. */
export interface FirstIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * The first issue of a value, or `null`. A schema by itself collects the issues of all items, which take a hundred times the bytes
 * of a list of empty objects; this goes through large lists and objects item by item and stops.
 */
export function findFirstIssue(schema: z.ZodType, value: unknown): FirstIssue | null {
  if (isSmall(value)) return findIssue(schema, value);
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() as z.ZodType : schema;
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    // Without its items, a list has no rules but that of its length, which only small ones break.
    return findFirstBelow(value.entries(), () => inner.element as z.ZodType);
  }
  if (inner instanceof z.ZodRecord && isJsonObject(value)) {
    return findFirstBelow(Object.entries(value), () => inner.valueType as z.ZodType);
  }
  if (!(inner instanceof z.ZodObject && isJsonObject(value))) return findIssue(inner, value);
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  const isClosed = inner.def.catchall instanceof z.ZodNever;
  const unknown = isClosed ? Object.keys(value).find((key) => !Object.hasOwn(shape, key)) : undefined;
  if (unknown !== undefined) return { path: [unknown], message: "unknown field" };
  const field = (key: string) => Object.hasOwn(value, key) ? value[key] : undefined;
  return findFirstBelow(Object.keys(shape).map((key) => [key, field(key)] as const), (key) => shape[key]!);
}

/** Largest number of items of a value whose issues may be collected. */
const MAX_SMALL = 32;

/** True for a value that has few items, each with few items. */
function isSmall(value: unknown, levels = 2): boolean {
  if (typeof value !== "object" || value === null || levels === 0) {
    return typeof value !== "object" || value === null || Object.keys(value).length <= MAX_SMALL;
  }
  const items = Array.isArray(value) ? value : Object.values(value);
  return items.length <= MAX_SMALL && items.every((item) => isSmall(item, levels - 1));
}

function findFirstBelow<Key extends PropertyKey>(
  items: Iterable<readonly [Key, unknown]>,
  schemaOf: (key: Key) => z.ZodType,
): FirstIssue | null {
  for (const [key, item] of items) {
    const issue = findFirstIssue(schemaOf(key), item);
    if (issue !== null) return { path: [key, ...issue.path], message: issue.message };
  }
  return null;
}

function findIssue(schema: z.ZodType, value: unknown): FirstIssue | null {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue ? { path: issue.path, message: explainIssue(issue, findValueAt(value, issue.path)) } : null;
}

function findValueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

function explainIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "missing field";
  const message = issue.message.replace(/^Invalid input: /, "").replace(/^Too (small|big): /, "");
  const text = JSON.stringify(value);
  return `${message}, not ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}

/** Objects of an array with their indices; other items already have a problem. */
export function listObjects(value: unknown): [number, JsonObject][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): [number, JsonObject][] => isJsonObject(item) ? [[index, item]] : []);
}

/** A value that fits a schema; else `undefined`, and the value already has a problem. */
export function checkUsable<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** Adds a problem for each repeated id. */
export function checkIds(
  items: readonly (readonly [number, JsonObject])[],
  path: readonly PropertyKey[],
  problems: DocumentProblems,
): void {
  const first = new Map<string, number>();
  for (const [index, { id }] of items) {
    if (typeof id !== "string" || id === "") continue;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else problems.add([...path, index, "id"], `item ${earlier} has the id "${id}", too`);
  }
}
