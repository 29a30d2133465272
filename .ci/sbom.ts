/**
 * Prints what the executable is made of, as a bill of materials in CycloneDX 1.6 (JSON), from deno.lock:
 * `deno run --allow-read --allow-run --allow-net .ci/sbom.ts EXECUTABLE... > acq-server.cdx.json`. The executables name the
 * Rust crates in the runtime; packages and crates name their licences, for which the sources of the crates are downloaded.
 * It names no time, so that the same executables give the same document.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import manifest from "../deno.json" with { type: "json" };
import { crateLicence } from "./crate_licences.ts";
import { type Crate, cratesIn } from "./crates.ts";
import { isEmbedded, lockedPackages } from "./package_files.ts";
import { embeddedPackages, licenceName } from "./third_party.ts";

/** What is read of a lock. */
export interface Lock {
  readonly npm: Readonly<
    Record<string, { readonly integrity: string; readonly dependencies?: readonly string[] }>
  >;
}

/** A part of the program; `bom-ref` is what the list of dependencies calls it. */
interface Component {
  readonly type: "application" | "library" | "platform";
  readonly "bom-ref": string;
  readonly name: string;
  readonly group?: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly [{ readonly expression: string }];
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
}

/** The document. */
export interface BillOfMaterials {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: number;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** `@zarrita/storage@0.2.0` in parts; what follows an underscore are versions of peers. */
function partsOf(key: string): { group?: string; name: string; version: string } {
  const [, group, name, version] = /^(?:(@[^/]+)\/)?([^@]+)@([^_]+)/.exec(key)!;
  return { ...(group === undefined ? {} : { group }), name: name!, version: version! };
}

/** Package URL of an npm package: an at sign is escaped (purl-spec, types/npm). */
export function purlOf(key: string): string {
  const { group, name, version } = partsOf(key);
  return `pkg:npm/${group === undefined ? "" : encodeURIComponent(group) + "/"}${name}@${version}`;
}

/** A package with the checksum that npm publishes, which a lock has in base64. */
function libraryOf(key: string, integrity: string): Component {
  const [algorithm, digest] = integrity.split("-") as [string, string];
  if (algorithm !== "sha512") throw new Error(`"${key}" is locked by "${algorithm}", not by sha512`);
  const hashes = [{ alg: "SHA-512" as const, content: Buffer.from(digest, "base64").toString("hex") }];
  return { type: "library", "bom-ref": purlOf(key), ...partsOf(key), purl: purlOf(key), hashes };
}

/** Package URL of a crate. Of a version a plus is escaped (purl-spec). */
export function cratePurl({ name, version }: Crate): string {
  return `pkg:cargo/${name}@${encodeURIComponent(version)}`;
}

/** A crate of the runtime. */
function crateOf(crate: Crate): Component {
  return { type: "library", "bom-ref": cratePurl(crate), ...crate, purl: cratePurl(crate) };
}

/**
 * Bill of materials of a program, its packages, the Deno that runs it and the crates in that.
 *
 * @param licences expressions of SPDX by package URL; what names none has none
 */
export function billOfMaterials(
  lock: Lock,
  program: { readonly name: string; readonly version: string; readonly license: string },
  deno: string,
  crates: readonly Crate[],
  licences: ReadonlyMap<string, string>,
): BillOfMaterials {
  const keys = Object.keys(lock.npm).filter((key) => isEmbedded(key.replace(/(.)@.*/, "$1"))).sort();
  // A dependency is written without its version where only one is locked.
  const keyOf = (wanted: string) => keys.find((key) => key === wanted || key.startsWith(`${wanted}@`)) ?? [];
  const neededBy = (key: string) => (lock.npm[key]!.dependencies ?? []).flatMap(keyOf);
  const root = `pkg:generic/${program.name}@${program.version}`;
  const runtime = `pkg:github/denoland/deno@v${deno}`;
  // The licence of Deno is the one of licenses/deno.txt.
  const named = new Map([...licences, [root, program.license], [runtime, "MIT"]]);
  const licensed = (component: Component): Component => {
    const expression = named.get(component.purl);
    return expression === undefined ? component : { ...component, licenses: [{ expression }] };
  };
  const { name, version } = program;
  const application = licensed({ type: "application", "bom-ref": root, name, version, purl: root });
  const components = [
    { type: "platform" as const, "bom-ref": runtime, name: "deno", version: deno, purl: runtime },
    ...keys.map((key) => libraryOf(key, lock.npm[key]!.integrity)),
    ...crates.map(crateOf),
  ].map(licensed);
  const inside = crates.map((crate) => crateOf(crate).purl);
  const needed = new Set(keys.flatMap(neededBy));
  const top = keys.filter((key) => !needed.has(key)).map(purlOf);
  const dependencies = [
    { ref: root, dependsOn: [runtime, ...top] },
    { ref: runtime, dependsOn: inside },
    ...inside.map((ref) => ({ ref, dependsOn: [] })),
    ...keys.map((key) => ({ ref: purlOf(key), dependsOn: neededBy(key).map(purlOf) })),
  ];
  const digest = createHash("sha256").update(JSON.stringify([root, components])).digest("hex");
  // A UUID of version 8 (RFC 9562), whose bits are the maker's own.
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-8$3-8$4-$5");
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: { component: application },
    components,
    dependencies,
  };
}

if (import.meta.main) {
  const lock: Lock = { npm: lockedPackages() };
  const crates = cratesIn(Deno.args.values().map((path) => Deno.readFileSync(path)));
  if (crates.length === 0) throw new Error("usage: sbom.ts EXECUTABLE...; they name no crate");
  const licences = new Map([...embeddedPackages()].map(([key, found]) => [purlOf(key), licenceName(found)]));
  for (const crate of crates) {
    const licence = await crateLicence(crate);
    if (licence === undefined) console.error(`${crate.name} ${crate.version} names no licence`);
    else licences.set(cratePurl(crate), licence);
  }
  console.log(JSON.stringify(billOfMaterials(lock, manifest, Deno.version.deno, crates, licences), null, 2));
}
