/**
 * Packages of npm: `acq-server`, which starts the executable, and one package a system with the executable, of which npm
 * installs the one that fits.
 */
import { type ArchiveEntry, executableEntry, tarGz, textEntry } from "../archive.ts";
import {
  commitTime,
  KEYWORDS,
  packageReadme,
  type Platform,
  PLATFORMS,
  repositoryText,
  SUMMARY,
  VERSION,
} from "./release.ts";

/** A file to publish. */
export interface PackageFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Name of the package of a system. */
function packageOf({ node: [os, cpu] }: Platform): string {
  return `@acq-server/${os}-${cpu}`;
}

/** What differs in `package.json`. */
interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

/** What packages have besides the executable. */
export interface PackageTexts {
  /** Licences of what is inside the executable. */
  readonly licences: string;
  /** On GitHub, as `owner/name`; npm compares it with the workflow that publishes. */
  readonly repository?: string;
}

/** A tarball of the form `npm pack` gives. */
function tarball(
  manifest: Manifest,
  { repository }: PackageTexts,
  entries: readonly ArchiveEntry[],
): PackageFile {
  const shared = {
    version: VERSION,
    license: "MIT",
    ...(repository === undefined
      ? {}
      : { repository: { type: "git", url: `git+https://github.com/${repository}.git` } }),
  };
  const text = JSON.stringify({ ...manifest, ...shared }, null, 2) + "\n";
  const files = [
    textEntry("package.json", text),
    textEntry("README.md", packageReadme("npx acq-server", repository)),
    textEntry("LICENSE", repositoryText("LICENSE")),
    ...entries,
  ];
  return {
    name: `${manifest.name.replace("@", "").replace("/", "-")}-${VERSION}.tgz`,
    bytes: tarGz(files.map((entry) => ({ ...entry, path: `package/${entry.path}` })), commitTime()),
  };
}

/** The package of a system. */
export function platformPackage(
  platform: Platform,
  executable: Uint8Array,
  texts: PackageTexts,
): PackageFile {
  const [os, cpu] = platform.node;
  return tarball(
    {
      name: packageOf(platform),
      description: `The executable of acq-server for ${platform.name}`,
      os: [os],
      cpu: [cpu],
      // The executable does not run with musl.
      ...(os === "linux" ? { libc: ["glibc"] } : {}),
      preferUnplugged: true,
    },
    texts,
    [
      executableEntry(platform.executable, executable),
      textEntry("THIRD_PARTY.txt", texts.licences),
    ],
  );
}

/** The package that people name. */
export function launcherPackage(texts: PackageTexts): PackageFile {
  return tarball(
    {
      name: "acq-server",
      description: SUMMARY,
      keywords: KEYWORDS,
      bin: { "acq-server": "launch.js" },
      engines: { node: ">=18" },
      optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [packageOf(platform), VERSION])),
    },
    texts,
    [
      executableEntry("launch.js", new TextEncoder().encode(repositoryText(".ci/packages/launch.js"))),
    ],
  );
}
