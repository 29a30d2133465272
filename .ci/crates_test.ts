import assert from "node:assert/strict";
import { cratesIn } from "./crates.ts";

const encoded = (text: string) => new TextEncoder().encode(text);

Deno.test("finds each crate once by the path of its sources, also on Windows", () => {
  const registry = "registry/src/index.crates.io-1949cf8c6b5b557f";
  const linux = encoded(
    `\0\xff/home/a/.cargo/${registry}/aes-kw-0.2.1/src/lib.rs\0${registry}/aes-kw-0.2.1/src/b.rs` +
      `${registry}/ash-0.38.0+1.3.281/src/c.rs\0${registry}/sha3-0.11.0-rc.8/src/d.rs`,
  );
  const windows = encoded(
    `C:\\a\\${registry.replaceAll("/", "\\")}\\windows-sys-0.59.0\\src\\e.rs\0` +
      `${registry}/aes-kw-0.2.1/src/lib.rs`,
  );
  // Neither a registry of another name nor a folder without a version.
  const none = encoded(
    "/registry/src/example.org-1949cf8c6b5b557f/b-1.0.0/a.rs index.crates.io-1949cf8c6b5b557f/c/",
  );
  assert.deepEqual(cratesIn([linux, windows, none]), [
    { name: "aes-kw", version: "0.2.1" },
    { name: "ash", version: "0.38.0+1.3.281" },
    { name: "sha3", version: "0.11.0-rc.8" },
    { name: "windows-sys", version: "0.59.0" },
  ]);
  // A part of a larger buffer is read from where it starts.
  assert.deepEqual(cratesIn([linux.subarray(0, 4)]), []);
});

Deno.test("the runtime of the tests names its crates", () => {
  const crates = cratesIn([Deno.readFileSync(Deno.execPath())]);
  // Both are named by Deno's own documentation: its parser of JavaScript and its event loop.
  for (const wanted of ["swc_ecma_parser", "tokio"]) {
    assert(crates.some(({ name }) => name === wanted), wanted);
  }
  assert(crates.length > 100, `${crates.length} crates`);
});
