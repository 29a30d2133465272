/**
 * Builds the WebAssembly of the codecs and of the conversion of samples, after a change of a source in `readers/codecs/kernels`:
 * `deno run -A .ci/kernels.ts`. The modules are kept beside their sources, so that serving needs no compiler. deno.lock does not
 * have the compiler: it is as large as all other packages that `deno task` would fetch.
 */

const FOLDER = new URL("../readers/codecs/kernels/", import.meta.url);

const COMPILER = "npm:assemblyscript@0.27.37/asc";

const OPTIONS = "-O3 --runtime stub --enable simd --noAssert --use abort= --noColors".split(" ");

/** Names of all sources, without `.as`. */
export const kernelNames = (): string[] =>
  [...Deno.readDirSync(FOLDER)].flatMap(({ name }) => name.endsWith(".as") ? name.slice(0, -3) : []);

/** Where the module of a source is kept. */
export const moduleOf = (name: string): URL => new URL(`${name}.wasm`, FOLDER);

/** Compiles a source: no imports, no allocator, one memory for what the source declares. @throws {Error} it has mistakes */
export async function buildKernel(name: string): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir({ prefix: "kernels_" });
  try {
    await Deno.copyFile(new URL(`${name}.as`, FOLDER), `${folder}/${name}.ts`);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", COMPILER, `${name}.ts`, "--outFile", `${name}.wasm`, ...OPTIONS],
      cwd: folder,
    }).output();
    const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    if (!success) throw new Error(`${name}.as cannot be compiled: ${said}`);
    return await Deno.readFile(`${folder}/${name}.wasm`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  for (const name of kernelNames()) Deno.writeFileSync(moduleOf(name), await buildKernel(name));
}
