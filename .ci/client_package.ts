/**
 * Makes the npm package of the client module, for `npm publish FOLDER`:
 * `deno run --allow-read --allow-write --allow-run .ci/client_package.ts FOLDER [OWNER/REPOSITORY]`. The module is what every
 * server serves, byte for byte, and its types what the executable serves.
 */
import manifest from "../deno.json" with { type: "json" };
import { KEYWORDS } from "./packages/release.ts";
import { CLIENT, clientTypes, scriptOf } from "./page_files.ts";

const ROOT = new URL("../", import.meta.url);

/** Texts of the files by their names in the package. */
const FILES: Readonly<Record<string, () => string>> = {
  "acq-client.js": () => scriptOf(CLIENT),
  "acq-client.d.ts": clientTypes,
  "README.md": () => Deno.readTextFileSync(new URL(".ci/client_package.md", ROOT)),
  "LICENSE": () => Deno.readTextFileSync(new URL("LICENSE", ROOT)),
};

/** `package.json` of the client module. */
const PACKAGE = {
  name: "acq-client",
  version: manifest.version,
  description: "Opens microscope files through acq-server and reads their planes as 32-bit floats",
  keywords: ["acq-server", ...KEYWORDS],
  license: manifest.license,
  type: "module",
  exports: { ".": { types: "./acq-client.d.ts", default: "./acq-client.js" } },
  files: ["acq-client.js", "acq-client.d.ts"],
  sideEffects: false,
  engines: { node: ">=20" },
};

const [folder, repository] = Deno.args;
if (folder === undefined) {
  console.error(
    "usage: deno run --allow-read --allow-write --allow-run .ci/client_package.ts FOLDER [OWNER/REPOSITORY]",
  );
  Deno.exit(2);
}
Deno.mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(FILES)) Deno.writeTextFileSync(`${folder}/${name}`, text());
// npm compares it with the workflow that publishes.
const source = repository === undefined
  ? {}
  : { repository: { type: "git", url: `git+https://github.com/${repository}.git` } };
Deno.writeTextFileSync(`${folder}/package.json`, JSON.stringify({ ...PACKAGE, ...source }, null, 2) + "\n");
