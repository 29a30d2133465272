/** Central directories by hand (PKWARE APPNOTE 6.3.10, sections 4.3.12 to 4.3.16). */
import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  type DirectoryEnd,
  directoryEnd,
  type DirectoryEntry,
  directoryEntry,
} from "../../tests/fixtures/zip_writer.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { findZarrFolder, holdsZarr, readZipDirectory } from "./zip_directory.ts";

const MAX32 = 0xffffffff;

/** The 64-bit end record at `at`, and its locator. */
function wideEnd(at: number, { count = 0, size = 0, offset = 0 }: DirectoryEnd): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at), 8);
  return Buffer.concat([record, locator]);
}

/** A 64-bit extra field: id 1, its length, numbers of eight bytes. */
function wideExtra(...numbers: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * numbers.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * numbers.length, 2);
  numbers.forEach((number, i) => extra.writeBigUInt64LE(BigInt(number), 4 + 8 * i));
  return extra;
}

const read = (...parts: Buffer[]) =>
  readZipDirectory(new DecodedBytes(new Uint8Array(Buffer.concat(parts)), "zip"));

/** A file of entries and their end, whose statements `end` changes. */
function archive(entries: readonly DirectoryEntry[], end: DirectoryEnd = {}) {
  const directory = Buffer.concat(entries.map(directoryEntry));
  return read(
    Buffer.alloc(3),
    directory,
    directoryEnd({ count: entries.length, size: directory.length, offset: 3, ...end }),
  );
}

Deno.test("reads the entries of a ZIP directory", () => {
  const [b, c] = [{ name: "b", flags: 1 }, { name: "c", flags: 0x40 }];
  const entries = archive([{ name: "a", comment: "no" }, b, c]);
  deepEqual([...entries.keys()], ["a", "b", "c"]);
  deepEqual(entries.get("a"), {
    method: 8,
    encrypted: false,
    crc: 0x12345678,
    compressedSize: 4,
    size: 5,
    offset: 3,
  });
  deepEqual([...entries.values()].map(({ encrypted }) => encrypted), [false, true, true]);
  equal(archive([{ name: "a", size: 1 }, { name: "a", size: 2 }]).get("a")!.size, 2);
  equal(archive([]).size, 0);
});

Deno.test("requires exactly the declared entries in a ZIP directory", () => {
  const two = [{ name: "a" }, { name: "b" }];
  throws(() => archive(two, { count: 1 }), /has 94 bytes, but its 1 entries take 47/);
  throws(() => archive(two, { count: 3 }), /ZIP entry 2 of 3 at 97 is damaged/);
  throws(() => archive(two, { size: 93 }), /ZIP entry 1 at 50 ends after its directory/);
  throws(() => archive(two, { size: 92 }), /ZIP entry 1 of 2 at 50 is damaged/);
  throws(() => archive(two, { offset: 2 }), /ZIP entry 0 of 2 at 2 is damaged/);
});

Deno.test("rejects a ZIP directory over a bound without a read", () => {
  const wide = (change: DirectoryEnd) => read(wideEnd(0, change), directoryEnd({ count: 0xffff }));
  throws(() => wide({ count: 250_000 }), /ZIP entry 0 of 250000 at 0 is damaged/);
  throws(() => wide({ count: 250_001 }), /declares 250001 entries, more than 250000/);
  throws(() => wide({ size: 64 << 20 }), /the ZIP directory/);
  throws(() => wide({ size: (64 << 20) + 1 }), /has 67108865 bytes, more than 67108864/);
});

Deno.test("finds the end record of a ZIP file before the longest comment", () => {
  const comment = Buffer.alloc(0xffff, 0x20);
  equal(read(directoryEnd({ comment })).size, 0);
  throws(() => read(directoryEnd({ comment }), Buffer.alloc(1)), /has no end record/);
  throws(() => read(directoryEnd({}).subarray(0, 21)), /no end record/);
  throws(() => read(directoryEnd({}), Buffer.from("!")), /no end record/);
  // A comment that looks like an end record of another length is skipped.
  const inside = directoryEnd({ count: 9 });
  inside.writeUInt16LE(5, 20);
  equal(read(directoryEnd({ comment: inside })).size, 0);
});

Deno.test("replaces full 32-bit numbers of a ZIP file by 64-bit ones", () => {
  const directory = directoryEntry({ name: "a" });
  const full = { count: 1, size: directory.length, offset: 0 };
  const wide = (end: DirectoryEnd, stated: DirectoryEnd = full) =>
    read(directory, wideEnd(directory.length, stated), directoryEnd(end));
  equal(wide({ ...full, count: 0xffff }).size, 1);
  equal(wide({ ...full, size: MAX32 }).size, 1);
  equal(wide({ ...full, offset: MAX32 }).size, 1);
  // Without a full number the record is ignored.
  equal(wide(full, { count: 7 }).size, 1);
  throws(() => wide({ ...full, count: 0xffff }, { ...full, count: 2 }), /ZIP entry 1 of 2/);
  // No locator, no room for one, and a damaged record.
  throws(
    () => read(directory, Buffer.alloc(76), directoryEnd({ ...full, count: 0xffff })),
    /entries|damaged/,
  );
  throws(() => read(directoryEnd({ count: 0xffff })), /ZIP entry 0 of 65535/);
  throws(
    () => read(directory, wideEnd(1, full), directoryEnd({ ...full, count: 0xffff })),
    /record at 1 is damaged/,
  );
});

Deno.test("replaces full numbers of an entry by its 64-bit ones in order", () => {
  const numbers = (entry: Partial<DirectoryEntry>) => {
    const { size, compressedSize, offset } = archive([{ name: "a", ...entry }]).get("a")!;
    return [size, compressedSize, offset];
  };
  const extra = wideExtra(70, 80, 90);
  deepEqual(numbers({ extra }), [5, 4, 3]);
  deepEqual(numbers({ extra, size: MAX32, stored: MAX32, offset: MAX32 }), [70, 80, 90]);
  deepEqual(numbers({ extra, stored: MAX32 }), [5, 70, 3]);
  deepEqual(numbers({ extra, stored: MAX32, offset: MAX32 }), [5, 70, 80]);
  const second = Buffer.concat([Buffer.from([9, 0, 2, 0, 1, 1]), extra]);
  deepEqual(numbers({ extra: second, size: MAX32 }), [70, 4, 3]);
  deepEqual(numbers({ size: MAX32 }), [MAX32, 4, 3]);
  deepEqual(numbers({ extra: wideExtra(70), size: MAX32, offset: MAX32 }), [70, 4, MAX32]);
  deepEqual(numbers({ extra: extra.subarray(0, 11), size: MAX32 }), [MAX32, 4, 3]);
  deepEqual(numbers({ extra: extra.subarray(0, 3), size: MAX32 }), [MAX32, 4, 3]);
});

Deno.test("finds the group of an archive at the root or in its only folder", () => {
  equal(findZarrFolder(["zarr.json", "a/zarr.json"]), "");
  equal(findZarrFolder(["a/zarr.json", "a/b/zarr.json", "readme"]), "a");
  equal(findZarrFolder(["a/.zgroup", "a/.zattrs"]), "a");
  equal(findZarrFolder(["a/.zgroup", "b/.zgroup"]), null);
  equal(findZarrFolder(["readme", "a/b/.zgroup"]), null);
  const holds = (name: string) =>
    holdsZarr(
      new DecodedBytes(
        new Uint8Array(
          Buffer.concat([directoryEntry({ name }), directoryEnd({ count: 1, size: 46 + name.length })]),
        ),
        "zip",
      ),
    );
  deepEqual(["zarr.json", "a/.zattrs", "readme"].map(holds), [true, true, false]);
  equal(holdsZarr(new DecodedBytes(new Uint8Array(30), "zip")), false);
});
