/** One value judged by a schema, each issue as a problem at its own pointer. */
import type { z } from "zod";
import type { DocumentProblems } from "./problem.ts";

/**
 * Notes what is wrong with a value; an unknown field is a problem of its own at its place.
 *
 * @returns true when nothing is
 */
export function judge(schema: z.ZodType, value: unknown, problems: DocumentProblems): boolean {
  const result = schema.safeParse(value);
  for (const issue of result.error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) problems.add([...issue.path, key], "the field is not known here");
    } else problems.add(issue.path, plain(issue, valueAt(value, issue.path)));
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

/** Items of an array that fit a schema, with their index; the others have problems already. */
export function validItems<T>(value: unknown, schema: z.ZodType<T>): [number, T][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): [number, T][] => {
    const result = schema.safeParse(item);
    return result.success ? [[index, result.data]] : [];
  });
}

/** Notes each item whose id an earlier one has. */
export function uniqueIds(
  items: readonly (readonly [number, { readonly id: string }])[],
  path: readonly PropertyKey[],
  problems: DocumentProblems,
): void {
  const first = new Map<string, number>();
  for (const [index, { id }] of items) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else problems.add([...path, index, "id"], `the id "${id}" is that of item ${earlier} already`);
  }
}
