/**
 * Makes the packages of npm and PyPI from the executables of a release, and the client's wheel, and says how large they are:
 * `deno run -A .ci/packages/main.ts BINARIES OUTPUT [OWNER/REPOSITORY]`. The executable of a system lies in `BINARIES/<system>/`, such as
 * `linux-x86_64/acq-server`; systems without one are left out.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cratesIn } from "../crates.ts";
import { thirdParty } from "../third_party.ts";
import { launcherPackage, type PackageFile, type PackageTexts, platformPackage } from "./npm.ts";
import { type Platform, PLATFORMS } from "./release.ts";
import { clientWheel, wheel } from "./wheel.ts";

/** Packages of one system. */
function packagesOf(platform: Platform, executable: Uint8Array, texts: PackageTexts): PackageFile[] {
  return [platformPackage(platform, executable, texts), wheel(platform, executable, texts)];
}

const [binaries, output, repository] = Deno.args;
if (binaries === undefined || output === undefined) {
  throw new Error("usage: main.ts BINARIES OUTPUT [OWNER/REPOSITORY]");
}
mkdirSync(output, { recursive: true });
const write = ({ name, bytes }: PackageFile) => {
  Deno.writeFileSync(join(output, name), bytes);
  console.log(`${(bytes.length / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
};
const executableOf = ({ name, executable }: Platform) => join(binaries, name, executable);
const built = PLATFORMS.filter((platform) => existsSync(executableOf(platform)));
for (const platform of PLATFORMS) {
  if (!built.includes(platform)) console.log(`There is no executable at "${executableOf(platform)}"`);
}
const crates = cratesIn(built.values().map((platform) => readFileSync(executableOf(platform))));
const texts = { licences: thirdParty(crates), ...(repository === undefined ? {} : { repository }) };
write(launcherPackage(texts));
write(clientWheel(repository));
for (const platform of built) {
  packagesOf(platform, readFileSync(executableOf(platform)), texts).forEach(write);
}
