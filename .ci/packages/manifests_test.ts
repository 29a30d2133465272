import assert from "node:assert/strict";
import { homebrew, readSums, scoop, winget } from "./manifests.ts";
import { archiveName, PLATFORMS, VERSION } from "./release.ts";
import { output, programTest } from "../../tests/programs.ts";
import { temporaryFolder } from "../../tests/temporary_files.ts";

/** A checksum that names its system. */
const sumOf = (i: number) => String(i).repeat(64);
const SUMS = PLATFORMS.map((platform, i) => `${sumOf(i)}  ${archiveName(platform)}\n`).join("");
const published = { repository: "someone/acq-server", sums: readSums(SUMS + "not a line\n") };
const BASE = `https://github.com/someone/acq-server/releases/download/v${VERSION}`;

/** Addresses with their checksums, by the order of {@link PLATFORMS}. */
const pairs = PLATFORMS.map((platform, i) => [`${BASE}/${archiveName(platform)}`, sumOf(i)]);

Deno.test("the formula of Homebrew has the archives of macOS and Linux with their checksums", () => {
  const found = [...homebrew(published).matchAll(/url "(.+)"\n +sha256 "(.+)"/g)].map(([, ...pair]) => pair);
  assert.deepEqual(found.sort(), pairs.slice(0, 4).sort());
});

programTest(["ruby"], {
  name: "the formula of Homebrew is Ruby",
  async fn([ruby]) {
    using temporary = temporaryFolder();
    const path = temporary.at("formula.rb");
    Deno.writeTextFileSync(path, homebrew(published));
    await output(ruby!, ["-c", path]);
  },
});

Deno.test("the manifest of Scoop has the archives of Windows with their checksums", () => {
  const { version, architecture, autoupdate } = JSON.parse(scoop(published));
  assert.equal(version, VERSION);
  const found = [architecture["64bit"], architecture.arm64].map(({ url, hash }) => [url, hash]);
  assert.deepEqual(found, pairs.slice(4));
  assert.equal(architecture["64bit"].extract_dir, "acq-server-windows-x86_64");
  assert.match(autoupdate.architecture.arm64.url, /\/v\$version\/acq-server-windows-arm64\.zip$/);
});

Deno.test("the manifest for winget has three files of one package and version", () => {
  const files = winget(published);
  assert.deepEqual([...files.keys()], [
    "someone.acq-server.yaml",
    "someone.acq-server.installer.yaml",
    "someone.acq-server.locale.en-US.yaml",
  ]);
  for (const text of files.values()) {
    assert.match(text, new RegExp(`^PackageIdentifier: someone.acq-server\nPackageVersion: ${VERSION}\n`));
  }
  const installer = files.get("someone.acq-server.installer.yaml")!;
  const found = [...installer.matchAll(/InstallerUrl: (.+)\n +InstallerSha256: (.+)/g)].map(([, ...pair]) =>
    pair
  );
  assert.deepEqual(found, pairs.slice(4));
});

Deno.test("names a missing checksum", () => {
  assert.throws(
    () => homebrew({ ...published, sums: new Map() }),
    /SHA256SUMS has no line for "acq-server-macos-arm64.tar.gz"/,
  );
});
