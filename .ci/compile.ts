/**
 * Builds the executable: `deno task compile [--target TRIPLE] [--output FILE|DIR/]`. Permissions and embedded files
 * stand in deno.json. `DENORT_BIN` names a runtime to use in place of the one that is downloaded on first use.
 */
import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lockedPackages, unneededFiles } from "./package_files.ts";
import { writePageFiles } from "./page_files.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
  "aarch64-pc-windows-msvc",
];

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Relative to the root; `cli/version.ts` reads it from inside the executable. */
const COMMIT_FILE = "dist/commit.txt";

/** What `routes/pages.ts` serves from inside the executable. */
const PAGE_FILES = "dist/static";

interface Options {
  readonly target: string;
  readonly output: string;
}

/** Reads the command line. @throws {Error} with a message for the user */
function parseOptions(args: readonly string[]): Options {
  let target: string | undefined;
  let output: string | undefined;
  // `deno task compile -- --target …` hands the two dashes on.
  const rest = args[0] === "--" ? args.slice(1) : [...args];
  while (rest.length > 0) {
    const [name, attached] = rest.shift()!.split(/=(.*)/s) as [string, string | undefined];
    if (name !== "--target" && name !== "--output") {
      throw new Error(`Unknown option "${name}"; known are --target and --output`);
    }
    const value = attached ?? rest.shift();
    if (value === undefined) throw new Error(`${name} needs a value`);
    if (name === "--target") target = value;
    else output = value;
  }
  if (target !== undefined && !TARGETS.includes(target)) {
    throw new Error(`Unknown target "${target}"; known are ${TARGETS.join(", ")}`);
  }
  const name = target === undefined ? "acq-server" : `acq-server-${target}`;
  target ??= Deno.build.target;
  return { target, output: outputFile(output ?? "dist/", name, target.includes("windows") ? ".exe" : "") };
}

/** Where the executable goes: a folder gets the usual name, and Windows starts nothing without its ending. */
function outputFile(output: string, name: string, ending: string): string {
  const path = resolve(ROOT, output);
  if (/[/\\]$/.test(output) || (existsSync(path) && statSync(path).isDirectory())) {
    return join(output, name + ending);
  }
  return output.toLowerCase().endsWith(ending) ? output : output + ending;
}

/** Commit of the checkout, marked when files differ from it; `unknown` outside of a checkout. */
function currentCommit(): string {
  const git = (...args: string[]) =>
    new Deno.Command("git", { args, cwd: ROOT, stderr: "null" }).outputSync();
  try {
    const head = git("rev-parse", "--short=12", "HEAD");
    if (!head.success) return "unknown";
    const changed = git("status", "--porcelain").stdout.length > 0;
    return new TextDecoder().decode(head.stdout).trim() + (changed ? ", modified" : "");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "unknown";
    throw error;
  }
}

/** Where this Deno keeps npm packages. */
function npmCache(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: ROOT }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}

/** Fetches the npm packages of the program, whose files are chosen from the cache. */
function fetchPackages(): void {
  const args = ["cache", "--quiet", "main.ts", "routes/swagger_files.ts"];
  const { success } = new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).outputSync();
  if (!success) throw new Error("The npm packages cannot be fetched");
}

function compile({ target, output }: Options): number {
  fetchPackages();
  Deno.mkdirSync(ROOT + "dist", { recursive: true });
  Deno.writeTextFileSync(ROOT + COMMIT_FILE, currentCommit() + "\n");
  writePageFiles(ROOT + PAGE_FILES);
  const icon = target.includes("windows") ? ["--icon", ROOT + ".ci/icon.ico"] : [];
  const cache = npmCache();
  const unneeded = unneededFiles(cache, Object.keys(lockedPackages()));
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--config",
      ROOT + "deno.json",
      // The executable keeps this: a dialog program that is missing makes no line at its start.
      "--quiet",
      "--permission-set",
      "--no-prompt",
      // `deno task ok` checks types.
      "--no-check",
      // It would lie in the folder for temporary files under a name that every account can take first.
      "--no-code-cache",
      "--exclude-unused-npm",
      ...unneeded.flatMap((path) => ["--exclude", relative(cache, path)]),
      "--include",
      ROOT + COMMIT_FILE,
      "--include",
      ROOT + PAGE_FILES,
      "--target",
      target,
      ...icon,
      "--output",
      resolve(ROOT, output),
      ROOT + "main.ts",
    ],
    // Paths to leave out are relative to it: absolute ones would make a command line that Windows refuses.
    cwd: cache,
    stdout: "inherit",
    stderr: "piped",
  }).outputSync();
  const words = new TextDecoder().decode(stderr);
  if (code === 0) {
    const { size } = Deno.statSync(resolve(ROOT, output));
    console.log(`${output} for ${target}, ${(size / 1e6).toFixed(0)} MB`);
  } else if (/\bdenort\b/.test(words)) {
    const cause = words.split("\n").find((line) => /^ +\d: .*\bdenort\b/.test(line))?.replace(/^ +\d: /, "");
    console.error(
      `Cannot compile for ${target}: ${
        cause ?? words.split("\n")[0]
      }; the runtime of Deno ${Deno.version.deno} ` +
        "is downloaded from dl.deno.land on first use, or DENORT_BIN names it",
    );
  } else console.error(words.trimEnd());
  return code;
}

try {
  Deno.exit(compile(parseOptions(Deno.args)));
} catch (error) {
  console.error((error as Error).message);
  Deno.exit(2);
}
