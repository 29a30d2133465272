/** Entries of ZIP files by hand (PKWARE APPNOTE 6.3.10, section 4.3.7). */
import { deepEqual, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { DecodedBytes } from "../io/byte_source.ts";
import { readValue, type Store } from "./hierarchy.ts";
import type { ZipEntry } from "./zip_directory.ts";
import { openEntry } from "./zip_files.ts";

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
  return openEntry(new DecodedBytes(new Uint8Array(file), "zip"), "a/b", entry, 'ZIP entry "b"', most);
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
