import assert from "node:assert/strict";
import { isEmbedded, lockedPackages, NEEDED } from "./package_files.ts";
import { billOfMaterials, type Lock, purlOf } from "./sbom.ts";
import { embeddedPackages, licenceName } from "./third_party.ts";

const LOCK: Lock = { npm: lockedPackages() };
const PROGRAM = { name: "acq-server", version: "0.1.0", license: "MIT" };
const CRATES = [{ name: "ash", version: "0.38.0+1.3.281" }, { name: "tokio", version: "1.47.1" }];
const LICENCES = new Map([
  ...[...embeddedPackages()].map(([key, found]) => [purlOf(key), licenceName(found)] as const),
  ["pkg:cargo/tokio@1.47.1", "MIT"],
]);
const bill = billOfMaterials(LOCK, PROGRAM, "2.9.6", CRATES, LICENCES);

Deno.test("the bill of materials has the fields that CycloneDX 1.6 requires, in their form", () => {
  assert.deepEqual([bill.bomFormat, bill.specVersion, bill.version], ["CycloneDX", "1.6", 1]);
  // The patterns stand in bom-1.6.schema.json.
  assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  const components = [bill.metadata.component, ...bill.components];
  for (const { type, name, version, purl, hashes = [] } of components) {
    assert.match(type, /^(application|library|platform)$/);
    assert(name !== "" && version !== "");
    assert.match(purl, /^pkg:(npm|generic|github|cargo)\/\S+@v?\d/);
    for (const { alg, content } of hashes) {
      assert.equal(alg, "SHA-512");
      assert.match(content, /^[0-9a-f]{128}$/);
    }
  }
  const refs = components.map((component) => component["bom-ref"]);
  assert.equal(new Set(refs).size, refs.length);
  assert.deepEqual(bill.dependencies.map(({ ref }) => ref).sort(), [...refs].sort());
  for (const { dependsOn } of bill.dependencies) for (const ref of dependsOn) assert(refs.includes(ref), ref);
});

Deno.test("the bill lists every embedded package with its checksum and dependencies", () => {
  const packages = bill.components.filter(({ purl }) => purl.startsWith("pkg:npm/"));
  const names = packages.map(({ group, name }) => group === undefined ? name : `${group}/${name}`);
  assert.deepEqual(names.sort(), Object.keys(NEEDED).filter(isEmbedded).sort());
  const storage = bill.components.find(({ name }) => name === "storage")!;
  assert.equal(storage.group, "@zarrita");
  assert.equal(storage.purl, "pkg:npm/%40zarrita/storage@0.2.0");
  // base64 of the lock, by `base64 -d | xxd -p`: its first bytes
  assert.equal(LOCK.npm["zod@4.6.7"]!.integrity.slice(0, 15), "sha512-g8W2D2kU");
  assert.equal(
    bill.components.find(({ name }) => name === "zod")!.hashes![0]!.content.slice(0, 12),
    "83c5b60f6914",
  );
  const zarrita = bill.dependencies.find(({ ref }) => ref.startsWith("pkg:npm/zarrita@"))!;
  // The lock has numcodecs too, which is left out.
  assert.deepEqual(zarrita.dependsOn, ["pkg:npm/%40zarrita/storage@0.2.0"]);
});

Deno.test("every component but crates of unknown licence names its licence", () => {
  const components = [bill.metadata.component, ...bill.components];
  assert.deepEqual(components.filter(({ licenses }) => !licenses).map(({ name }) => name), ["ash"]);
  // What `npm view NAME@VERSION license` prints, and the licence in this repository.
  const known = {
    "acq-server": "MIT",
    deno: "MIT",
    tokio: "MIT",
    lerc: "Apache-2.0",
    saxes: "ISC",
    jpegxr: "BSD-3-Clause",
  };
  for (const [name, expression] of Object.entries(known)) {
    assert.deepEqual(
      components.find((component) => component.name === name)!.licenses,
      [{ expression }],
      name,
    );
  }
  // Names of SPDX, joined by operators: Annex B of SPDX 3.0, without parentheses.
  for (const { licenses, name } of components) {
    if (licenses) assert.match(licenses[0].expression, /^[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*$/, name);
  }
});

Deno.test("lists the crates of the runtime as its parts", () => {
  // The example of purl-spec, types/cargo: pkg:cargo/rand@0.7.2
  const refs = ["pkg:cargo/ash@0.38.0%2B1.3.281", "pkg:cargo/tokio@1.47.1"];
  const runtime = bill.dependencies.find(({ ref }) => ref === "pkg:github/denoland/deno@v2.9.6")!;
  assert.deepEqual(runtime.dependsOn, refs);
  const crate = bill.components.find(({ name }) => name === "ash")!;
  assert.deepEqual([crate.version, crate.purl], ["0.38.0+1.3.281", refs[0]]);
});

Deno.test("gives the same document for the same lock", () => {
  assert.deepEqual(billOfMaterials(LOCK, PROGRAM, "2.9.6", CRATES, LICENCES), bill);
  assert.notEqual(
    billOfMaterials(LOCK, { ...PROGRAM, version: "0.2.0" }, "2.9.6", CRATES, LICENCES).serialNumber,
    bill.serialNumber,
  );
});

Deno.test("rejects a package with a different checksum in the lock", () => {
  const lock: Lock = { npm: { "a@1.0.0": { integrity: "sha1-AAAA" } } };
  assert.throws(
    () => billOfMaterials(lock, PROGRAM, "2.9.6", [], new Map()),
    /"a@1.0.0" is locked by "sha1"/,
  );
});
