import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type ArchiveEntry, entriesBelow, executableEntry, tarGz, textEntry, zip } from "./archive.ts";

/** 2026-11-21 10:20:30 UTC. */
const MTIME = Date.UTC(2026, 10, 21, 10, 20, 30) / 1000;

const LONG = `release/${"folder_of_a_long_name/".repeat(5)}µ.txt`;
const ENTRIES: ArchiveEntry[] = [
  textEntry("release/b.txt", "second\n"),
  textEntry(LONG, "deep\n"),
  executableEntry("release/a", new Uint8Array(70_000).fill(7)),
  textEntry("release/empty", ""),
];

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** What Python's standard library reads, a line an entry: name, mode, seconds or date, SHA-256. */
async function readByPython(python: string, program: string, packed: Uint8Array): Promise<string[]> {
  using temporary = temporaryFolder();
  const path = temporary.at("archive");
  Deno.writeFileSync(path, packed);
  return (await output(python, ["-c", program, path])).trimEnd().split("\n");
}

const TAR = `
import hashlib, sys, tarfile
for m in tarfile.open(sys.argv[1]).getmembers():
    data = tarfile.open(sys.argv[1]).extractfile(m).read() if m.isfile() else m.linkname.encode()
    print(m.name, oct(m.mode), m.mtime, m.uid, m.uname, hashlib.sha256(data).hexdigest())
`;
const ZIP = `
import hashlib, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for i in z.infolist():
    print(i.filename, oct(i.external_attr >> 16), i.date_time, hashlib.sha256(z.read(i)).hexdigest())
`;
import { output, programTest } from "../tests/programs.ts";
import { temporaryFolder } from "../tests/temporary_files.ts";

Deno.test("an archive has the same bytes for any order of its entries", () => {
  const turned = [...ENTRIES].reverse();
  assert.deepEqual(tarGz(ENTRIES, MTIME), tarGz(turned, MTIME));
  assert.deepEqual(zip(ENTRIES, MTIME), zip(turned, MTIME));
});

const line = (entry: ArchiveEntry, mode: string, time: string) =>
  `${entry.path} ${mode} ${time} ${sha256(entry.bytes)}`;

programTest(["python3"], {
  name: "Python reads a tar archive that is sorted, without owners and with one time",
  async fn([python]) {
    const link: ArchiveEntry = { path: "release/link", bytes: new TextEncoder().encode("a"), kind: "link" };
    const [b, long, a, empty] = ENTRIES as [ArchiveEntry, ArchiveEntry, ArchiveEntry, ArchiveEntry];
    const time = `${MTIME} 0 root`;
    assert.deepEqual(await readByPython(python!, TAR, tarGz([...ENTRIES, link], MTIME)), [
      line(a, "0o755", time),
      ...[b, empty, long].map((entry) => line(entry, "0o644", time)),
      line(link, "0o777", time),
    ]);
  },
});

programTest(["python3"], {
  name: "Python reads a ZIP archive with its modes and times",
  async fn([python]) {
    const [b, long, a, empty] = ENTRIES as [ArchiveEntry, ArchiveEntry, ArchiveEntry, ArchiveEntry];
    const time = "(2026, 11, 21, 10, 20, 30)";
    assert.deepEqual(await readByPython(python!, ZIP, zip(ENTRIES, MTIME)), [
      line(a, "0o100755", time),
      ...[b, empty, long].map((entry) => line(entry, "0o100644", time)),
    ]);
  },
});

Deno.test("a folder is packed with its modes and links", { ignore: Deno.build.os === "windows" }, () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  Deno.mkdirSync(join(folder, "inner"));
  Deno.writeTextFileSync(join(folder, "inner", "run"), "#!/bin/sh\n", { mode: 0o755 });
  Deno.writeTextFileSync(join(folder, "read"), "text");
  Deno.symlinkSync("inner/run", join(folder, "link"));
  const found = entriesBelow(folder, "to").map(({ path, kind }) => [path, kind]).sort();
  assert.deepEqual(found, [["to/inner/run", "executable"], ["to/link", "link"], ["to/read", "file"]]);
});

Deno.test("rejects repeated and overlong names", () => {
  const twice = [textEntry("a", ""), textEntry("a", "other")];
  assert.throws(() => tarGz(twice, MTIME), /"a" is in the archive twice/);
  assert.throws(() => zip(twice, MTIME), /"a" is in the archive twice/);
  assert.throws(() => tarGz([textEntry("n".repeat(101), "")], MTIME), /is too long for an archive/);
});
