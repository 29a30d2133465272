/**
 * Packs the archive of a system, with the pages that README.md links to: `deno run -A .ci/pack.ts SYSTEM PROGRAM OUTPUT`.
 * PROGRAM is the executable; for macOS it is `acq-server.app`, to whose executable a link is packed.
 */
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveEntry, entriesBelow, executableEntry, tarGz, textEntry, zip } from "./archive.ts";
import {
  archiveName,
  commitTime,
  type Platform,
  platformOf,
  repositoryText,
  ROOT,
} from "./packages/release.ts";
import { cratesIn } from "./crates.ts";
import { thirdParty } from "./third_party.ts";

const PAGES = ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"];

/** The executable, or the application with a link to its executable. */
function programEntries(program: string, { executable }: Platform, folder: string): ArchiveEntry[] {
  if (!statSync(program).isDirectory()) {
    return [executableEntry(`${folder}/${executable}`, readFileSync(program))];
  }
  const target = new TextEncoder().encode(`acq-server.app/Contents/MacOS/${executable}`);
  return [
    ...entriesBelow(program, `${folder}/acq-server.app`),
    { path: `${folder}/${executable}`, bytes: target, kind: "link" },
  ];
}

/** Bytes of the archive of a system. */
export function pack(platform: Platform, program: string): Uint8Array {
  const folder = `acq-server-${platform.name}`;
  const programs = programEntries(program, platform, folder);
  const crates = cratesIn(programs.map(({ bytes }) => bytes));
  const entries = [
    ...programs,
    ...PAGES.map((name) => textEntry(`${folder}/${name}`, repositoryText(name))),
    ...["docs", "examples"].flatMap((name) => entriesBelow(ROOT + name, `${folder}/${name}`)),
    textEntry(`${folder}/THIRD_PARTY.txt`, thirdParty(crates)),
  ];
  return platform.executable.endsWith(".exe") ? zip(entries, commitTime()) : tarGz(entries, commitTime());
}

if (import.meta.main) {
  const [name, program, output] = Deno.args;
  if (name === undefined || program === undefined || output === undefined) {
    throw new Error("usage: pack.ts SYSTEM PROGRAM OUTPUT");
  }
  const platform = platformOf(name);
  mkdirSync(output, { recursive: true });
  const bytes = pack(platform, program);
  Deno.writeFileSync(join(output, archiveName(platform)), bytes);
  console.log(`${archiveName(platform)}, ${(bytes.length / 1e6).toFixed(1)} MB`);
}
