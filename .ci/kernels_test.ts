import assert from "node:assert/strict";
import { buildKernel, kernelNames, moduleOf } from "./kernels.ts";

for (const name of kernelNames()) {
  Deno.test(`${name}.wasm is what its source compiles to, and imports nothing`, async () => {
    const kept = Deno.readFileSync(moduleOf(name));
    assert.deepEqual(await buildKernel(name), kept, "run .ci/kernels.ts");
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(kept)), []);
  });
}
