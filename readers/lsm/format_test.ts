import { equal, match } from "node:assert/strict";
import fc from "fast-check";
import { DecodedBytes } from "../io/byte_source.ts";
import { LSM } from "./format.ts";

const isLsm = (bytes: Uint8Array) => LSM.isDialect!(new DecodedBytes(bytes, "the file"));

/** A TIFF with one directory at 8 of entries with these tags, declared to be `count`. */
function directoryOf(tags: readonly number[], count = tags.length): Uint8Array {
  const view = new DataView(new ArrayBuffer(14 + 12 * tags.length));
  view.setUint32(0, 0x002a4949, true);
  view.setUint32(4, 8, true);
  view.setUint16(8, count, true);
  tags.forEach((tag, i) => view.setUint16(10 + 12 * i, tag, true));
  return new Uint8Array(view.buffer);
}

Deno.test("takes a TIFF with the record in its first directory as LSM, and no damaged one", async () => {
  const many = Array.from({ length: 300 }, (_, i) => 1000 + i);
  for (const tags of [[256, 257, 34412], [...many, 34412]]) equal(await isLsm(directoryOf(tags)), true);
  for (const tags of [[256, 257, 34413], [], many]) equal(await isLsm(directoryOf(tags)), false);
  for (const count of [3, 65_535]) equal(await isLsm(directoryOf([34412], count)), false);
  equal(await isLsm(new Uint8Array(7)), false);
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
    await isLsm(bytes);
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
