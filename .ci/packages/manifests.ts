/**
 * Makes what the package managers of Homebrew, Scoop and Windows need to know, from the checksums of the archives:
 * `deno run -A .ci/packages/manifests.ts SHA256SUMS OWNER/REPOSITORY OUTPUT`.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { archiveName, platformOf, SUMMARY, VERSION } from "./release.ts";

/** What a manifest is made from. */
export interface Published {
  /** On GitHub, as `owner/name`. */
  readonly repository: string;
  /** SHA-256 of each archive, in hexadecimal. */
  readonly sums: ReadonlyMap<string, string>;
}

/** Reads what `sha256sum` wrote. */
export function readSums(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)].map(([, sum, name]) => [name!, sum!]));
}

/** Address and checksum of the archive of a system. @throws {Error} there is no checksum */
function archive({ repository, sums }: Published, system: string): { url: string; sum: string } {
  const name = archiveName(platformOf(system));
  const sum = sums.get(name);
  if (sum === undefined) throw new Error(`SHA256SUMS has no line for "${name}"`);
  return { url: `https://github.com/${repository}/releases/download/v${VERSION}/${name}`, sum };
}

/** A formula of Homebrew. On macOS the application stays whole, and a link leads to its executable. */
export function homebrew(published: Published): string {
  const source = (cpu: string, system: string) => {
    const { url, sum } = archive(published, system);
    return `    on_${cpu} do\n      url "${url}"\n      sha256 "${sum}"\n    end`;
  };
  return `class AcqServer < Formula
  desc "${SUMMARY}"
  homepage "https://github.com/${published.repository}"
  version "${VERSION}"
  license "MIT"

  on_macos do
${source("arm", "macos-arm64")}
${source("intel", "macos-x86_64")}
  end

  on_linux do
${source("arm", "linux-arm64")}
${source("intel", "linux-x86_64")}
  end

  def install
    if OS.mac?
      prefix.install "acq-server.app"
      bin.install_symlink prefix/"acq-server.app/Contents/MacOS/acq-server"
    else
      bin.install "acq-server"
    end
    doc.install "THIRD_PARTY.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/acq-server --version")
  end
end
`;
}

/** A manifest of Scoop. */
export function scoop(published: Published): string {
  const of = (system: string) => {
    const { url, sum } = archive(published, system);
    return { url, hash: sum, extract_dir: `acq-server-${system}` };
  };
  const updated = (system: string) => ({
    url: archive(published, system).url.replace(`/v${VERSION}/`, "/v$version/"),
  });
  const manifest = {
    version: VERSION,
    description: SUMMARY,
    homepage: `https://github.com/${published.repository}`,
    license: "MIT",
    architecture: { "64bit": of("windows-x86_64"), arm64: of("windows-arm64") },
    bin: "acq-server.exe",
    shortcuts: [["acq-server.exe", "acq-server"]],
    checkver: "github",
    autoupdate: {
      architecture: { "64bit": updated("windows-x86_64"), arm64: updated("windows-arm64") },
      hash: { url: "$baseurl/SHA256SUMS" },
    },
  };
  return JSON.stringify(manifest, null, 4) + "\n";
}

/** The three files of a manifest for winget, by name. */
export function winget(published: Published): Map<string, string> {
  const [owner] = published.repository.split("/") as [string];
  const id = `${owner}.acq-server`;
  const file = (type: string, lines: string[]) =>
    [
      `PackageIdentifier: ${id}`,
      `PackageVersion: ${VERSION}`,
      ...lines,
      `ManifestType: ${type}`,
      "ManifestVersion: 1.6.0",
      "",
    ].join("\n");
  const installer = (architecture: string, system: string) => {
    const { url, sum } = archive(published, system);
    return [
      `- Architecture: ${architecture}`,
      `  InstallerUrl: ${url}`,
      `  InstallerSha256: ${sum.toUpperCase()}`,
      "  NestedInstallerFiles:",
      `  - RelativeFilePath: acq-server-${system}\\acq-server.exe`,
      "    PortableCommandAlias: acq-server",
    ];
  };
  return new Map([
    [`${id}.yaml`, file("version", ["DefaultLocale: en-US"])],
    [
      `${id}.installer.yaml`,
      file("installer", [
        "InstallerType: zip",
        "NestedInstallerType: portable",
        "Installers:",
        ...installer("x64", "windows-x86_64"),
        ...installer("arm64", "windows-arm64"),
      ]),
    ],
    [
      `${id}.locale.en-US.yaml`,
      file("defaultLocale", [
        "PackageLocale: en-US",
        "Publisher: The acq-server authors",
        "PackageName: acq-server",
        "License: MIT",
        `ShortDescription: ${SUMMARY}`,
        `PackageUrl: https://github.com/${published.repository}`,
      ]),
    ],
  ]);
}

if (import.meta.main) {
  const [sums, repository, output] = Deno.args;
  if (sums === undefined || repository === undefined || output === undefined) {
    throw new Error("usage: manifests.ts SHA256SUMS OWNER/REPOSITORY OUTPUT");
  }
  const published = { repository, sums: readSums(Deno.readTextFileSync(sums)) };
  const files = new Map([
    ["homebrew/acq-server.rb", homebrew(published)],
    ["scoop/acq-server.json", scoop(published)],
    ...[...winget(published)].map(([name, text]) => [`winget/${name}`, text] as const),
  ]);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(output, name)), { recursive: true });
    Deno.writeTextFileSync(join(output, name), text);
  }
}
