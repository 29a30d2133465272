import assert from "node:assert/strict";
import fs from "node:fs";
import { join } from "node:path";
import {
  AcquisitionChanged,
  DecodeFailed,
  PathNotAllowed,
  PathNotFound,
  Stopped,
  Unreadable,
  UnsupportedFormat,
} from "../errors.ts";
import { isInsideRoots, requireMarks, requireMarksLater } from "./paths.ts";
import { FileAccess } from "./file_access.ts";
import type { RandomAccessFile } from "./random_access_file.ts";
import { StopFlag } from "./stop_flag.ts";
import { NO_LINKS } from "../../tests/no_links.ts";
import { output, programTest } from "../../tests/programs.ts";
import { temporaryFolder } from "../../tests/temporary_files.ts";

Deno.test("reads by position, counted and checked against the size", async () => {
  using dir = temporaryFolder();
  await Deno.writeFile(dir.at("a.bin"), Uint8Array.from({ length: 300 }, (_, i) => i % 256));
  const files = new FileAccess();
  const file = files.open(dir.at("a.bin"));
  assert.equal(file.size, 300);
  assert.deepEqual([...file.read(254, 4, "block")], [254, 255, 0, 1]);
  assert.deepEqual([...file.read(300, 0, "block")], []);
  assert.deepEqual(files.counts, { opens: 1, reads: 1, bytes: 4 });
  const outside: [number, number][] = [[298, 3], [301, 0], [-1, 1], [0, -1], [2 ** 53, 1], [0, Infinity]];
  const fractions: [number, number][] = [[0.5, 1], [0, 1.5], [NaN, 1]];
  for (const [offset, length] of [...outside, ...fractions]) {
    assert.throws(() => file.read(offset, length, "block"), DecodeFailed, `${offset} ${length}`);
  }
  assert.throws(
    () => file.read(298, 3, "block"),
    /^DecodeFailed: block at 298 \+ 3 ends after the file \(300 bytes\)$/,
  );
  files.close();
  assert.throws(() => file.read(0, 1, "block"), /is closed/);
});

Deno.test("a file that shrinks during a read is an error, never zeros", async () => {
  using dir = temporaryFolder();
  await Deno.writeFile(dir.at("a.bin"), new Uint8Array(100).fill(7));
  const files = new FileAccess();
  const file = files.open(dir.at("a.bin"));
  await Deno.truncate(dir.at("a.bin"), 40);
  assert.throws(
    () => file.read(0, 100, "strip 0"),
    /strip 0 at 0 \+ 100: the file became shorter while it was read/,
  );
  files.close();
});

Deno.test("a raised flag stops opens and reads", async () => {
  using dir = temporaryFolder();
  await Deno.writeFile(dir.at("a.bin"), new Uint8Array(10));
  const stop = new StopFlag();
  const files = new FileAccess(null, stop);
  const file = files.open(dir.at("a.bin"));
  new StopFlag(stop.shared).raise();
  assert.throws(() => file.read(0, 1, "block"), Stopped);
  assert.throws(() => files.open(dir.at("a.bin")), Stopped);
  assert.throws(() => files.list(dir.at(".")), Stopped);
  files.close();
});

Deno.test("opens only regular files inside the roots, and treats neighbours outside as missing", {
  ignore: NO_LINKS,
}, async () => {
  using dir = temporaryFolder();
  using outside = temporaryFolder();
  await Deno.writeTextFile(dir.at("a.bin"), "a");
  await Deno.writeTextFile(outside.at("b.bin"), "b");
  await Deno.mkdir(dir.at("sub"));
  await Deno.symlink(outside.at("b.bin"), dir.at("link.bin"));
  await Deno.symlink(dir.at("a.bin"), dir.at("inner.bin"));
  const files = new FileAccess([dir.at(".")]);
  assert.equal(files.open(dir.at("inner.bin")).path, dir.at("a.bin"));
  assert.throws(() => files.open(dir.at("link.bin")), PathNotAllowed);
  assert.throws(() => files.open(outside.at("b.bin")), PathNotAllowed);
  assert.throws(() => files.open(dir.at("none.bin")), PathNotFound);
  assert.throws(() => files.open(dir.at("sub")), UnsupportedFormat);
  for (const path of [dir.at("link.bin"), outside.at("b.bin"), dir.at("none.bin"), dir.at("sub")]) {
    assert.equal(files.openNeighbour(path), null);
  }
  assert.equal(files.kind(dir.at("a.bin")), "file");
  assert.equal(files.kind(dir.at("sub")), "directory");
  assert.equal(files.kind(dir.at("link.bin")), null);
  assert.equal(files.kind(outside.at("b.bin")), null);
  assert.deepEqual(files.list(dir.at(".")), ["a.bin", "inner.bin", "link.bin", "sub"]);
  assert.deepEqual(files.list(outside.at(".")), []);
  assert.deepEqual(files.list(dir.at("none")), []);
  files.close();
});

Deno.test("treats files below a folder as missing after a link out of the roots replaced it", {
  ignore: NO_LINKS,
}, async () => {
  using dir = temporaryFolder();
  using outside = temporaryFolder();
  for (const place of [dir.at("a"), outside.at("a")]) {
    await Deno.mkdir(join(place, "b/c"), { recursive: true });
    await Deno.writeTextFile(join(place, "b/x.bin"), place);
  }
  const files = new FileAccess([dir.at(".")]);
  const path = dir.at("a/b/x.bin");
  files.open(path).close();
  assert.equal(files.kind(path), "file");
  await Deno.rename(dir.at("a"), dir.at("spare"));
  await Deno.symlink(outside.at("a"), dir.at("a"));
  assert.equal(files.kind(path), null);
  assert.equal(files.sizeOf(path), null);
  assert.deepEqual(files.list(dir.at("a/b/c/..")), []);
  assert.deepEqual(files.list(dir.at("a/b")), []);
  assert.throws(() => files.resolve(path), PathNotAllowed);
  assert.throws(() => files.open(path), PathNotAllowed);
  files.close();
});

Deno.test("fails if a link replaces a folder while a file is opened", {
  ignore: NO_LINKS,
}, async () => {
  using dir = temporaryFolder();
  using outside = temporaryFolder();
  for (const place of [dir, outside]) {
    await Deno.mkdir(place.at("a"));
    await Deno.writeTextFile(place.at("a/x.bin"), place.at("a"));
  }
  const leave = () => {
    Deno.renameSync(dir.at("a"), dir.at("spare"));
    Deno.symlinkSync(outside.at("a"), dir.at("a"));
  };
  const enter = () => {
    Deno.removeSync(dir.at("a"));
    Deno.renameSync(dir.at("spare"), dir.at("a"));
  };
  const nothing = () => {};
  // What a writer does before and after the file is opened by name, and the error.
  const cases = [
    [leave, nothing, /PathNotAllowed: .* leads out of the folders of this server$/],
    [leave, enter, /Unreadable: .* was exchanged while it was opened$/],
    [nothing, () => Deno.renameSync(dir.at("a"), dir.at("spare")), /PathNotFound: /],
  ] as const;
  const { openSync } = fs;
  for (const [before, after, error] of cases) {
    fs.openSync = (...given) => {
      before();
      const fd = openSync(...given);
      after();
      return fd;
    };
    try {
      assert.throws(() => new FileAccess([dir.at(".")]).open(dir.at("a/x.bin")), error);
    } finally {
      fs.openSync = openSync;
    }
    if (before === leave && after === nothing) enter();
  }
});

const atTop = Deno.build.os === "windows"
  ? undefined
  : [...Deno.readDirSync("/")].find(({ isFile }) => isFile);
if (!atTop) console.log("Without a file in the topmost folder, the test of a link to that one is skipped");

Deno.test(
  "opens a file in the root folder of the system through a link to it",
  { ignore: !atTop || NO_LINKS },
  async () => {
    using dir = temporaryFolder();
    await Deno.symlink("/", dir.at("top"));
    const files = new FileAccess(["/"]);
    assert.equal(files.open(join(dir.at("top"), atTop!.name)).path, `/${atTop!.name}`);
    files.close();
  },
);

programTest(["mkfifo"], {
  name: "rejects a FIFO at once",
  ignore: Deno.build.os === "windows",
  async fn([mkfifo]) {
    using dir = temporaryFolder();
    await output(mkfifo!, [dir.at("pipe")]);
    assert.throws(() => new FileAccess().open(dir.at("pipe")), UnsupportedFormat);
    assert.equal(new FileAccess().kind(dir.at("pipe")), "other");
  },
});

Deno.test("inside means the root itself or below it", () => {
  const cases: [string, string[] | null, boolean][] = [
    ["/a/b", null, true],
    ["/a/b", [], false],
    ["/a", ["/a"], true],
    ["/a/b/c", ["/x", "/a"], true],
    ["/ab", ["/a"], false],
    ["/a/..b", ["/a"], true],
    ["/", ["/a"], false],
    ["/b", ["/"], true],
  ];
  for (const [path, roots, inside] of cases) {
    assert.equal(isInsideRoots(path, roots), inside, `${path} ${roots}`);
  }
});

Deno.test("closes the oldest files beyond the bound of descriptors, and reopens them for a read", async () => {
  using dir = temporaryFolder();
  const files = new FileAccess();
  const opened: RandomAccessFile[] = [];
  for (let i = 0; i < 40; i += 1) {
    await Deno.writeFile(dir.at(`${i}.bin`), new Uint8Array([i]));
    opened.push(files.open(dir.at(`${i}.bin`)));
  }
  assert.equal(files.counts.opens, 40);
  opened.forEach((file, i) => assert.deepEqual([...file.read(0, 1, "byte")], [i]));
  assert.ok(files.counts.opens > 40, "some were opened again");
  files.rest();
  const before = files.counts.opens;
  assert.deepEqual([...opened[7]!.read(0, 1, "byte")], [7]);
  assert.equal(files.counts.opens, before + 1);
  files.rest();
  await Deno.writeFile(dir.at("7.bin"), new Uint8Array([8, 8]));
  assert.throws(() => opened[7]!.read(0, 1, "byte"), AcquisitionChanged);
  await Deno.remove(dir.at("8.bin"));
  assert.throws(() => opened[8]!.read(0, 1, "byte"), AcquisitionChanged);
  files.close();
  assert.throws(() => opened[9]!.read(0, 1, "byte"), /is closed/);
});

Deno.test("lists all of some thousand files that were read, so that a plane of as many is compared with each", () => {
  using dir = temporaryFolder();
  using files = new FileAccess();
  const paths = Array.from({ length: 3000 }, (_, i) => dir.at(`${i}.bin`));
  for (const path of paths) {
    Deno.writeFileSync(path, new Uint8Array(3));
    files.open(path).read(0, 1, "byte");
  }
  const used = files.takeUsed();
  assert.deepEqual([...used.keys()], paths);
  requireMarks(used);
  Deno.writeFileSync(paths[2000]!, new Uint8Array(4));
  assert.throws(() => requireMarks(used), AcquisitionChanged);
});

Deno.test("marks the first and last opened files, and lists the files read since", async () => {
  using dir = temporaryFolder();
  const files = new FileAccess();
  const paths = Array.from({ length: 100 }, (_, i) => dir.at(`${i}.bin`));
  const opened: RandomAccessFile[] = [];
  for (const path of paths) {
    await Deno.writeFile(path, new Uint8Array(3));
    opened.push(files.open(path));
  }
  assert.deepEqual([...files.marks.keys()], [...paths.slice(0, 32), ...paths.slice(-32)]);
  assert.deepEqual([...files.takeUsed().keys()], []);
  opened[50]!.read(0, 1, "byte");
  opened[50]!.read(1, 1, "byte");
  files.noteAbsent(dir.at("none"));
  const used = files.takeUsed();
  assert.deepEqual([...used.keys()], [paths[50], dir.at("none")]);
  requireMarks(used);
  await requireMarksLater(used);
  await Deno.writeFile(dir.at("none"), new Uint8Array(1));
  assert.throws(() => requireMarks(used), AcquisitionChanged);
  await assert.rejects(requireMarksLater(used), AcquisitionChanged);
  await Deno.remove(dir.at("none"));
  // Same bytes and length, written a second later.
  await Deno.utime(paths[50]!, 5, 5);
  assert.throws(() => requireMarks(used), /"50.bin" was changed since it was opened; open it again/);
  files.close();
});

Deno.test("reads folders entry by entry while an acquisition is opened, and begins again after each", async () => {
  using dir = temporaryFolder();
  Deno.mkdirSync(dir.at("b"));
  for (const name of ["2", "1"]) Deno.writeFileSync(dir.at(name), new Uint8Array(1));
  using files = new FileAccess();
  const { opendirSync } = fs;
  // The runtime would read the folder whole, and drop entries that fail.
  fs.opendirSync = () => {
    throw new Error("listed at once");
  };
  try {
    let opens = 0;
    const found = await files.listingAhead(() => {
      opens += 1;
      const file = files.open(dir.at("1"));
      const names = [
        files.list(dir.path),
        files.list(dir.at("b")),
        files.list(dir.path),
        files.list(dir.at("c")),
      ];
      return { names, size: file.size };
    });
    assert.deepEqual(found, { names: [["1", "2", "b"], [], ["1", "2", "b"], []], size: 1 });
    assert.equal(opens, 3);
    const ahead = await files.listingAhead(async () => {
      await files.readAhead(dir.path);
      opens += 1;
      return files.list(dir.path);
    });
    assert.deepEqual([ahead, opens], [["1", "2", "b"], 4]);
  } finally {
    fs.opendirSync = opendirSync;
  }
  assert.deepEqual(files.list(dir.path), ["1", "2", "b"]);
});

Deno.test("begins again for a bounded number of folders", async () => {
  using dir = temporaryFolder();
  const names = Array.from({ length: 40 }, (_, i) => `${i}`);
  for (const name of names) Deno.mkdirSync(join(dir.at(name), "inner"), { recursive: true });
  using files = new FileAccess();
  let opens = 0;
  const found = await files.listingAhead(() => {
    opens += 1;
    return names.map((name) => files.list(dir.at(name))[0]);
  });
  assert.deepEqual([found, opens], [names.map(() => "inner"), 17]);
});

Deno.test("a list that lacks an opened file is a fault, unless its name is spelled in another form", async () => {
  using dir = temporaryFolder();
  for (const name of ["caf\u00e9.tif", "._own.tif"]) Deno.writeFileSync(dir.at(name), new Uint8Array(1));
  using files = new FileAccess();
  const { readDir } = Deno;
  const list = (names: readonly string[]) => {
    Deno.readDir = async function* () {
      for (const name of names) yield { name, isFile: true, isDirectory: false, isSymlink: false };
    };
    return files.listingAhead(() => files.list(dir.path));
  };
  try {
    files.open(dir.at("._own.tif"));
    files.open(dir.at("caf\u00e9.tif"));
    for (const lost of [[], ["other.tif"], ["._own.tif"]]) {
      await assert.rejects(list(lost), (error) => {
        assert.ok(error instanceof Unreadable);
        return /cannot be listed: the list lacks "caf\u00e9.tif"$/.test(error.message);
      });
    }
    for (const name of ["caf\u00e9.tif", "cafe\u0301.tif", "CAF\u00c9.TIF"]) {
      assert.deepEqual(await list([name]), [name]);
    }
    // Another name of the same file, as short names of Windows are.
    Deno.linkSync(dir.at("caf\u00e9.tif"), dir.at("CAF~1.TIF"));
    assert.deepEqual(await list(["CAF~1.TIF"]), ["CAF~1.TIF"]);
    // A file that was removed meanwhile.
    Deno.removeSync(dir.at("caf\u00e9.tif"));
    assert.deepEqual(await list([]), []);
  } finally {
    Deno.readDir = readDir;
  }
});

Deno.test("stops to read a folder at the bound, and tells a fault of reading from an empty folder", async () => {
  using dir = temporaryFolder();
  using files = new FileAccess();
  const { readDir } = Deno;
  let read = 0;
  const list = () => files.listingAhead(() => files.list(dir.path));
  try {
    Deno.readDir = async function* () {
      for (;; read += 1) yield { name: `${read}`, isFile: true, isDirectory: false, isSymlink: false };
    };
    await assert.rejects(list, /holds more than 100000 entries/);
    assert.equal(read, 100_000);
    Deno.readDir = () => {
      throw Object.assign(new Error("stale"), { code: "ESTALE" });
    };
    await assert.rejects(list, Unreadable);
  } finally {
    Deno.readDir = readDir;
  }
});
