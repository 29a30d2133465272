/**
 * Makes the application of macOS, which has an icon and starts by a double click without a terminal:
 * `deno run -A .ci/packages/app_bundle.ts EXECUTABLE FOLDER` writes `FOLDER/acq-server.app`, still to be signed.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ArchiveEntry, executableEntry, textEntry } from "../archive.ts";
import { ROOT, VERSION } from "./release.ts";

/** The oldest macOS that Deno starts on: `LC_BUILD_VERSION` of its executables for both processors. */
const OLDEST_MACOS = "12.0";

const KEYS: readonly [string, string][] = [
  ["CFBundleName", "acq-server"],
  ["CFBundleIdentifier", "io.github.acq-server"],
  ["CFBundleExecutable", "acq-server"],
  ["CFBundleIconFile", "acq-server"],
  ["CFBundlePackageType", "APPL"],
  ["CFBundleInfoDictionaryVersion", "6.0"],
  ["CFBundleShortVersionString", VERSION],
  ["CFBundleVersion", VERSION],
  ["LSMinimumSystemVersion", OLDEST_MACOS],
];

/** `Info.plist`. An agent has no place in the Dock, in which a program without windows would bounce for a minute. */
function infoPlist(): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0"><dict>',
    ...KEYS.map(([key, value]) => `  <key>${key}</key><string>${value}</string>`),
    "  <key>LSUIElement</key><true/>",
    "</dict></plist>",
    "",
  ].join("\n");
}

/** Files of the bundle, below `acq-server.app`. */
export function appBundle(executable: Uint8Array): ArchiveEntry[] {
  const contents = "acq-server.app/Contents";
  const icon = Deno.readFileSync(ROOT + ".ci/icon.icns");
  return [
    textEntry(`${contents}/Info.plist`, infoPlist()),
    executableEntry(`${contents}/MacOS/acq-server`, executable),
    { path: `${contents}/Resources/acq-server.icns`, bytes: icon, kind: "file" },
  ];
}

if (import.meta.main) {
  const [executable, folder] = Deno.args;
  if (executable === undefined || folder === undefined) {
    throw new Error("usage: app_bundle.ts EXECUTABLE FOLDER");
  }
  for (const { path, bytes, kind } of appBundle(Deno.readFileSync(executable))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    Deno.writeFileSync(join(folder, path), bytes, { mode: kind === "executable" ? 0o755 : 0o644 });
  }
}
