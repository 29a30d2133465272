/**
 * Runs `deno doc --lint` over every module, and fails when something that is exported has no documentation. Members whose
 * names and types say all need none.
 *
 * Signatures of a module that imports an npm package may hold types of that package, which the linter takes for private
 * ones, and schemas whose types only the compiler can write down: in such modules these two findings do not count.
 */
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);
const FOLDERS = ["readers", "session", "routes", "cli", "schemas", "static"];

function* modulesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
    if (isDirectory) yield* modulesBelow(`${folder}/${name}`);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield `${folder}/${name}`;
  }
}

const topLevel = [...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) =>
  /(?<!_test)\.ts$/.test(name)
);
const modules = [...topLevel, ...FOLDERS.flatMap((folder) => [...modulesBelow(folder)])].sort();
const { success, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", ...modules],
  cwd: ROOT,
  env: { NO_COLOR: "1" },
  stdout: "null",
}).output();
const output = new TextDecoder().decode(stderr);
const sourceOf = (module: string) => Deno.readTextFileSync(new URL(module, ROOT));
const importsPackage = (module: string) => /^(import .*|\} )from "(?!\.|node:)/m.test(sourceOf(module));
const isMember = (module: string, line: number) => sourceOf(module).split("\n")[line - 1]!.startsWith(" ");
const all = [...output.matchAll(/^error\[([\w-]+)\]: (.*)\n *--> (.*?):(\d+):\d+$/gm)]
  .map(([, code = "", message, path = "", line]) => {
    const module = path.slice(fileURLToPath(ROOT).length).replaceAll("\\", "/");
    return { code, module, line: Number(line), text: `${module}:${line} ${message}` };
  });
const findings = all
  .filter(({ code, module, line }) =>
    code === "missing-jsdoc"
      ? !isMember(module, line)
      : !/^(private-type-ref|missing-explicit-type)$/.test(code) || !importsPackage(module)
  );
for (const { text } of findings) console.error(text);
// A failure of another kind, such as a module that cannot be read.
if (!success && all.length === 0) console.error(output);
if (findings.length > 0 || (!success && all.length === 0)) Deno.exit(1);
