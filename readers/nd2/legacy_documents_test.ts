import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DecodedBytes } from "../io/byte_source.ts";
import { documentOf, holderOf, numberOf, textStarting } from "./legacy_documents.ts";
import { variantBudget } from "./clx_lite.ts";
import { objectIn } from "./variant.ts";

/** The document of a file that is one box with some XML. */
function parsed(xml: string) {
  const content = Buffer.from(xml);
  const head = Buffer.alloc(8, "xml ");
  head.writeUInt32BE(8 + content.length);
  const file = new DecodedBytes(Buffer.concat([head, content]), "the file");
  return documentOf(file, new Map([["TINF", [0]]]), "TINF", variantBudget().xml);
}

Deno.test("values stand in attributes or are the text of an element; names lose what tells their type", () => {
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

Deno.test("what is wanted is found inside of wrappers, up to where they part", () => {
  const wrapped = parsed('<a><UnknownData><b value="1"/></UnknownData><c><d><Count value="5"/></d></c></a>');
  equal(numberOf(holderOf(wrapped, ["Count"]), "Count"), 5);
  const parted = parsed('<a><B><Count value="5"/></B><C><Count value="6"/></C></a>');
  equal(holderOf(parted, ["Count"]), parted);
  const deep = parsed(`${"<A>".repeat(12)}<Count value="5"/>${"</A>".repeat(12)}`);
  equal(numberOf(holderOf(deep, ["Count"]), "Count"), null);
});

Deno.test("the first text that begins so, however deep", () => {
  const texts = parsed(
    '<a><b><Text value="other"/></b><b><Text value="Metadata: 1"/></b><c value="Metadata: 2"/></a>',
  );
  equal(textStarting(texts, "Metadata:"), "Metadata: 1");
  equal(textStarting(texts, "none"), null);
  equal(textStarting(undefined, ""), null);
});

Deno.test("numbers are finite and not blank; a document that is none, or not there", () => {
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
  equal(documentOf(new DecodedBytes(new Uint8Array(), "it"), new Map(), "TINF", variantBudget().xml).size, 0);
});
