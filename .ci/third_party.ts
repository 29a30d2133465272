/**
 * Prints the licences of the packages inside the executable, and of Deno, which runs it:
 * `deno run --allow-read --allow-run .ci/third_party.ts > THIRD_PARTY.txt`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One package, as `deno info` names it; `localPath` is its folder in the cache. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

const ENTRIES = ["main.ts", "readers/decode_worker.ts"];

/** Packages that an entry reaches, by id. */
function packagesOf(entry: string): Map<string, Package> {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: fileURLToPath(new URL("../", import.meta.url)),
    stderr: "inherit",
  }).outputSync();
  const { modules, npmPackages } = JSON.parse(new TextDecoder().decode(stdout)) as {
    modules: { npmPackage?: string }[];
    npmPackages: Record<string, Package>;
  };
  const reached = new Map<string, Package>();
  const wanted = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (reached.has(id)) continue;
    reached.set(id, npmPackages[id]!);
    wanted.push(...npmPackages[id]!.dependencies);
  }
  return reached;
}

/** Texts of the licence files of a package, or the name of its licence where it has none. @throws {Error} it has neither */
function licence({ name, localPath }: Package): string {
  const files = [...Deno.readDirSync(localPath)].filter((entry) =>
    entry.isFile && /^(licen[cs]e|notice|copying)/i.test(entry.name)
  );
  const texts = files.map((file) => Deno.readTextFileSync(join(localPath, file.name)).trim());
  if (texts.length > 0) return texts.join("\n\n");
  const manifest = JSON.parse(Deno.readTextFileSync(join(localPath, "package.json")));
  if (typeof manifest.license !== "string") throw new Error(`"${name}" names no licence`);
  return `Licence: ${manifest.license}`;
}

const packages = new Map(ENTRIES.flatMap((entry) => [...packagesOf(entry)]));
console.log(
  `The executable holds these packages and is run by Deno ${Deno.version.deno} (MIT, https://deno.com, with V8 ` +
    "under a BSD licence).",
);
for (const [, found] of [...packages].sort(([a], [b]) => a < b ? -1 : 1)) {
  console.log(`\n\n=== ${found.name} ${found.version} ===\n\n${licence(found)}`);
}
