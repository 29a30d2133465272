import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** SHA-256 of the WebAssembly of `jpegxr` 0.3.0, as it was fuzzed (CONTRIBUTING.md, Dependencies). */
const FUZZED = "66d97f4d49749150e5a942d7f97d0ceab05624563dd42a63b70ad47bb7432380";

Deno.test("the decoder of JPEG XR is the one that was fuzzed", () => {
  const script = Deno.readTextFileSync(new URL(import.meta.resolve("jpegxr")));
  const modules = [...script.matchAll(/data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)/g)]
    .map(([, base64]) => Uint8Array.fromBase64(base64!));
  assert.equal(modules.length, 1);
  // Its first four bytes are those of every module.
  assert.deepEqual(modules[0]!.subarray(0, 4), Uint8Array.from([0, 97, 115, 109]));
  const hash = createHash("sha256").update(modules[0]!).digest("hex");
  assert.equal(hash, FUZZED, "fuzz the new decoder first, as CONTRIBUTING.md says");
});
