import assert from "node:assert/strict";
import * as fc from "fast-check";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import {
  findChild,
  findChildren,
  findDescendant,
  findDescendants,
  parseXml,
  replaceForbidden,
} from "./xml.ts";

Deno.test("finds elements, attributes and text by local name", () => {
  const root = parseXml(
    `<?xml version="1.0"?><a:Image xmlns:a="urn:x" a:ID="1"><Pixels SizeX="3"> <Name>G&lt;FP &#181;</Name><b:Name>2</b:Name><![CDATA[raw]]></Pixels></a:Image>`,
    "OME-XML",
  );
  assert.equal(root.name, "Image");
  assert.equal(root.attributes.ID, "1");
  const pixels = findChild(root, "Pixels");
  assert.equal(pixels?.attributes.SizeX, "3");
  assert.equal(pixels?.attributes.constructor, undefined);
  assert.deepEqual(findChildren(pixels, "Name").map((e) => e.text), ["G<FP µ", "2"]);
  assert.equal(pixels?.text, "raw");
  assert.equal(findDescendant(root, "Name")?.text, "G<FP µ");
  assert.equal(findDescendant(root, "Missing"), undefined);
});

Deno.test("rejects damage with its position", () => {
  const cases = [
    "",
    "   ",
    "<a>",
    "<a></b>",
    "<a/><b/>",
    "<a b='1' b='2'/>",
    "<a>&unknown;</a>",
    "<a>\u0001</a>",
    "<a ",
    "text",
  ];
  for (const text of cases) assert.throws(() => parseXml(text, "OME-XML"), DecodeFailed, text);
  assert.throws(() => parseXml("<a>\n</b>", "OME-XML"), /OME-XML is damaged: 2:/);
});

Deno.test("rejects a document type, so no entity expands", () => {
  const bomb = `<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`;
  assert.throws(() => parseXml(bomb, "OME-XML"), /declares a document type/);
  assert.throws(() => parseXml(`<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, "OME-XML"), /document type/);
});

Deno.test("bounds size, nesting and number of nodes without ending the process", () => {
  assert.throws(() => parseXml("<a>".repeat(300) + "</a>".repeat(300), "x"), /nested more than 256 deep/);
  assert.equal(parseXml("<a>".repeat(256) + "</a>".repeat(256), "x").name, "a");
  assert.throws(() => parseXml(`<r>${"<a/>".repeat(1_000_001)}</r>`, "x"), /more than 1000000 nodes/);
  assert.throws(() => parseXml("x".repeat(MAX_XML_BYTES + 1), "x"), /characters, more than/);
  assert.throws(() => parseXml("x".repeat(MAX_XML_BYTES), "x"), /x is damaged: /);
});

Deno.test("applies smaller limits, also shared by several documents", () => {
  const limits = { nodes: 5, depth: 2 };
  assert.equal(parseXml('<a x="1" y="2"/>', "x", limits).name, "a");
  assert.equal(limits.nodes, 2, "an element and two attributes");
  assert.throws(() => parseXml('<a><b x="1"/></a>', "x", limits), /x has more than 2 nodes/);
  assert.throws(() => parseXml("<a><b><c/></b></a>", "x", { nodes: 9, depth: 2 }), /nested more than 2 deep/);
});

Deno.test("lists descendants in document order", () => {
  const root = parseXml('<a><b i="1"><b i="2"/></b><c><b i="3"/></c></a>', "x");
  assert.deepEqual(findDescendants(root, "b").map((b) => b.attributes.i), ["1", "2", "3"]);
  assert.deepEqual(findDescendants(undefined, "b"), []);
});

Deno.test("any text gives a tree or a DecodeFailed", () => {
  const piece = fc.constantFrom(
    "<a>",
    "</a>",
    "<b x='1'/>",
    "&lt;",
    "&#x41;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "?>",
    "text",
    "\u0000",
    "<",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        parseXml(pieces.join(""), "x");
      } catch (error) {
        assert.ok(error instanceof DecodeFailed, String(error));
      }
    }),
    { numRuns: 1000, seed: 1 },
  );
});

Deno.test("checks omitted elements without counting them", () => {
  const omits = (name: string, parent: string | undefined) => name === "skip" && parent === "a";
  const parse = (text: string, nodes = 3) => parseXml(text, "x", { nodes, depth: 4, omits });
  const root = parse(`<a>1<skip x="1">text<b><skip/></b></skip>2<c><skip/></c></a>`);
  assert.deepEqual([root.text, root.children.map(({ name }) => name)], ["12", ["c"]]);
  assert.equal(root.children[0]?.children[0]?.name, "skip", "it is left out inside of another element alone");
  assert.equal(parse(`<a>${"<skip><b/></skip>".repeat(100)}</a>`, 1).children.length, 0);
  assert.throws(() => parse("<a><skip></b></skip></a>"), /x is damaged/);
  assert.throws(() => parse("<a><skip><b><c><d/></c></b></skip></a>"), /nested more than 4 deep/);
  assert.throws(
    () => parse(`<a><skip ${Array.from({ length: 9 }, (_, i) => `y${i}=""`).join(" ")}/></a>`),
    /x has more/,
  );
});

Deno.test("replaces forbidden characters, literal or as a reference", () => {
  assert.equal(
    replaceForbidden("a\u0001b\tc\n\ufffed&#1;&#x1F;&#10;&#x9;"),
    "a\ufffdb\tc\n\ufffdd\ufffd\ufffd&#10;&#x9;",
  );
});
