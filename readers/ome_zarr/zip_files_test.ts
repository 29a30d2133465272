/** Entries of ZIP files by hand (PKWARE APPNOTE 6.3.10, section 4.3.7). */
import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { zipOf } from "../../tests/fixtures/zip_writer.ts";
import { withFiles } from "../../tests/temporary_files.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { FileAccess } from "../io/file_access.ts";
import { readValue, type Store } from "./hierarchy.ts";
import type { ZipEntry } from "./zip_directory.ts";
import { openZipEntry, ZipFiles } from "./zip_files.ts";

const PLAIN = Uint8Array.of(1, 2, 3, 4, 5);

interface Change extends Partial<ZipEntry> {
  readonly data?: Uint8Array;
  readonly signature?: number;
  readonly header?: string;
  readonly extra?: number;
}

/** The entry `a/b`, whose header starts at byte 2. */
function opened(change: Change, most: number) {
  const { data = PLAIN, signature = 0x04034b50, header = "a/b", extra = 3, ...stated } = change;
  const local = Buffer.alloc(30);
  local.writeUInt32LE(signature, 0);
  local.writeUInt16LE(header.length, 26);
  local.writeUInt16LE(extra, 28);
  const file = Buffer.concat([Buffer.alloc(2), local, Buffer.from(header), Buffer.alloc(extra), data]);
  const entry: ZipEntry = {
    ...{
      method: 0,
      encrypted: false,
      crc: crc32(PLAIN),
      compressedSize: data.length,
      size: PLAIN.length,
      offset: 2,
    },
    ...stated,
  };
  return openZipEntry(new DecodedBytes(new Uint8Array(file), "zip"), "a/b", entry, 'ZIP entry "b"', most);
}

const read = (change: Change = {}, most = 100) =>
  readValue({ open: (_, most) => opened(change, most) } as Pick<Store, "open"> as Store, "b", most);
const DEFLATED = { method: 8, data: new Uint8Array(deflateRawSync(PLAIN)) };

Deno.test("reads stored and deflated entries up to a size", () => {
  for (const change of [{}, DEFLATED, { extra: 0 }]) {
    deepEqual(read(change), PLAIN);
    deepEqual(read(change, 5), PLAIN);
    throws(() => read(change, 4), /"b" (has|declares) 5 (inflated )?bytes, more than 4/);
  }
  // A stored one is read in parts, and need not fit into memory.
  deepEqual([...opened({}, 4).read(1, 3, "part")], [2, 3, 4]);
});

const REFUSED: readonly (readonly [string, Change, RegExp])[] = [
  ["that is encrypted", { encrypted: true }, /"b" is encrypted/],
  ["stored in fewer bytes than it declares", { size: 6 }, /stored in 5 bytes but declares 6/],
  ["that ends after the file", { compressedSize: 6, size: 6 }, /ZIP entry "b"/],
  ["of another method", { method: 9 }, /uses the unknown compression method 9/],
  ["of another checksum", { crc: 7 }, /its checksum does not match/],
  ["deflated of another checksum", { ...DEFLATED, crc: 7 }, /its checksum does not match/],
  ["that inflates to less", { ...DEFLATED, size: 6 }, /inflates to 5 bytes instead of 6/],
  ["that inflates to more", { ...DEFLATED, size: 4 }, /cannot be inflated to its 4 bytes/],
  // Five bytes and 64 KiB more.
  [
    "of too many compressed bytes",
    { method: 8, data: new Uint8Array(65_542) },
    /has 65542 compressed bytes for 5/,
  ],
  ["without a header", { signature: 0x04034b51 }, /"b" has no header at 2/],
  ["under another name", { header: "a/c" }, /has another name in its header at 2/],
];

for (const [name, change, message] of REFUSED) {
  Deno.test(`rejects a ZIP entry ${name}`, () => throws(() => read(change), message));
}

const EMPTY = new Uint8Array();

/** The result of `use` with a ZIP file of empty entries. */
const withZip = <T>(names: readonly string[], use: (zip: ZipFiles, at: (name: string) => string) => T) =>
  withFiles({ "a.zip": zipOf(names.map((name) => [name, EMPTY])) }, (path) => {
    using files = new FileAccess();
    return use(new ZipFiles(path, files), (name) => `${path}/${name}`);
  });

Deno.test("lists folders of a ZIP file with and without entries of their own", () =>
  withZip(["a/b/c", "a/b-c", "a/b0", "a/b/d/e", "d/", "f", "f-/g", "__MACOSX/h/i"], (zip, at) => {
    deepEqual(zip.list(zip.archive), ["a", "d", "f", "f-"]);
    deepEqual([zip.list(at("a")), zip.list(at("a/b"))], [["b", "b-c", "b0"], ["c", "d"]]);
    deepEqual([zip.list(at("d")), zip.list(at("f")), zip.list(at("x"))], [[], [], []]);
    const kinds = ["a", "a/b", "a/b/", "a/b-", "d", "f", "a/b/c", "__MACOSX", "x"].map((name) =>
      zip.kind(at(name))
    );
    deepEqual(kinds, [
      ...["directory", "directory", "directory", null, "directory", "file", "file", null, null],
    ]);
    equal(zip.kind(zip.archive), "directory");
  }));

Deno.test("names in a ZIP file have at most 64 folders", async () => {
  const name = (folders: number) => `${"a/".repeat(folders)}b`;
  await withZip([name(64)], (zip, at) => equal(zip.kind(at(name(64))), "file"));
  for (const folders of [65, 6000]) {
    await withFiles({ "a.zip": zipOf([[name(folders), EMPTY]]) }, (path) => {
      using files = new FileAccess();
      throws(() => new ZipFiles(path, files), /ZIP entry "a\/a.*" lies in more than 64 folders/);
    });
  }
});
