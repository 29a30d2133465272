import assert from "node:assert/strict";
import * as fc from "fast-check";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { parseXml } from "./xml.ts";

Deno.test("damage is refused with a position", () => {
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

Deno.test("no document type, so no entity expands", () => {
  const bomb = `<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`;
  assert.throws(() => parseXml(bomb, "OME-XML"), /declares a document type/);
  assert.throws(() => parseXml(`<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, "OME-XML"), /document type/);
});

Deno.test("size, nesting and number of nodes are bounded, and the process lives", () => {
  assert.throws(() => parseXml("<a>".repeat(300) + "</a>".repeat(300), "x"), /nested more than 256 deep/);
  assert.equal(parseXml("<a>".repeat(256) + "</a>".repeat(256), "x").name, "a");
  assert.throws(() => parseXml(`<r>${"<a/>".repeat(1_000_001)}</r>`, "x"), /more than 1000000 nodes/);
  assert.throws(() => parseXml("x".repeat(MAX_XML_BYTES + 1), "x"), /characters, more than/);
  assert.throws(() => parseXml("x".repeat(MAX_XML_BYTES), "x"), /x is damaged: /);
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

Deno.test("elements that are left out are judged and do not count", () => {
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
