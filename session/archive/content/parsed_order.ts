/** Parses an order to export, so that neither its values nor its faults take time or memory of the serving thread. */
import type { z } from "zod";
import { ExportRequest } from "../../../schemas/http.ts";
import { parseJson, REQUEST_BODY } from "../../../readers/metadata/json.ts";
import type { ParsedOrder } from "./archive_orders.ts";

/** Largest number of issues in an answer. */
const MAX_ISSUES = 20;

/** The order, or the first issues of its schema. @throws {DecodeFailed} invalid JSON, or above a limit */
export function parseOrder(
  bytes: Uint8Array,
): ParsedOrder | { readonly issues: readonly z.core.$ZodIssue[] } {
  const result = ExportRequest.safeParse(parseJson(bytes, "The body", REQUEST_BODY));
  if (result.success) return encodeOrder(result.data);
  // Plain values, which can be sent.
  return { issues: JSON.parse(JSON.stringify(result.error.issues.slice(0, MAX_ISSUES))) };
}

/** An order with its members as JSON, in memory that all threads share: copying 30 MiB takes 30 ms. */
export function encodeOrder({ members, ...order }: z.infer<typeof ExportRequest>): ParsedOrder {
  const encoder = new TextEncoder();
  const texts = members.map((member) => encoder.encode(JSON.stringify(member)));
  const shared = new SharedArrayBuffer(texts.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  return {
    ...order,
    members: members.map(({ sessionId, path, scene, id, name }, i) => {
      const text = texts[i]!;
      const json = new Uint8Array(shared, start, text.length);
      json.set(text);
      start += text.length;
      return { sessionId, path, scene, id, name, json };
    }),
  };
}
