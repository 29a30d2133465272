#!/usr/bin/env node
// Starts the executable of this system, which npm installed beside this package.
"use strict";
const { spawn } = require("node:child_process");

const name = `@acq-server/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "acq-server.exe" : "acq-server";

let executable;
try {
  executable = require.resolve(`${name}/${file}`);
} catch {
  console.error(
    `acq-server: the package "${name}" is not installed; it is left out by --omit=optional, ` +
      "and there is none for this system if npm cannot find it",
  );
  process.exit(1);
}

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
