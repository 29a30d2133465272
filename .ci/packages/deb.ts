/** Packages of Debian and Ubuntu (deb(5)): an `ar` archive of two tar archives. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type ArchiveEntry, tarGz, textEntry } from "../archive.ts";
import { manPage } from "./man_page.ts";
import type { PackageFile } from "./npm.ts";
import { commandOfLinux, commitTime, type Platform, repositoryText, SUMMARY, VERSION } from "./release.ts";

// A terminal, since closing its window is how the server is stopped, and errors of the start stay readable in it.
const DESKTOP_ENTRY = `[Desktop Entry]
Type=Application
Name=acq-server
Comment=${SUMMARY}
Exec=acq-server %f
Icon=acq-server
Terminal=true
Categories=Science;
Keywords=microscopy;images;planes;
`;

const MAINTAINER = "The acq-server authors <acq-server@users.noreply.github.com>";

/** Version with the revision of the package. */
const DEBIAN_VERSION = `${VERSION}-1`;

// Both are rules for packages that Debian itself builds and updates.
const LINTIAN_OVERRIDES = `# One file that runs on every Debian and Ubuntu brings its runtime and its codecs.
acq-server: embedded-library *
# The package is part of releases of acq-server, not of Debian, where no bug asks for it.
acq-server: initial-upload-closes-no-bugs *
`;

/** Beginning of `copyright`, before the licence. */
const COPYRIGHT =
  `The licences of the runtime, packages and libraries inside the executable are in THIRD_PARTY.txt.gz,
beside this file. This is the licence of acq-server itself:

`;

/** Bytes of a text, compressed as Debian's policy wants manuals and changelogs. */
function gzipped(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 });
  bytes[9] = 255;
  return bytes;
}

/** The changelog of the package (Policy 4.4), whose one entry leads to that of the program. */
function packageChangelog(mtime: number): string {
  const date = new Date(mtime * 1000).toUTCString().replace("GMT", "+0000");
  return `acq-server (${DEBIAN_VERSION}) stable; urgency=medium

  * Package version ${VERSION}, whose changes are in changelog.gz.

 -- ${MAINTAINER}  ${date}
`;
}

/** Everything that is installed. */
function installed(executable: Uint8Array, licences: string, mtime: number): ArchiveEntry[] {
  const document = "usr/share/doc/acq-server";
  const compressed = (path: string, text: string): ArchiveEntry => ({
    path,
    bytes: gzipped(text),
    kind: "file",
  });
  return [
    ...commandOfLinux(executable, "usr/bin", "usr"),
    textEntry("usr/share/applications/acq-server.desktop", DESKTOP_ENTRY),
    textEntry(
      "usr/share/icons/hicolor/scalable/apps/acq-server.svg",
      repositoryText("static/demo/v2/icon.svg"),
    ),
    textEntry("usr/share/lintian/overrides/acq-server", LINTIAN_OVERRIDES),
    compressed("usr/share/man/man1/acq-server.1.gz", manPage(mtime)),
    compressed(`${document}/changelog.gz`, repositoryText("CHANGELOG.md")),
    compressed(`${document}/changelog.Debian.gz`, packageChangelog(mtime)),
    compressed(`${document}/THIRD_PARTY.txt.gz`, licences),
    textEntry(`${document}/copyright`, COPYRIGHT + repositoryText("LICENSE")),
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
    `Version: ${DEBIAN_VERSION}`,
    `Architecture: ${platform.debian}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${size}`,
    "Depends: libc6 (>= 2.27), libgcc-s1 | libgcc1",
    "Recommends: zenity | kdialog, xdg-utils",
    "Section: science",
    "Priority: optional",
    `Description: ${SUMMARY}`,
    " Reads TIFF and its dialects, OME-Zarr, CZI, LSM, ND2, LIF, OIR, OIF and Prairie",
    " View, and shows them in a client in the browser.",
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
  return { name: `acq-server_${DEBIAN_VERSION}_${platform.debian}.deb`, bytes: Buffer.concat(parts) };
}
