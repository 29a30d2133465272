/** Programs that a test needs and that may not be there. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, type RunOptions } from "../child_process.ts";

/** Path of a program in a folder of PATH, or `null`, with a line that says what is skipped. */
export function findProgram(name: string, forWhat: string): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) console.log(`Skipped: ${forWhat} needs ${name}, which is in no folder of PATH`);
  return found ?? null;
}

export function canImport(python: string, module: string): boolean {
  try {
    return new Deno.Command(python, { args: ["-c", `import ${module}`], stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** Runs a program to its end. @throws {Error} with its output where it fails */
export async function output(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(program, { ...options, args: [...args] });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${out}${err}`);
  return out!;
}
