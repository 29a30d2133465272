/** The document of a file that is one box with some XML. */
import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DecodedBytes } from "../io/byte_source.ts";
import { variantBudget } from "./clx_lite.ts";
import { documentOf, holderOf, legacyLoops, numberOf, textStarting } from "./legacy_documents.ts";
import { objectIn, type Variant, type VariantObject } from "./variant.ts";

function parsed(xml: string) {
  const content = Buffer.from(xml);
  const head = Buffer.alloc(8, "xml ");
  head.writeUInt32BE(8 + content.length);
  const file = new DecodedBytes(Buffer.concat([head, content]), "the file");
  return documentOf(file, new Map([["TINF", [0]]]), "TINF", variantBudget().xml, []);
}

Deno.test("values are attributes or the text of an element; names lose the prefix for their type", () => {
  const document = parsed(
    '<?xml version="1.0"?><variant version="1.0"><uiCount runtype="lx_uint32" value="3"/><Text>Metadata: x</Text>' +
      '<Count value="4"/><sEmpty/><Loop Type="2" runtype="x"><_0 value="a"/><_1 value="b"/></Loop></variant>',
  );
  deepEqual([...document.keys()], ["Count", "Text", "Count 2", "Empty", "Loop"]);
  deepEqual([numberOf(document, "Count"), numberOf(document, "Count 2")], [3, 4]);
  equal(document.get("Text"), "Metadata: x");
  deepEqual(document.get("Empty"), new Map());
  deepEqual([...objectIn(document, "Loop")], [["Type", "2"], ["0", "a"], ["1", "b"]]);
});

Deno.test("an object is found inside its wrappers unless there are several", () => {
  const wrapped = parsed('<a><UnknownData><b value="1"/></UnknownData><c><d><Count value="5"/></d></c></a>');
  equal(numberOf(holderOf(wrapped, ["Count"]), "Count"), 5);
  const parted = parsed('<a><B><Count value="5"/></B><C><Count value="6"/></C></a>');
  equal(holderOf(parted, ["Count"]), parted);
  const deep = parsed(`${"<A>".repeat(12)}<Count value="5"/>${"</A>".repeat(12)}`);
  equal(numberOf(holderOf(deep, ["Count"]), "Count"), null);
});

Deno.test("the first text with a given start is found at any depth", () => {
  const texts = parsed(
    '<a><b><Text value="other"/></b><b><Text value="Metadata: 1"/></b><c value="Metadata: 2"/></a>',
  );
  equal(textStarting(texts, "Metadata:"), "Metadata: 1");
  equal(textStarting(texts, "none"), null);
  equal(textStarting(undefined, ""), null);
});

Deno.test("numbers are finite and not blank; missing documents are empty, other text is refused", () => {
  const values = parsed(
    '<a><A value=" "/><B value="x"/><C value="Infinity"/><D value="-1.5"/><E><F/></E></a>',
  );
  deepEqual(["A", "B", "C", "D", "E", "G"].map((name) => numberOf(values, name)), [
    null,
    null,
    null,
    -1.5,
    null,
    null,
  ]);
  throws(() => parsed("text"), { tag: "DecodeFailed" });
  equal(
    documentOf(new DecodedBytes(new Uint8Array(), "it"), new Map(), "TINF", variantBudget().xml, []).size,
    0,
  );
});

function variant(value: unknown): Variant {
  return typeof value === "object" && value !== null
    ? new Map(Object.entries(value).map(([name, one]) => [name, variant(one)]))
    : String(value);
}

const short = (experiment: unknown, description: string | null = null) =>
  legacyLoops(variant(experiment) as VariantObject, description)
    .map(({ kind, count, measured, nominal }) => [kind, count, measured, nominal]);
const level = (Type: number, LoopPars: unknown, NextLevelEx: unknown = {}) => ({
  Type,
  LoopPars,
  NextLevelEx,
});

Deno.test("loops are numbered, or nested in each other", () => {
  const [t, z] = [level(1, { Count: 2, Period: { _0: { Count: 2, Period: 500 } } }), level(4, { Count: 3 })];
  const expected = [["T", 2, null, 500], ["Z", 3, null, null]];
  deepEqual(short({ LoopNo01: z, LoopNo00: t }), expected);
  deepEqual(short(level(1, t.LoopPars, { no_name: z })), expected);
  deepEqual(short({}), []);
});

Deno.test("the focus step comes from the description, the loop or its range", () => {
  const range = { Count: 3, ZLow: -1, ZHigh: 2 };
  deepEqual(short(level(4, { ...range, ZStep: -0.75 })), [["Z", 3, null, 0.75]]);
  // (2 - -1) / 2.
  deepEqual(short(level(4, range)), [["Z", 3, null, 1.5]]);
  const text = "Metadata:\r\nDimensions: Z(3)\r\nZ Stack Loop: 5 - Step 0.2 um\r\n";
  deepEqual(short(level(4, range), text), [["Z", 3, null, 0.2]]);
  deepEqual(short(level(4, { Count: 1, ZLow: 0, ZHigh: 2 })), [["Z", 1, null, null]]);
});

Deno.test("the description counts positions and time points; the phase of this count has the step", () => {
  const phases = {
    Period: { _0: { Count: 9, Period: 10 }, _1: { Count: 4, Period: 20, AvgPeriodDiff: 21 }, _2: {} },
  };
  const text = "Metadata:\r\nDimensions: T'(4) x XY(2) x λ(3)\r\n";
  deepEqual(short(level(8, phases, { no_name: level(2, { Count: 7 }) }), text), [
    ["T", 4, 21, 20],
    ["P", 2, null, null],
  ]);
  deepEqual(short(level(8, phases)), [["T", 9, null, 10]]);
  // Without phases, or with empty ones alone, the loop itself has count and period.
  deepEqual(short(level(1, { Count: 4, Period: 500 })), [["T", 4, null, 500]]);
  deepEqual(short(level(1, { Count: 4, Period: { _0: {} } })), [["T", 4, null, null]]);
  deepEqual(short(level(2, { PosX: { a: 1, b: 2 } }), "Dimensions: S(5)"), [["P", 5, null, null]]);
  deepEqual(short(level(2, { PosX: { a: 1, b: 2 } })), [["P", 2, null, null]]);
});

Deno.test("channels are not a loop; unknown loops are refused", () => {
  deepEqual(short(level(6, { Count: 2 }, { no_name: level(4, { Count: 2 }) })), [["Z", 2, null, null]]);
  for (const type of [3, 5, 7, 9, 10]) {
    throws(() => short(level(type, { Count: 2 })), { tag: "DecodeFailed" });
  }
  for (const Count of [0, -1, 0.5, "x"]) deepEqual(short(level(4, { Count })), []);
});
