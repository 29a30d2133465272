import assert from "node:assert/strict";
import { ByteSection, DecodedBytes } from "./byte_source.ts";
import { DecodeFailed } from "../errors.ts";

const ten = new DecodedBytes(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), "the file");

const refuses = (run: () => unknown, message: string) =>
  assert.throws(run, (error: unknown) => error instanceof DecodeFailed && error.message === message);

Deno.test("a section that does not lie inside its source is refused before anything is read", () => {
  refuses(() => new ByteSection(ten, 8, 3, "the entry"), "the entry at 8 + 3 ends after the file (10 bytes)");
  refuses(() => new ByteSection(ten, 0.5, 1, "the entry"), "the entry has an impossible position 0.5 + 1");
});
