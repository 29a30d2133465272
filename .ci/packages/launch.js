#!/usr/bin/env node
// Starts the executable of this system, which lies in a package of its own beside this one or, where several versions
// are installed, inside it.
"use strict";
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const name = `@acq-server/${process.platform}-${process.arch}`;
const version = require("./package.json").optionalDependencies[name];
const file = process.platform === "win32" ? "acq-server.exe" : "acq-server";

/** Folders where the package may be; `require.resolve` would also look into those of every parent folder. */
function folders() {
  // Yarn's Plug'n'Play has no such folders, and resolves what this package depends on and nothing else.
  if (process.versions.pnp) return [dirname(require.resolve(`${name}/package.json`))];
  return [join(__dirname, "node_modules", name), join(dirname(__dirname), name)];
}

/** Whether a folder is the package that was published with this one. */
function isExpected(folder) {
  try {
    const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return found.name === name && found.version === version;
  } catch {
    return false;
  }
}

const folder = version && folders().find(isExpected);
if (!folder) {
  console.error(
    version
      ? `acq-server: version ${version} of the package "${name}" is not installed; --omit=optional leaves it out, and ` +
        "npm does where the system has no glibc"
      : `acq-server: there is no executable for ${process.platform} on ${process.arch}`,
  );
  process.exit(1);
}
const executable = join(folder, file);

const child = spawn(executable, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`acq-server: cannot start "${executable}": ${error.message}`);
  process.exit(1);
});
// Ctrl+C reaches both; what ends this process alone is handed on, and the child decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
