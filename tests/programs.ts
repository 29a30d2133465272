/** Programs beside Deno that tests run. A test that needs a missing one skips, with a line that names it. */
import { existsSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { run, type RunOptions } from "./child_process.ts";

/** All of them; `tests/programs_test.ts` runs the tests that need one with an empty `PATH`. */
export const PROGRAMS = [
  ...["bash", "mkfifo", "setpriv", "sh", "test", "timeout", "unzip"],
  ...["gcc", "node", "npm", "openssl"],
  ...["convert", "curl", "java", "jq", "octave-cli", "python3", "xvfb-run"],
  ...["go", "mvn", "oapi-codegen", "openapi-generator-cli", "openapi-python-client", "openapi-typescript"],
  ...["actionlint", "redocly", "schemathesis", "zizmor"],
  ...["Xvfb", "xdotool", "zenity"],
] as const;

/** Those without which tests fail instead: `REQUIRE_PROGRAMS=zenity,Xvfb`. */
const REQUIRED = (Deno.env.get("REQUIRE_PROGRAMS") ?? "").split(",");

/** A program that tests know. */
export type Program = typeof PROGRAMS[number];

/** Path of a program in a folder of `PATH`, or `null`. @throws {Error} it is required */
function pathOf(name: Program): string | null {
  // Deno appends a folder with a `node` that is Deno.
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter)
    .filter((folder) => folder !== "" && basename(folder) !== "node_compat_bin");
  const names = Deno.build.os === "windows" ? [`${name}.exe`, `${name}.cmd`] : [name];
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const found = paths.find((path) => existsSync(path)) ?? null;
  if (found === null && REQUIRED.includes(name)) {
    throw new Error(`${name} is required, and in no folder of PATH`);
  }
  return found;
}

/** Path of a `python3` that imports the modules, or `null`. */
function pythonWith(modules: readonly string[]): string | null {
  const found = pathOf("python3");
  if (found === null || modules.length === 0) return found;
  const candidates = [found, "/usr/bin/python3"].filter((path) => existsSync(path));
  return candidates.find((path) => canImport(path, modules)) ?? null;
}

function canImport(python: string, modules: readonly string[]): boolean {
  const args = ["-c", `import ${modules.join(", ")}`];
  return new Deno.Command(python, { args, stdout: "null", stderr: "null" }).outputSync().success;
}

/** Prints why a test is skipped. */
const skip = (name: string, missing: readonly string[]) =>
  console.log(`Skipped: ${name}, without ${missing.join(", ")} in PATH`);

/** Path of a program in a folder of `PATH`, or `null`, with a line that says what is skipped. */
export function findProgram(name: Program, forWhat: string): string | null {
  const found = pathOf(name);
  if (found === null) skip(forWhat, [name]);
  return found;
}

/**
 * Registers a test that needs programs, which its name lists: `judges the document (needs redocly)`.
 *
 * @param fn gets the paths of the programs in their order
 */
export function programTest(
  programs: readonly Program[],
  { name, modules = [], ignore = false, fn }: {
    readonly name: string;
    /** Modules that `python3` must import. */
    readonly modules?: readonly string[];
    /** True if the test cannot run for another reason, which its file says. */
    readonly ignore?: boolean;
    readonly fn: (paths: string[], t: Deno.TestContext) => Promise<void>;
  },
): void {
  const paths = programs.map((program) => program === "python3" ? pythonWith(modules) : pathOf(program));
  const missing = programs.filter((_, i) => paths[i] === null)
    .map((program) =>
      program === "python3" ? ["python3", modules.join(" and ")].filter(Boolean).join(" with ") : program
    );
  if (missing.length > 0) skip(name, missing);
  Deno.test({
    name: `${name} (needs ${programs.join(", ")})`,
    ignore: ignore || missing.length > 0,
    fn: (t) => fn(paths.filter((path) => path !== null), t),
  });
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
