/** What is made of `static/` when something is built: scripts without types, and the types of the client module. */
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutTypes } from "../routes/page_script.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The client module, from the root. */
export const CLIENT = "static/client/v2/acq-client.ts";

/** The script of a source, by its path from the root. @throws {SyntaxError} its syntax is not that of erasable TypeScript */
export const scriptOf = (path: string): string => withoutTypes(Deno.readTextFileSync(join(ROOT, path)));

/** The types of the client module as a `.d.ts` without imports. @throws {Error} the compiler failed, with its words */
export function clientTypes(): string {
  const folder = Deno.makeTempDirSync({ prefix: "client_types_" });
  try {
    const { success, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["transpile", "--quiet", "--declaration", "--outdir", folder, CLIENT],
      cwd: ROOT,
    }).outputSync();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const types = Deno.readTextFileSync(join(folder, CLIENT.replace(/\.ts$/, ".d.ts")));
    // The compiler names the file of this machine.
    return types.replace(/^\/\/\/ <amd-module .*\n/m, "");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/**
 * Writes what the executable serves of `static/` to a folder: sources become scripts of the same name, the client module gets
 * its types beside it, and all else stays as it is.
 */
export function writePageFiles(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const path of filesBelow("static")) {
    if (path === "static/deno.json") continue;
    const target = join(folder, path.slice("static/".length));
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith(".ts")) Deno.writeTextFileSync(target, scriptOf(path));
    else Deno.copyFileSync(join(ROOT, path), target);
  }
  Deno.writeTextFileSync(join(folder, "client/v2/acq-client.d.ts"), clientTypes());
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(ROOT, folder))) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}
