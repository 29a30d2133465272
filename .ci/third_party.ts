/**
 * Prints the licences of what is inside the executable: packages, the runtime, and the libraries that are compiled into
 * them: `deno run --allow-read --allow-run .ci/third_party.ts [EXECUTABLE...] > THIRD_PARTY.txt`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Crate, cratesIn } from "./crates.ts";
import { isEmbedded } from "./package_files.ts";

/** One package, as `deno info` names it; `localPath` is its folder in the cache. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

const ENTRIES = ["main.ts", "session/worker/acquisition_worker.ts", "routes/swagger_files.ts"];

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

/** Packages that the executable has something of, by their keys in a lock. */
export function embeddedPackages(): Map<string, Package> {
  const found = ENTRIES.flatMap((entry) => [...packagesOf(entry)]);
  return new Map(found.filter(([, { name }]) => isEmbedded(name)).sort(([a], [b]) => a < b ? -1 : 1));
}

/** The licence that a package names, as an expression of SPDX. @throws {Error} it names none */
export function licenceName({ name, localPath }: Package): string {
  const { license } = JSON.parse(Deno.readTextFileSync(join(localPath, "package.json")));
  if (typeof license !== "string") throw new Error(`"${name}" names no licence`);
  return license;
}

const LICENSES = new URL("licenses/", import.meta.url);

/** A text of `licenses/`, which its table lists. */
interface KeptLicence {
  readonly text: string;
  /** The library, with its holder where the text does not name one. */
  readonly of: string;
  /** `runtime` or names of packages. */
  readonly inside: readonly string[];
}

/** The table of `licenses/README.md`. */
function keptLicences(): KeptLicence[] {
  const rows = Deno.readTextFileSync(new URL("README.md", LICENSES)).matchAll(
    /^\| (\S+\.txt) *\| (.+?) *\| (.+?) *\| .+ \|$/gm,
  );
  return [...rows].map(([, file, of, inside]) => ({
    text: Deno.readTextFileSync(new URL(file!, LICENSES)).trim(),
    of: of!,
    inside: inside!.replaceAll("`", "").split(", "),
  }));
}

/** Texts of the licence files of a package, or the name of its licence where it has none. @throws {Error} it has neither */
function licence(found: Package): string {
  const files = [...Deno.readDirSync(found.localPath)].filter((entry) =>
    entry.isFile && /^(licen[cs]e|notice|copying)(\.(md|txt))?$/i.test(entry.name)
  );
  const texts = files.sort((a, b) => a.name < b.name ? -1 : 1)
    .map((file) => Deno.readTextFileSync(join(found.localPath, file.name)).trim());
  return texts.length > 0 ? texts.join("\n\n") : `Licence: ${licenceName(found)}`;
}

/** The crates with where each names its licence: their texts are in their sources, which are not at hand here. */
function crateList(crates: readonly Crate[]): string {
  return [
    "=== Rust crates, in runtime ===",
    "",
    "The executable names these. The page of each tells its licence and its sources, which hold the text.",
    "",
    ...crates.map(({ name, version }) => `${name} ${version}: https://crates.io/crates/${name}/${version}`),
  ].join("\n");
}

/** The whole text. @param crates of the runtime @throws {Error} a package names no licence, or the table one that is not inside */
export function thirdParty(crates: readonly Crate[]): string {
  const kept = keptLicences();
  const packages = embeddedPackages();
  const known = new Set(["runtime", ...[...packages.values()].map(({ name }) => name)]);
  const strange = kept.flatMap(({ inside }) => inside).filter((name) => !known.has(name));
  if (strange.length > 0) throw new Error(`No package "${strange[0]}" is inside the executable`);
  const parts = [
    `This executable is run by Deno ${Deno.version.deno} with V8 ${Deno.version.v8}, and holds the packages and ` +
    "libraries below. All Rust crates in Deno, those too that leave no name, are listed in its Cargo.lock: " +
    `https://github.com/denoland/deno/blob/v${Deno.version.deno}/Cargo.lock`,
    ...packages.values().map((found) => `=== ${found.name} ${found.version} ===\n\n${licence(found)}`),
    ...kept.map(({ text, of, inside }) => `=== ${of}, in ${inside.join(" and ")} ===\n\n${text}`),
    ...(crates.length === 0 ? [] : [crateList(crates)]),
  ];
  return parts.join("\n\n\n") + "\n";
}

if (import.meta.main) {
  const crates = cratesIn(Deno.args.values().map((path) => Deno.readFileSync(path)));
  await Deno.stdout.write(new TextEncoder().encode(thirdParty(crates)));
}
