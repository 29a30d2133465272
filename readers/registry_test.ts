import { deepEqual, equal, match } from "node:assert/strict";
import fc from "fast-check";
import { HEAD_BYTES } from "./format.ts";
import { DecodedBytes } from "./io/byte_source.ts";
import { FORMATS, holdsLsmRecord as holds } from "./registry.ts";

const LSM = FORMATS.find(({ name }) => name === "lsm")!;

const holdsLsmRecord = (file: DecodedBytes) =>
  holds(file, file.read(0, Math.min(file.size, HEAD_BYTES), "the start"));

/** A TIFF with one directory at 8 of entries with these tags, declared to be `count`. */
function directoryOf(tags: readonly number[], count = tags.length): DecodedBytes {
  const view = new DataView(new ArrayBuffer(10 + 12 * tags.length));
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, count, true);
  tags.forEach((tag, i) => view.setUint16(10 + 12 * i, tag, true));
  return new DecodedBytes(new Uint8Array(view.buffer), "the file");
}

Deno.test("finds the record in the first directory", () => {
  equal(holdsLsmRecord(directoryOf([256, 257, 34412])), true);
  equal(holdsLsmRecord(directoryOf([256, 257, 34413])), false);
  equal(holdsLsmRecord(directoryOf([])), false);
  const many = Array.from({ length: 300 }, (_, i) => 1000 + i);
  deepEqual([[...many, 34412], many].map((tags) => holdsLsmRecord(directoryOf(tags))), [true, false]);
});

Deno.test("finds no record in a directory outside the file", () => {
  equal(holdsLsmRecord(directoryOf([34412], 2)), false);
  equal(holdsLsmRecord(directoryOf([34412], 65_535)), false);
  equal(holdsLsmRecord(new DecodedBytes(new Uint8Array(7), "the file")), false);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    holdsLsmRecord(new DecodedBytes(bytes, "the file"));
  }));
});

Deno.test("explains a database beside LSM files", () => {
  const head = (text: string) => new TextEncoder().encode(`\0\x01\0\0${text}\0`);
  const explained = (head: Uint8Array) => LSM.explains?.(head, "a.mdb");
  for (const name of ["Standard Jet DB", "Standard ACE DB"]) {
    match(`${explained(head(name))}`, /^it is a database .*open an \.lsm that it lists/);
  }
  for (const other of [head("Standard"), new Uint8Array(0), new Uint8Array(64)]) {
    equal(explained(other), null);
  }
});
