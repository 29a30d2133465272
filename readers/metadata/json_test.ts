import assert from "node:assert/strict";
import { DecodeFailed } from "../errors.ts";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson, parseJsonText } from "./json.ts";
import { MAX_JSON_BYTES } from "../io/limits.ts";

const parse = (text: string) => parseJson(new TextEncoder().encode(text), "the document");

Deno.test("parses documents within the bounds", () => {
  assert.deepEqual(parse('\ufeff{"a\\"[": [1, "}"]}'), { 'a"[': [1, "}"] });
  // A comma or a bracket for each value: one array and the commas between its items.
  const most = parse(`[${"0,".repeat(MAX_JSON_VALUES - 1)}0]`);
  assert.equal((most as number[]).length, MAX_JSON_VALUES);
  assert.equal(parse("0".padStart(MAX_JSON_BYTES)), 0);
  assert.equal(parseJsonText("0".padStart(MAX_JSON_BYTES), "the document"), 0);
  assert.ok(parse("[".repeat(MAX_JSON_DEPTH) + "]".repeat(MAX_JSON_DEPTH)));
});

Deno.test("rejects oversized and damaged documents, and other encodings", () => {
  const refused: [string, RegExp][] = [
    [`[${"0,".repeat(MAX_JSON_VALUES)}0]`, /the document has more than 1000000 values/],
    ["[".repeat(MAX_JSON_DEPTH + 1), /nested more than 256 deep/],
    [" ".repeat(MAX_JSON_BYTES + 1), /has 16777217 bytes, more than 16777216/],
    ["{", /the document is not JSON: /],
    ["", /is not JSON/],
  ];
  for (const [text, message] of refused) {
    assert.throws(() => parse(text), (error) => error instanceof DecodeFailed && message.test(error.message));
  }
  assert.throws(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22), "the document"), /is not UTF-8/);
});
