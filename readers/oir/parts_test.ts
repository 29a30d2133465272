import assert from "node:assert/strict";
import { parseChunkName } from "./file_scan.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { assemblePlane } from "./plane_chunks.ts";
import { StopFlag } from "../io/stop_flag.ts";
import { DocumentParser, findOirDocuments, MAX_NODES } from "./documents.ts";

const ID = "93e4632f-0342-4d98-bdc1-4ce305b92525";

Deno.test("parses chunk names of frames in every known form, and of the source of the reference", () => {
  const cases: [string, number, number, number][] = [
    [`t001_0_1_${ID}_0`, 1, 1, 1],
    [`z007_0_1_${ID}_12`, 1, 1, 7],
    [`l002z003_0_1_${ID}_0`, 1, 2, 3],
    [`l001z002t1234_0_1_${ID}_0`, 1234, 1, 2],
    [`t003z002_7_9_${ID}_0`, 3, 1, 2],
    [`t003_${ID}_0`, 3, 1, 1],
    [`0_1_${ID}_0`, 1, 1, 1],
    [`_0_1_${ID}_0`, 1, 1, 1],
    [`${ID}_0`, 1, 1, 1],
  ];
  for (const [name, t, l, z] of cases) {
    assert.deepEqual(parseChunkName(name), { image: "main", frame: { t, l, z }, channel: ID }, name);
  }
  for (const source of ["LSM0", "CAMERA0"]) {
    assert.deepEqual(parseChunkName(`REF_${source}_${ID}_1`), { image: "reference", source, channel: ID });
  }
});

Deno.test("rejects names of any other form", () => {
  const names = ["", "_", "0", "x", `${ID}_`, `${ID}_x`, "_0"];
  const axes = ["q001", "t001t002", "t_0", "t000", "T001", "t001_x", "t1234567890"];
  for (const name of [...names, ...axes.map((one) => `${one}_0_1_${ID}_0`)]) {
    assert.equal(parseChunkName(name), null, name);
  }
});

Deno.test("rejects a plane of more than a million chunks", () => {
  const chunks = new Array(3_000_003).fill(0);
  assert.throws(
    () => assemblePlane([{ file: new DecodedBytes(new Uint8Array(0), "file"), chunks }]),
    /cut into more than 1000000 chunks/,
  );
});

const HEAD = '<?xml version="1.0"?>';
const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** A document after its length, or after another number. */
function stored(document: string, length = document.length): string {
  const word = new Uint8Array(4);
  new DataView(word.buffer).setUint32(0, length, true);
  return String.fromCharCode(...word) + document;
}
const texts = (payload: string) =>
  findOirDocuments(bytes(payload), 1000).map((d) => new TextDecoder("latin1").decode(d.bytes));

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

Deno.test("identifies documents by the local name of their root", () => {
  const cases: [string, string, string?][] = [
    ["<lsmimage:imageProperties xmlns:base='b'/>", "imageProperties"],
    ["<cameraimage:cameraChannel/>", "cameraChannel", "camera"],
    ["<!-- <no/> --><LUT>x</LUT>", "LUT"],
    ["<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "a"],
    ["<?target <no?><a/>", "a"],
    ["<!-- never closed <a/>", ""],
    ["text", ""],
  ];
  for (const [content, name, kind = name] of cases) {
    const [document] = findOirDocuments(bytes(stored(HEAD + content)), 1000);
    assert.deepEqual([document!.name, document!.kind, document!.offset], [name, kind, 1004], content);
  }
});

const parserOf = () => new DocumentParser(new StopFlag());
const document = (content: Uint8Array) => ({ name: "a", kind: "a", offset: 9, bytes: content });

Deno.test("decodes UTF-8 and a Windows code page", () => {
  const utf8 = new TextEncoder().encode(`${HEAD}<a>\u00b5m</a>`);
  assert.equal(parserOf().parse(document(utf8)).text, "\u00b5m");
  // 0x80 is the euro sign in Windows-1252.
  const windows = bytes(`${HEAD}<a>\u00b5m \u0080</a>`);
  assert.equal(parserOf().parse(document(windows)).text, "\u00b5m \u20ac");
});

Deno.test("bounds the nodes and the parsed bytes of all documents", () => {
  const nodes = (count: number) => document(bytes(`${HEAD}<a>${"<b/>".repeat(count - 1)}</a>`));
  const parser = parserOf();
  for (let i = 0; i < 2; i += 1) assert.ok(parser.parse(nodes(MAX_NODES / 2)));
  assert.throws(() => parser.parse(nodes(1)), /the document at 9 has more than 0 nodes/);
  const long = document(bytes(`${HEAD}<a/>${" ".repeat(9 << 20)}`));
  const other = parserOf();
  other.parse(long);
  assert.throws(() => other.parse(long), /exceeds the 16777216 bytes/);
});
