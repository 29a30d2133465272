/**
 * Builds the WebAssembly of the codecs and of the conversion of samples, after a change of a source in `readers/codecs/kernels`:
 * `deno run -A --lock=deno.lock --frozen .ci/kernels.ts`. The modules are kept beside their sources, so that serving needs no compiler.
 */
import asc from "assemblyscript/asc";

const FOLDER = new URL("../readers/codecs/kernels/", import.meta.url);

/** Names of all sources, without `.as`. */
export const kernelNames = (): string[] =>
  [...Deno.readDirSync(FOLDER)].flatMap(({ name }) => name.endsWith(".as") ? name.slice(0, -3) : []);

/** Where the module of a source is kept. */
export const moduleOf = (name: string): URL => new URL(`${name}.wasm`, FOLDER);

/** Compiles a source: no imports, no allocator, one memory for what the source declares. @throws {Error} it has mistakes */
export async function buildKernel(name: string): Promise<Uint8Array> {
  let module: Uint8Array | undefined;
  const options = "-O3 --runtime stub --enable simd --noAssert --use abort= --noColors".split(" ");
  const { error, stderr } = await asc.main([`${name}.ts`, "--outFile", `${name}.wasm`, ...options], {
    readFile: (file) => file === `${name}.ts` ? Deno.readTextFileSync(new URL(`${name}.as`, FOLDER)) : null,
    writeFile: (_, contents) => void (module = contents as Uint8Array),
    listFiles: () => [],
  });
  if (error || !module) throw new Error(`${name}.as cannot be compiled: ${stderr}`, { cause: error });
  return module;
}

if (import.meta.main) {
  for (const name of kernelNames()) Deno.writeFileSync(moduleOf(name), await buildKernel(name));
}
