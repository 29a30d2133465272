/** Which executable the launcher of npm starts, in the folders that package managers make. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:process";
import { dirname, join } from "node:path";
import { ROOT } from "./release.ts";

const NAME = `@acq-server/${platform}-${arch}`;
const VERSION = "1.2.3";

/** What the launcher has glibc do. */
const TUNABLES = platform === "linux" ? "glibc.malloc.mmap_threshold=131072" : "";

const ignore = Deno.build.os === "windows" || !await hasNode();
if (ignore) console.log("Skipped: the launcher is tested where Node and shell scripts run");

/** Whether Node runs. */
async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"], stdout: "null" }).output()).success;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return false;
  }
}

/** Installs the launcher in a folder. */
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
  const script = '#!/bin/sh\necho "started $* $GLIBC_TUNABLES"\n';
  writeFileSync(join(folder, "acq-server"), script, { mode: 0o755 });
}

/** Links to a file or folder, whose parents it makes. */
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Layouts, below a folder of its own each; gives the launcher to start, relative to it. */
const LAYOUTS: Record<string, { started: boolean; make: (folder: string) => string }> = {
  "npm: beside the launcher": {
    started: true,
    make(folder) {
      installLauncher(join(folder, "node_modules/acq-server"));
      installProgram(join(folder, "node_modules", NAME));
      link("../acq-server/launch.js", join(folder, "node_modules/.bin/acq-server"));
      return "node_modules/.bin/acq-server";
    },
  },
  "npm install --global: inside the launcher": {
    started: true,
    make(folder) {
      installLauncher(join(folder, "lib/node_modules/acq-server"));
      installProgram(join(folder, "lib/node_modules/acq-server/node_modules", NAME));
      link("../lib/node_modules/acq-server/launch.js", join(folder, "bin/acq-server"));
      return "bin/acq-server";
    },
  },
  "pnpm: links into its store": {
    started: true,
    make(folder) {
      const store = join(folder, "node_modules/.pnpm");
      installLauncher(join(store, "acq-server@1.2.3/node_modules/acq-server"));
      installProgram(join(store, "program@1.2.3/node_modules", NAME));
      link(
        join(store, "program@1.2.3/node_modules", NAME),
        join(store, "acq-server@1.2.3/node_modules", NAME),
      );
      link(".pnpm/acq-server@1.2.3/node_modules/acq-server", join(folder, "node_modules/acq-server"));
      return "node_modules/acq-server/launch.js";
    },
  },
  "a package of a parent's node_modules": {
    started: false,
    make(folder) {
      installLauncher(join(folder, "home/node_modules/acq-server"));
      installProgram(join(folder, "node_modules", NAME));
      return "home/node_modules/acq-server/launch.js";
    },
  },
  "a package of another version": {
    started: false,
    make(folder) {
      installLauncher(join(folder, "node_modules/acq-server"));
      installProgram(join(folder, "node_modules", NAME), { name: NAME, version: "1.2.2" });
      return "node_modules/acq-server/launch.js";
    },
  },
  "a package of another name": {
    started: false,
    make(folder) {
      installLauncher(join(folder, "node_modules/acq-server"));
      installProgram(join(folder, "node_modules", NAME), { name: "acq-server-fork", version: VERSION });
      return "node_modules/acq-server/launch.js";
    },
  },
};

Deno.test({
  name: "the launcher starts the program of its own package and no other",
  ignore,
  fn: async (t) => {
    for (const [name, { started, make }] of Object.entries(LAYOUTS)) {
      await t.step(name, async () => {
        const folder = Deno.makeTempDirSync({ prefix: "launch_" });
        try {
          const { code, stdout, stderr } = await new Deno.Command("node", {
            args: [make(folder), "--version"],
            cwd: folder,
            env: { GLIBC_TUNABLES: "" },
            signal: AbortSignal.timeout(30_000),
          }).output();
          const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
          if (started) assert.deepEqual([code, out, error], [0, `started --version ${TUNABLES}\n`, ""]);
          else {
            assert.deepEqual([code, out], [1, ""]);
            assert.match(error!, new RegExp(`version 1\\.2\\.3 of the package "${NAME}" is not installed`));
          }
        } finally {
          Deno.removeSync(folder, { recursive: true });
        }
      });
    }
  },
});
