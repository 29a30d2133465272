/** What all packages of a release share: its version, its time, the systems that there are executables for. */
import { FORMATS } from "../../readers/formats.ts";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };

/** Version of the release, of the form 1.2.3. */
export const VERSION: string = manifest.version;

/** Titles of all formats, as texts of packages list them. */
const FORMAT_TITLES = [...new Set(FORMATS.map(({ title }) => title))].join(", ");

/** Words by which people find packages: what they are for, and the names of all formats. */
export const KEYWORDS: readonly string[] = [
  "microscopy",
  "line-scan",
  "kymograph",
  "ome-tiff",
  ...new Set(FORMATS.map(({ name }) => name)),
];

/** One line for lists of packages. */
export const SUMMARY = "Serves microscope files as exact float32 planes over HTTP on this machine";

/** Root of the repository, with a slash at its end. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** A system with what the kinds of packages call it. */
export interface Platform {
  /** In the names of archives. */
  readonly name: string;
  /** Name of the executable. */
  readonly executable: "acq-server" | "acq-server.exe";
  /** `process.platform` and `process.arch` of Node. */
  readonly node: readonly [os: string, cpu: string];
  /** Tag of a wheel; the versions of systems are the oldest that Deno starts on. */
  readonly wheel: string;
}

/** All systems of a release. */
export const PLATFORMS: readonly Platform[] = [
  {
    name: "linux-x86_64",
    executable: "acq-server",
    node: ["linux", "x64"],
    wheel: "manylinux_2_27_x86_64",
  },
  {
    name: "linux-arm64",
    executable: "acq-server",
    node: ["linux", "arm64"],
    wheel: "manylinux_2_27_aarch64",
  },
  {
    name: "macos-x86_64",
    executable: "acq-server",
    node: ["darwin", "x64"],
    wheel: "macosx_12_0_x86_64",
  },
  {
    name: "macos-arm64",
    executable: "acq-server",
    node: ["darwin", "arm64"],
    wheel: "macosx_12_0_arm64",
  },
  {
    name: "windows-x86_64",
    executable: "acq-server.exe",
    node: ["win32", "x64"],
    wheel: "win_amd64",
  },
  {
    name: "windows-arm64",
    executable: "acq-server.exe",
    node: ["win32", "arm64"],
    wheel: "win_arm64",
  },
];

/** The system of a name. @throws {Error} there is none */
export function platformOf(name: string): Platform {
  const found = PLATFORMS.find((platform) => platform.name === name);
  if (!found) {
    throw new Error(`Unknown system "${name}"; known are ${PLATFORMS.map((p) => p.name).join(", ")}`);
  }
  return found;
}

/** Text for the page of a package on npm or PyPI, where links into the repository would lead nowhere. */
export function packageReadme(command: string, repository: string | undefined): string {
  const more = repository === undefined ? "" : `\nMore: <https://github.com/${repository}>\n`;
  return `# acq-server

${SUMMARY}: ${FORMAT_TITLES}. Nothing is
rescaled, and nothing leaves the machine.

\`\`\`sh
${command}
\`\`\`

opens the client in your browser. \`${command} --help\` lists what else it does; \`--no-open\` only serves, at
\`http://127.0.0.1:8767\`, where \`/docs\` describes the interface.
${more}`;
}

/** Name of the archive of a system. */
export function archiveName({ name, executable }: Platform): string {
  return `acq-server-${name}.${executable.endsWith(".exe") ? "zip" : "tar.gz"}`;
}

/** When the commit of the checkout was made, in seconds since 1970: the time of every file of a release. */
export function commitTime(): number {
  const { stdout, success } = new Deno.Command("git", {
    args: ["log", "-1", "--format=%ct"],
    cwd: ROOT,
  }).outputSync();
  if (!success) throw new Error("The time of the commit is not known: this is not a checkout of git");
  return Number(new TextDecoder().decode(stdout));
}

/** A text file of the repository. */
export function repositoryText(path: string): string {
  return Deno.readTextFileSync(ROOT + path);
}
