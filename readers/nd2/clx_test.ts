/** Metadata values of both generations. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { concat, doubles, words } from "../../tests/fixtures/bytes.ts";
import { entry, level, number, packed } from "../../tests/fixtures/nd2_writer.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_NODES } from "../io/limits.ts";
import type { Warning } from "../warning.ts";
import {
  decodeMetadataText,
  findNumber,
  MAX_INFLATED_BYTES,
  MAX_LEVELS,
  newVariantBudget,
  parseLite,
  parseXmlVariant,
  readFlags,
  unwrapObject,
  type Variant,
} from "./clx.ts";
import { isXml } from "./metadata.ts";

const parseBinary = (bytes: Uint8Array) => parseLite(bytes, "the chunk", newVariantBudget());

Deno.test("reads values of each type from the binary tree", () => {
  const text = new Uint8Array(Uint16Array.from("µm\0", (letter) => letter.charCodeAt(0)).buffer);
  const inside = level("root", [
    entry(1, "bTrue", Uint8Array.of(116)),
    entry(2, "iMinus", words(0xffff_fffe)),
    entry(3, "uiLarge", words(0xffff_fffe)),
    entry(4, "lMinus", words(-5n)),
    entry(5, "ulLarge", words(1n << 40n)),
    entry(6, "dHalf", doubles(0.5)),
    entry(7, "pNone", words(7n)),
    entry(8, "wsUnit", text),
    entry(9, "pFlags", concat(words(3n), Uint8Array.of(1, 0, 1))),
    level("list", [number("", 4), number("", 5)]),
    level("empty", []),
    number("after", 9),
  ]);
  deepEqual(
    parseBinary(inside),
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
  deepEqual(parseBinary(packed(inside)), parseBinary(inside));
  deepEqual(parseBinary(packed(packed(inside))), parseBinary(inside));
});

Deno.test("ends a text without a final NUL with its level", () => {
  deepEqual(parseBinary(entry(8, "a", Uint8Array.of(0x41, 0, 0x42, 0))), new Map([["a", "AB"]]));
  deepEqual(parseBinary(entry(8, "a", Uint8Array.of(0x41, 0, 0x42))), new Map([["a", "A"]]));
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
  for (const [bytes, message] of cases) throws(() => parseBinary(bytes), { tag: "decode_failed", message });
});

Deno.test("bounds nesting, entries and inflated bytes", () => {
  let deep = number("a", 1);
  for (let i = 0; i < MAX_LEVELS; i += 1) deep = level("a", [deep]);
  ok(parseBinary(deep));
  throws(() => parseBinary(level("a", [deep])), /nested more than 64 deep/);
  let wrapped = number("a", 1);
  for (let i = 0; i <= MAX_LEVELS; i += 1) wrapped = packed(wrapped);
  throws(() => parseBinary(wrapped), /nested more than 64 deep/);
  const many = new Uint8Array(6 * (MAX_XML_NODES + 1));
  for (let at = 0; at < many.length; at += 6) many.set([2, 0, 1], at);
  throws(() => parseBinary(many), /more than 1000000 entries/);
  const budget = newVariantBudget();
  const zeros = packed(entry(9, "a", concat(words(40n << 20n), new Uint8Array(40 << 20))));
  parseLite(zeros, "one", budget);
  throws(() => parseLite(zeros, "two", budget), /for all metadata/);
});

const bytesOf = (text: string, encoding: BufferEncoding = "utf8") =>
  new Uint8Array(Buffer.from(text, encoding));
function parse(bytes: Uint8Array) {
  const warnings: Warning[] = [];
  const value = unwrapObject(parseXmlVariant(bytes, "the chunk", newVariantBudget(), warnings));
  return { value, codes: codesOf(warnings) };
}

const DOCUMENT =
  `<?xml version="1.0" encoding="UTF-8"?><variant version="1.0"><no_name runtype="CLxListVariant">` +
  `<uiCount runtype="lx_uint32" value="3"/><dStep runtype="double" value="-0.5"/><bOn runtype="bool" value="1"/>` +
  `<bOff runtype="bool" value="false"/><wsName runtype="CLxStringW" value="a &lt;b&gt;"/>` +
  `<list runtype="CLxListVariant"><no_name runtype="lx_int32" value="4"/><no_name runtype="lx_int32" value="5"/></list>` +
  `<flags runtype="CLxListVariant"><_00 runtype="bool" value="true"/></flags></no_name></variant>`;

const VALUES = new Map<string, Variant>([
  ["uiCount", "3"],
  ["dStep", "-0.5"],
  ["bOn", "1"],
  ["bOff", "false"],
  ["wsName", "a <b>"],
  ["list", ["4", "5"]],
  ["flags", new Map([["_00", "true"]])],
]);

Deno.test("reads values of each type from XML, below their wrappers", () => {
  deepEqual(parse(bytesOf(DOCUMENT)), { value: VALUES, codes: [] });
  deepEqual(["uiCount", "dStep", "bOn", "bOff", "wsName"].map((name) => findNumber(VALUES, name)), [
    3,
    -0.5,
    1,
    0,
    null,
  ]);
  deepEqual([readFlags(VALUES.get("flags")), readFlags(["1", "0", "false"])], [[true], [true, false, false]]);
});

Deno.test("reads documents in UTF-8, UTF-16 and Windows-1252", () => {
  const named = (name: string) =>
    `<variant><no_name><a runtype="CLxStringW" value="${name}"/></no_name></variant>`;
  const damaged = bytesOf(named("µ #"));
  damaged[damaged.indexOf(0x23)] = 0xff;
  const bigEndian = bytesOf("\ufeff" + named("µ-Kanal"), "utf16le").map((_, i, all) => all[i ^ 1]!);
  const cases: [Uint8Array, string][] = [
    [bytesOf(named("µ-Kanal")), "µ-Kanal"],
    [bytesOf("\ufeff" + named("µ-Kanal")), "µ-Kanal"],
    [bytesOf(named("µ-Kanal"), "utf16le"), "µ-Kanal"],
    [bytesOf("\ufeff" + named("µ-Kanal"), "utf16le"), "µ-Kanal"],
    [bigEndian, "µ-Kanal"],
    // windows-1252 has µ at b5, like latin1.
    [bytesOf(named("µ-Kanal"), "latin1"), "µ-Kanal"],
    // One damaged character among valid ones in UTF-8.
    [damaged, "µ \ufffd"],
  ];
  for (const [bytes, name] of cases) equal(parse(bytes).value.get("a"), name);
});

Deno.test("recognises XML in each encoding", () => {
  const documents = ["<a/>", "\ufeff<a/>"];
  for (const text of documents) ok(isXml(bytesOf(text)) && isXml(bytesOf(text, "utf16le")));
  ok(isXml(Uint8Array.of(0xfe, 0xff, 0, 0x3c)) && isXml(Uint8Array.of(0, 0x3c)));
  // A binary level whose name has 59 letters, padding, and nothing.
  for (const other of [[11, 0x3c, 0x61, 0], [0, 0], [0xff, 0xfe], []]) ok(!isXml(Uint8Array.from(other)));
});

Deno.test("accepts UTF-8 that ends within a character", () => {
  equal(decodeMetadataText(Uint8Array.of(...bytesOf("<a b='"), 0xc2)), "<a b='");
  equal(decodeMetadataText(Uint8Array.of(...bytesOf("<a b='"), 0xb5, 0x27)), "<a b='\u00b5'");
  // Half a byte order mark.
  equal(decodeMetadataText(Uint8Array.of(0xff, ...bytesOf("<a/>"))), "\u00ff<a/>");
  equal(decodeMetadataText(Uint8Array.of(...bytesOf("<a/>"), 0)), "<a/>");
});

Deno.test("replaces forbidden characters, and drops zeros after the end", () => {
  equal(
    decodeMetadataText(bytesOf("<a>\u0001&#x2;&#31;&#65;\t</a>\0\0")),
    "<a>\ufffd\ufffd\ufffd&#65;\t</a>",
  );
});

Deno.test("reads a truncated document up to its end, with a warning", () => {
  const cut = DOCUMENT.indexOf("<list");
  for (const end of [cut, cut + 3, DOCUMENT.length - 3]) {
    const { value, codes } = parse(bytesOf(DOCUMENT.slice(0, end)));
    deepEqual([value.get("uiCount"), value.get("wsName"), codes], ["3", "a <b>", ["metadata_damaged"]]);
  }
  // Values may be empty, hold what looks like a tag, or end in the middle.
  const values =
    '<variant><no_name><a runtype="CLxStringW" value=""/><b runtype="CLxStringW" value=\'/>"\'/>';
  for (const end of ["", "<c", '<c d="', "<!-- <c>", "</no_name"]) {
    const { value, codes } = parse(bytesOf(values + end));
    deepEqual([[...value], codes], [[["a", ""], ["b", '/>"']], ["metadata_damaged"]], end);
  }
  for (const text of ["<a><b></a>", "<a", ""]) throws(() => parse(bytesOf(text)), { tag: "decode_failed" });
});

Deno.test("rejects entities and deep documents, and parses long runs in linear time", () => {
  throws(() => parse(bytesOf('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')), /document type/);
  throws(() => parse(bytesOf("<a>".repeat(300))), /nested/);
  // A quadratic search would take hours.
  for (const run of ['<a b="', "<a '", " ".repeat(8), "<!--", "&#0"]) {
    try {
      parse(bytesOf("<x>" + run.repeat(200_000)));
    } catch (error) {
      ok(error instanceof DecodeFailed, String(error));
    }
  }
});
