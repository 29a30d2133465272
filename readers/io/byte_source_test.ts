import assert from "node:assert/strict";
import { ByteSection, DecodedBytes } from "./byte_source.ts";
import { DecodeFailed } from "../errors.ts";

const ten = new DecodedBytes(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), "the file");

const refuses = (run: () => unknown, message: string) =>
  assert.throws(run, (error: unknown) => error instanceof DecodeFailed && error.message === message);

Deno.test("a section counts from its first byte and reads nothing outside", () => {
  const section = new ByteSection(ten, 3, 4, "the entry");
  assert.deepEqual([...section.read(0, 4, "all")], [3, 4, 5, 6]);
  assert.deepEqual([...new ByteSection(section, 1, 3, "inner").read(1, 2, "part")], [5, 6]);
  const target = new Uint8Array(2);
  section.readInto(2, target, "part");
  assert.deepEqual([...target], [5, 6]);
  refuses(() => section.read(3, 2, "strip 1"), "strip 1 at 3 + 2 ends after the entry (4 bytes)");
  refuses(() => section.readInto(-1, target, "strip 0"), "strip 0 has an impossible position -1 + 2");
});

Deno.test("rejects a section outside its source before any read", () => {
  refuses(() => new ByteSection(ten, 8, 3, "the entry"), "the entry at 8 + 3 ends after the file (10 bytes)");
  refuses(() => new ByteSection(ten, 0.5, 1, "the entry"), "the entry has an impossible position 0.5 + 1");
});

Deno.test("changing read bytes does not change later reads", () => {
  ten.read(0, 10, "all").fill(0);
  assert.deepEqual([...ten.read(8, 2, "the end")], [8, 9]);
});
