import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { codesOf } from "../../tests/warning_codes.ts";
import { DecodeFailed } from "../errors.ts";
import type { Warning } from "../warning.ts";
import { variantBudget } from "./clx.ts";
import { metadataText, parseXmlVariant } from "./clx.ts";
import { isXml } from "./metadata.ts";
import { flagsOf, numberIn, unwrapped, type Variant } from "./clx.ts";

const bytesOf = (text: string, encoding: BufferEncoding = "utf8") =>
  new Uint8Array(Buffer.from(text, encoding));
function parse(bytes: Uint8Array) {
  const warnings: Warning[] = [];
  const value = unwrapped(parseXmlVariant(bytes, "the chunk", variantBudget(), warnings));
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

Deno.test("reads values of each type below their wrappers", () => {
  deepEqual(parse(bytesOf(DOCUMENT)), { value: VALUES, codes: [] });
  deepEqual(["uiCount", "dStep", "bOn", "bOff", "wsName"].map((name) => numberIn(VALUES, name)), [
    3,
    -0.5,
    1,
    0,
    null,
  ]);
  deepEqual([flagsOf(VALUES.get("flags")), flagsOf(["1", "0", "false"])], [[true], [true, false, false]]);
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
  equal(metadataText(Uint8Array.of(...bytesOf("<a b='"), 0xc2)), "<a b='");
  equal(metadataText(Uint8Array.of(...bytesOf("<a b='"), 0xb5, 0x27)), "<a b='\u00b5'");
  // Half a byte order mark.
  equal(metadataText(Uint8Array.of(0xff, ...bytesOf("<a/>"))), "\u00ff<a/>");
  equal(metadataText(Uint8Array.of(...bytesOf("<a/>"), 0)), "<a/>");
});

Deno.test("replaces forbidden characters, and drops zeros after the end", () => {
  equal(metadataText(bytesOf("<a>\u0001&#x2;&#31;&#65;\t</a>\0\0")), "<a>\ufffd\ufffd\ufffd&#65;\t</a>");
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
