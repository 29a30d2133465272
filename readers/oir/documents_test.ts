import assert from "node:assert/strict";
import { DocumentParser, findDocuments, isCount, MAX_DOCUMENT_NODES } from "./documents.ts";

const HEAD = '<?xml version="1.0"?>';
const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** A document after its length, or after another number. */
function stored(document: string, length = document.length): string {
  const word = new Uint8Array(4);
  new DataView(word.buffer).setUint32(0, length, true);
  return String.fromCharCode(...word) + document;
}
const texts = (payload: string) =>
  findDocuments(bytes(payload), 1000).map((d) => new TextDecoder("latin1").decode(d.bytes));

Deno.test("finds documents by their length, or up to the next one if it is wrong", () => {
  const [a, b] = [`${HEAD}<x:first a="1"/>`, `${HEAD}\r\n<second>é</second>`];
  assert.deepEqual(texts("skip" + stored(a) + "between" + stored(b) + "after"), [a, b]);
  assert.deepEqual(texts(stored(a, 7_000) + "gap" + stored(b, 0)), [a, b]);
  assert.deepEqual(
    texts(stored(a, a.length + 30) + stored(b)),
    [a, b],
    "a length that covers the next document",
  );
  assert.deepEqual(texts(a + stored(b)), [a, b], "no length before the first");
  assert.deepEqual(texts(stored(`${a}\r\n`)), [`${a}\r\n`], "a length up to the end, a line end in it");
  assert.deepEqual(texts(stored(`${a}\r\n`, a.length + 3)), [a], "a length past the end");
  assert.deepEqual(texts(stored(`${HEAD}<cut`, 900)), [HEAD]);
  assert.deepEqual([texts(""), texts("<?xm"), texts("<?xml")], [[], [], []]);
});

Deno.test("documents are identified by the local name of their root", () => {
  const cases: [string, string, string][] = [
    ["<lsmimage:imageProperties xmlns:base='b'/>", "lsmimage:imageProperties", "imageProperties"],
    ["<!-- <no/> --><LUT>x</LUT>", "LUT", "LUT"],
    ["<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a", "a"],
    ["<?target <no?><a/>", "a", "a"],
    ["<!-- never closed <a/>", "", ""],
    ["text", "", ""],
  ];
  for (const [content, root, name] of cases) {
    const [document] = findDocuments(bytes(stored(HEAD + content)), 1000);
    assert.deepEqual([document!.root, document!.name, document!.offset], [root, name, 1004], content);
  }
});

Deno.test("text may be UTF-8 or in a Windows code page", () => {
  const utf8 = new TextEncoder().encode(`${HEAD}<a>\u00b5m</a>`);
  assert.equal(new DocumentParser().parse({ root: "a", name: "a", offset: 0, bytes: utf8 }).text, "\u00b5m");
  // 0x80 is the euro sign in Windows-1252.
  const windows = bytes(`${HEAD}<a>\u00b5m \u0080</a>`);
  assert.equal(
    new DocumentParser().parse({ root: "a", name: "a", offset: 0, bytes: windows }).text,
    "\u00b5m \u20ac",
  );
});

Deno.test("bounds the nodes of a document, of all documents, and the parsed bytes", () => {
  const document = (nodes: number, tail = "") => ({
    root: "a",
    name: "a",
    offset: 9,
    bytes: bytes(`${HEAD}<a>${"<b/>".repeat(nodes - 1)}</a>${tail}`),
  });
  assert.equal(MAX_DOCUMENT_NODES, 50_000);
  const parser = new DocumentParser();
  for (let i = 0; i < 8; i += 1) assert.equal(parser.parse(document(50_000)).children.length, 49_999);
  assert.throws(() => parser.parse(document(1)), /the document at 9 has more than 0 nodes/);
  assert.throws(() => new DocumentParser().parse(document(50_001)), /more than 50000 nodes/);
  const long = document(1, " ".repeat(9 << 20));
  const other = new DocumentParser();
  other.parse(long);
  assert.throws(() => other.parse(long), /exceeds the 16777216 bytes/);
});

Deno.test("a count is a positive integer", () => {
  assert.deepEqual([1, 2, 2 ** 53 - 1].map(isCount), [true, true, true]);
  assert.deepEqual([0, -1, 1.5, 2 ** 53, NaN, null, undefined].map(isCount), Array(7).fill(false));
});
