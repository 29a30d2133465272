/**
 * Makes the npm package of the client module, for `npm publish FOLDER`:
 * `deno run --allow-read --allow-write .ci/client_package.ts FOLDER [OWNER/REPOSITORY]`. The module and its types are
 * the files that every server serves, byte for byte.
 */
import manifest from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url);

/** Names in the package and the files that they are. */
const FILES: Readonly<Record<string, string>> = {
  "acq-client.js": "static/client/v2/acq-client.js",
  "acq-client.d.ts": "static/client/v2/acq-client.d.ts",
  "README.md": ".ci/client_package.md",
  "LICENSE": "LICENSE",
};

/** `package.json` of the client module. */
const PACKAGE = {
  name: "acq-client",
  version: manifest.version,
  description: "Opens microscope files through acq-server and reads their planes as 32-bit floats",
  keywords: ["microscopy", "acquisition", "tiff", "ome-zarr", "acq-server"],
  license: manifest.license,
  type: "module",
  exports: { ".": { types: "./acq-client.d.ts", default: "./acq-client.js" } },
  files: ["acq-client.js", "acq-client.d.ts"],
  sideEffects: false,
  engines: { node: ">=20" },
};

const [folder, repository] = Deno.args;
if (folder === undefined) {
  console.error("usage: deno run --allow-read --allow-write .ci/client_package.ts FOLDER [OWNER/REPOSITORY]");
  Deno.exit(2);
}
Deno.mkdirSync(folder, { recursive: true });
for (const [name, file] of Object.entries(FILES)) Deno.copyFileSync(new URL(file, ROOT), `${folder}/${name}`);
// npm compares it with the workflow that publishes.
const source = repository === undefined
  ? {}
  : { repository: { type: "git", url: `git+https://github.com/${repository}.git` } };
Deno.writeTextFileSync(`${folder}/package.json`, JSON.stringify({ ...PACKAGE, ...source }, null, 2) + "\n");
