/** Entries of ZIP files by hand (PKWARE APPNOTE 6.3.10, section 4.3.7). */
import { deepEqual, equal, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { DecodedBytes } from "../io/byte_source.ts";
import { readValue } from "./store.ts";
import type { ZipEntry } from "./zip_directory.ts";
import { ZipStore } from "./zip_store.ts";

const PLAIN = Uint8Array.of(1, 2, 3, 4, 5);

interface Change extends Partial<ZipEntry> {
  readonly data?: Uint8Array;
  readonly signature?: number;
  readonly header?: string;
  readonly extra?: number;
}

/** A store with the entry `a/b`, whose header lies behind two bytes. */
function storeOf(change: Change = {}, folder = "a") {
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
  return new ZipStore(new DecodedBytes(new Uint8Array(file), "zip"), new Map([["a/b", entry]]), folder);
}

const read = (change: Change = {}, most = 100) => readValue(storeOf(change), "b", most);
const DEFLATED = { method: 8, data: new Uint8Array(deflateRawSync(PLAIN)) };

Deno.test("a stored and a deflated entry, of at most so many bytes", () => {
  for (const change of [{}, DEFLATED, { extra: 0 }]) {
    deepEqual(read(change), PLAIN);
    deepEqual(read(change, 5), PLAIN);
    throws(() => read(change, 4), /ZIP entry "b" has 5 bytes, more than 4/);
  }
  equal(readValue(storeOf(), "c", 9), null);
  equal(readValue(storeOf({}, ""), "b", 9), null);
  deepEqual(readValue(storeOf({}, ""), "a/b", 9), PLAIN);
  const { size } = storeOf(DEFLATED).open("b", 1000, 5)!;
  equal(size, 5);
  throws(() => storeOf(DEFLATED).open("b", 1000, 4), /inflates to 5 bytes, at most 4 can be/);
  // A stored one need not be held.
  equal(storeOf().open("b", 1000, 4)!.size, 5);
});

Deno.test("a part of a stored entry is read after its checksum was verified", () => {
  const part = (change: Change = {}) => [...storeOf(change).open("b", 100)!.read(1, 3, "part")];
  deepEqual(part(), [2, 3, 4]);
  throws(() => part({ crc: 7 }), /ZIP entry "b" is damaged: its checksum does not fit/);
});

const REFUSED: readonly (readonly [string, Change, RegExp])[] = [
  ["that is encrypted", { encrypted: true }, /"b" is encrypted/],
  ["stored with fewer bytes than it tells of", { size: 6 }, /stored with 5 bytes and tells of 6/],
  ["that ends behind the file", { compressedSize: 6, size: 6 }, /ZIP entry "b"/],
  ["of another method", { method: 9 }, /uses the compression method 9/],
  ["of another checksum", { crc: 7 }, /its checksum does not fit/],
  ["deflated of another checksum", { ...DEFLATED, crc: 7 }, /its checksum does not fit/],
  ["that inflates to less", { ...DEFLATED, size: 6 }, /inflates to 5 bytes, 6 are told of/],
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
  Deno.test(`a ZIP entry ${name} is refused`, () => throws(() => read(change), message));
}

Deno.test("names of all entries are verified, also those of earlier entries", () => {
  storeOf().requireNames();
  throws(() => storeOf({ header: "a/c" }).requireNames(), /ZIP entry "a\/b" has another name/);
  const earlier: ZipEntry = { method: 0, encrypted: false, crc: 0, compressedSize: 0, size: 0, offset: 3 };
  throws(() => storeOf({ earlier }).requireNames(), /ZIP entry "a\/b" has no header at 3/);
});
