/**
 * Makes the application of macOS, which has an icon and starts by a double click without a terminal:
 * `deno run -A .ci/packages/app_bundle.ts EXECUTABLE FOLDER` writes `FOLDER/acq-server.app`, still to be signed.
 */
import { Buffer } from "node:buffer";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ArchiveEntry, executableEntry, textEntry } from "../archive.ts";
import { ROOT, VERSION } from "./release.ts";

/** The picture of 256 x 256 pixels of an icon of Windows, as PNG. @throws {Error} it has none */
export function pictureOf(ico: Uint8Array): Uint8Array {
  const bytes = Buffer.from(ico);
  for (let i = 0; i < bytes.readUInt16LE(4); i += 1) {
    const at = 6 + 16 * i;
    // A width of 0 stands for 256.
    if (bytes[at] !== 0) continue;
    const [size, offset] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
    const picture = bytes.subarray(offset, offset + size);
    if (picture.toString("latin1", 1, 4) === "PNG") return picture;
  }
  throw new Error("The icon has no PNG of 256 x 256 pixels");
}

/** An icon of macOS: four letters and the length of the file, then of each picture; `ic08` is a PNG of 256 x 256. */
export function icns(picture: Uint8Array): Uint8Array {
  const chunk = (type: string, content: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.write(type);
    head.writeUInt32BE(8 + content.length, 4);
    return Buffer.concat([head, content]);
  };
  return chunk("icns", chunk("ic08", picture));
}

const KEYS: readonly [string, string][] = [
  ["CFBundleName", "acq-server"],
  ["CFBundleIdentifier", "io.github.acq-server"],
  ["CFBundleExecutable", "acq-server"],
  ["CFBundleIconFile", "acq-server"],
  ["CFBundlePackageType", "APPL"],
  ["CFBundleInfoDictionaryVersion", "6.0"],
  ["CFBundleShortVersionString", VERSION],
  ["CFBundleVersion", VERSION],
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
  const picture = pictureOf(Deno.readFileSync(ROOT + ".ci/icon.ico"));
  return [
    textEntry(`${contents}/Info.plist`, infoPlist()),
    executableEntry(`${contents}/MacOS/acq-server`, executable),
    { path: `${contents}/Resources/acq-server.icns`, bytes: icns(picture), kind: "file" },
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
