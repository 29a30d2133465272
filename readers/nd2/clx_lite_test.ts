import { deepEqual, ok, throws } from "node:assert/strict";
import { concat, words } from "../../tests/fixtures/bytes.ts";
import { entry, level, number, packed } from "../../tests/fixtures/nd2_writer.ts";
import { MAX_XML_NODES } from "../io/limits.ts";
import { MAX_INFLATED_BYTES, MAX_LEVELS, parseLite, variantBudget } from "./clx.ts";

const parse = (bytes: Uint8Array) => parseLite(bytes, "the chunk", variantBudget());

const double = (value: number) => new Uint8Array(Float64Array.of(value).buffer);

Deno.test("reads values of each type", () => {
  const text = new Uint8Array(Uint16Array.from("µm\0", (letter) => letter.charCodeAt(0)).buffer);
  const inside = level("root", [
    entry(1, "bTrue", Uint8Array.of(116)),
    entry(2, "iMinus", words(0xffff_fffe)),
    entry(3, "uiLarge", words(0xffff_fffe)),
    entry(4, "lMinus", words(-5n)),
    entry(5, "ulLarge", words(1n << 40n)),
    entry(6, "dHalf", double(0.5)),
    entry(7, "pNone", words(7n)),
    entry(8, "wsUnit", text),
    entry(9, "pFlags", concat(words(3n), Uint8Array.of(1, 0, 1))),
    level("list", [number("", 4), number("", 5)]),
    level("empty", []),
    number("after", 9),
  ]);
  deepEqual(
    parse(inside),
    new Map([[
      "root",
      new Map<string, unknown>([
        ["bTrue", true],
        ["iMinus", -2],
        ["uiLarge", 0xffff_fffe],
        ["lMinus", -5],
        ["ulLarge", 2 ** 40],
        ["dHalf", 0.5],
        ["pNone", 7],
        ["wsUnit", "µm"],
        ["pFlags", Uint8Array.of(1, 0, 1)],
        ["list", [4, 5]],
        ["empty", new Map()],
        ["after", 9],
      ]),
    ]]),
  );
  deepEqual(parse(packed(inside)), parse(inside));
  deepEqual(parse(packed(packed(inside))), parse(inside));
});

Deno.test("ends a text without a final NUL with its level", () => {
  deepEqual(parse(entry(8, "a", Uint8Array.of(0x41, 0, 0x42, 0))), new Map([["a", "AB"]]));
  deepEqual(parse(entry(8, "a", Uint8Array.of(0x41, 0, 0x42))), new Map([["a", "A"]]));
});

Deno.test("rejects damaged bytes with their offset", () => {
  const one = number("a", 1);
  const cases: [Uint8Array, RegExp][] = [
    [one.subarray(0, -1), /ends within an entry that needs 4 bytes/],
    [one.subarray(0, 1), /ends within an entry that needs 2 bytes/],
    [one.subarray(0, 3), /ends within an entry that needs 4 bytes/],
    [entry(10, "a", new Uint8Array(8)), /unknown type 10/],
    [entry(12, "a", new Uint8Array(8)), /unknown type 12/],
    [level("a", [entry(0, "a", new Uint8Array(8))]), /unknown type 0/],
    [entry(9, "a", words(1n << 60n)), /ends within an entry/],
    [level("a", [one], 2), /that does not fit/],
    [level("a", [one], 0xffff_ffff), /that does not fit/],
    [entry(11, "a", words(0, 0n)), /that does not fit/],
    [packed(one, one.length + 1), /inflates to \d+ bytes instead of/],
    [packed(one, one.length - 1), /cannot be inflated/],
    [packed(one, MAX_INFLATED_BYTES + 1), /more than/],
    [packed(one).subarray(0, -3), /cannot be inflated/],
    [Uint8Array.of(0x4c, 0x56), /ends within an entry/],
  ];
  for (const [bytes, message] of cases) throws(() => parse(bytes), { tag: "decode_failed", message });
});

Deno.test("bounds nesting, entries and inflated bytes", () => {
  let deep = number("a", 1);
  for (let i = 0; i < MAX_LEVELS; i += 1) deep = level("a", [deep]);
  ok(parse(deep));
  throws(() => parse(level("a", [deep])), /nested more than 64 deep/);
  let wrapped = number("a", 1);
  for (let i = 0; i <= MAX_LEVELS; i += 1) wrapped = packed(wrapped);
  throws(() => parse(wrapped), /nested more than 64 deep/);
  const many = new Uint8Array(6 * (MAX_XML_NODES + 1));
  for (let at = 0; at < many.length; at += 6) many.set([2, 0, 1], at);
  throws(() => parse(many), /more than 1000000 entries/);
  const budget = variantBudget();
  const zeros = packed(entry(9, "a", concat(words(40n << 20n), new Uint8Array(40 << 20))));
  parseLite(zeros, "one", budget);
  throws(() => parseLite(zeros, "two", budget), /for all metadata/);
});
