import { equal, match } from "node:assert/strict";
import { explainLsmRelative } from "./relatives.ts";

Deno.test("databases beside LSM files are told what to open instead", () => {
  const head = (text: string) => new TextEncoder().encode(`\0\x01\0\0${text}\0`);
  for (const name of ["Standard Jet DB", "Standard ACE DB"]) {
    match(explainLsmRelative(head(name)) ?? "", /^it is a database, .*open an \.lsm that it lists/);
  }
  for (const other of [head("Standard"), new Uint8Array(0), new Uint8Array(64)]) {
    equal(explainLsmRelative(other), null);
  }
});
