/** Packages of Debian and Ubuntu (deb(5)): an `ar` archive of two tar archives. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type ArchiveEntry, executableEntry, tarGz, textEntry } from "../archive.ts";
import { manPage } from "./man_page.ts";
import type { PackageFile } from "./npm.ts";
import { commitTime, type Platform, repositoryText, SUMMARY, VERSION } from "./release.ts";

// A terminal, since closing its window is how the server is stopped, and errors of the start stay readable in it.
const DESKTOP_ENTRY = `[Desktop Entry]
Type=Application
Name=acq-server
Comment=${SUMMARY}
Exec=acq-server %f
Icon=acq-server
Terminal=true
Categories=Science;
`;

/** Bytes of a text, compressed as Debian's policy wants manuals and changelogs. */
function gzipped(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 });
  bytes[9] = 255;
  return bytes;
}

/** Everything that is installed. */
function installed(executable: Uint8Array, licences: string, mtime: number): ArchiveEntry[] {
  const document = "usr/share/doc/acq-server";
  return [
    executableEntry("usr/bin/acq-server", executable),
    textEntry("usr/share/applications/acq-server.desktop", DESKTOP_ENTRY),
    textEntry(
      "usr/share/icons/hicolor/scalable/apps/acq-server.svg",
      repositoryText("static/demo/v2/icon.svg"),
    ),
    { path: "usr/share/man/man1/acq-server.1.gz", bytes: gzipped(manPage(mtime)), kind: "file" },
    { path: `${document}/changelog.gz`, bytes: gzipped(repositoryText("CHANGELOG.md")), kind: "file" },
    textEntry(`${document}/copyright`, `${repositoryText("LICENSE")}\n\n${licences}`),
  ];
}

/** One file of an `ar` archive; even bytes, of root. */
function member(name: string, bytes: Uint8Array, mtime: number): Uint8Array[] {
  const fields: [string, number][] = [
    [name, 16],
    [String(mtime), 12],
    ["0", 6],
    ["0", 6],
    ["100644", 8],
    [String(bytes.length), 10],
  ];
  const header = fields.map(([text, width]) => text.padEnd(width)).join("") + "`\n";
  return [Buffer.from(header), bytes, Buffer.alloc(bytes.length % 2, "\n")];
}

/** The package of a system. */
export function debianPackage(
  platform: Platform & { debian: string },
  executable: Uint8Array,
  licences: string,
): PackageFile {
  const mtime = commitTime();
  const files = installed(executable, licences, mtime);
  const size = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 1024), 0);
  const sums = files.map(({ path, bytes }) => `${createHash("md5").update(bytes).digest("hex")}  ${path}\n`);
  const control = [
    "Package: acq-server",
    `Version: ${VERSION}`,
    `Architecture: ${platform.debian}`,
    "Maintainer: The acq-server authors <acq-server@users.noreply.github.com>",
    `Installed-Size: ${size}`,
    "Depends: libc6 (>= 2.27), libgcc-s1 | libgcc1",
    "Recommends: zenity | kdialog, xdg-utils",
    "Section: science",
    "Priority: optional",
    `Description: ${SUMMARY}`,
    " Reads TIFF and its dialects, OME-Zarr, CZI, LSM, ND2, LIF, OIR, OIF and Prairie View,",
    " and shows them in a client in the browser.",
    "",
  ].join("\n");
  const below = (entries: ArchiveEntry[]) =>
    tarGz(entries.map((entry) => ({ ...entry, path: `./${entry.path}` })), mtime, true);
  const parts = [
    Buffer.from("!<arch>\n"),
    ...member("debian-binary", Buffer.from("2.0\n"), mtime),
    ...member(
      "control.tar.gz",
      below([textEntry("control", control), textEntry("md5sums", sums.join(""))]),
      mtime,
    ),
    ...member("data.tar.gz", below(files), mtime),
  ];
  return { name: `acq-server_${VERSION}_${platform.debian}.deb`, bytes: Buffer.concat(parts) };
}
