/** One value judged by a schema, each issue as a problem at its own pointer. */
import type { z } from "zod";
import { isJsonObject, type JsonObject } from "../../readers/metadata/json.ts";
import { writtenKey } from "../../schemas/proto_key.ts";
import type { DocumentProblems } from "./problem.ts";

/**
 * Notes what is wrong with a value; an unknown field is a problem of its own at its place.
 *
 * @returns true when nothing is
 */
export function judge(schema: z.ZodType, value: unknown, problems: DocumentProblems): boolean {
  const result = schema.safeParse(value);
  const issues = result.error?.issues ?? [];
  const mistyped = new Set(issues.filter((i) => i.code === "invalid_type").map((i) => i.path.join("\0")));
  for (const issue of issues) {
    // Text has a length too: what is of another type is not judged by it.
    if (issue.code !== "invalid_type" && mistyped.has(issue.path.join("\0"))) continue;
    const path = issue.path.map(writtenKey);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) problems.add([...path, writtenKey(key)], "the field is not known here");
    } else problems.add(path, plain(issue, valueAt(value, path)));
  }
  return result.success;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}

function plain(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "the field is missing";
  const message = issue.message.replace(/^Invalid input: /, "").replace(/^Too (small|big): /, "");
  return `${message}, it is ${shortened(value)}`;
}

const shortened = (value: unknown) => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** Objects of an array with their index; what is no object has a problem already. */
export function objectsOf(value: unknown): [number, JsonObject][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): [number, JsonObject][] => isJsonObject(item) ? [[index, item]] : []);
}

/**
 * A value that fits a schema, or `undefined`; what does not fit has a problem already. Rules between values look
 * at one field at a time, so that a fault of one does not hide those of its neighbours.
 */
export function usable<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** Notes each item whose id an earlier one has. */
export function uniqueIds(
  items: readonly (readonly [number, JsonObject])[],
  path: readonly PropertyKey[],
  problems: DocumentProblems,
): void {
  const first = new Map<string, number>();
  for (const [index, { id }] of items) {
    if (typeof id !== "string" || id === "") continue;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else problems.add([...path, index, "id"], `the id "${id}" is that of item ${earlier} already`);
  }
}
