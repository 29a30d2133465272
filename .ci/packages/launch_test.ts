/** Which executable the launcher of npm starts, in the folders that package managers make. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:process";
import { dirname, join } from "node:path";
import { ROOT } from "./release.ts";
import { run } from "../../tests/child_process.ts";
import { programTest } from "../../tests/programs.ts";
import { temporaryFolder } from "../../tests/temporary_files.ts";

const NAME = `@acq-server/${platform}-${arch}`;
const VERSION = "1.2.3";

function installLauncher(folder: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(`${ROOT}.ci/packages/launch.js`, join(folder, "launch.js"));
  const manifest = { name: "acq-server", version: VERSION, optionalDependencies: { [NAME]: VERSION } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

/** Installs a package of this system in a folder; its program says so. */
function installProgram(folder: string, manifest = { name: NAME, version: VERSION }): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const script = '#!/bin/sh\necho "started $*"\n';
  writeFileSync(join(folder, "acq-server"), script, { mode: 0o755 });
}

/** Folders of launcher and program, links as target and path, and what is started. */
interface Layout {
  readonly launcher: string;
  readonly program: string;
  readonly links?: readonly (readonly [target: string, path: string])[];
  readonly start: string;
  /** Of a program that is not started. */
  readonly wrong?: { readonly name: string; readonly version: string };
}

const BESIDE = {
  launcher: "node_modules/acq-server",
  program: `node_modules/${NAME}`,
  start: "node_modules/acq-server/launch.js",
};
const STORE = "node_modules/.pnpm";

const LAYOUTS: Record<string, Layout> = {
  "npm: beside the launcher": {
    ...BESIDE,
    links: [["../acq-server/launch.js", "node_modules/.bin/acq-server"]],
    start: "node_modules/.bin/acq-server",
  },
  "npm install --global: inside the launcher": {
    launcher: "lib/node_modules/acq-server",
    program: `lib/node_modules/acq-server/node_modules/${NAME}`,
    links: [["../lib/node_modules/acq-server/launch.js", "bin/acq-server"]],
    start: "bin/acq-server",
  },
  "pnpm: links into its store": {
    launcher: `${STORE}/acq-server@1.2.3/node_modules/acq-server`,
    program: `${STORE}/program@1.2.3/node_modules/${NAME}`,
    links: [
      [`../../../program@1.2.3/node_modules/${NAME}`, `${STORE}/acq-server@1.2.3/node_modules/${NAME}`],
      [".pnpm/acq-server@1.2.3/node_modules/acq-server", "node_modules/acq-server"],
    ],
    start: "node_modules/acq-server/launch.js",
  },
  "a package of a parent's node_modules": {
    launcher: "home/node_modules/acq-server",
    program: `node_modules/${NAME}`,
    start: "home/node_modules/acq-server/launch.js",
    wrong: { name: NAME, version: VERSION },
  },
  "a package of another version": { ...BESIDE, wrong: { name: NAME, version: "1.2.2" } },
  "a package of another name": { ...BESIDE, wrong: { name: "acq-server-fork", version: VERSION } },
};

programTest(["node"], {
  name: "the launcher starts only the program of its own package",
  ignore: Deno.build.os === "windows",
  fn: async ([node], t) => {
    for (const [name, { launcher, program, links = [], start, wrong }] of Object.entries(LAYOUTS)) {
      await t.step(name, async () => {
        using temporary = temporaryFolder();
        const folder = temporary.path;
        installLauncher(join(folder, launcher));
        installProgram(join(folder, program), wrong);
        for (const [target, path] of links) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          symlinkSync(target, join(folder, path));
        }
        const { code, stdout, stderr } = await run(node!, {
          args: [start, "--version"],
          cwd: folder,
        });
        const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        if (!wrong) assert.deepEqual([code, out, error], [0, "started --version\n", ""]);
        else {
          assert.deepEqual([code, out], [1, ""]);
          assert.match(error!, new RegExp(`version 1\\.2\\.3 of the package "${NAME}" is not installed`));
        }
      });
    }
  },
});
