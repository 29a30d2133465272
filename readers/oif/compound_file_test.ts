import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { writeCompound, type WrittenCompound } from "../../tests/fixtures/compound_writer.ts";
import { DecodedBytes } from "../io/byte_source.ts";
import { DecodeFailed } from "../errors.ts";
import { CompoundFile } from "./compound_file.ts";

const sourceOf = (bytes: Uint8Array) => new DecodedBytes(bytes, "the file");

function ramp(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) bytes[i] = i * 31 + seed + (i >> 8);
  return bytes;
}

const TWO = { Stream00001: ramp(5000), Stream00002: ramp(1300, 7) };

function readAll(bytes: Uint8Array): Record<string, Uint8Array> {
  const file = new CompoundFile(sourceOf(bytes));
  return Object.fromEntries([...file.names].map((name) => {
    const stream = file.open(name, name)!;
    return [name, stream.read(0, stream.size, "it")];
  }));
}

/** Sets words at places of a file. */
function changed({ bytes }: WrittenCompound, ...words: [at: number, value: number][]): Uint8Array {
  const copy = bytes.slice();
  for (const [at, value] of words) new DataView(copy.buffer).setUint32(at, value, true);
  return copy;
}

function refused(bytes: Uint8Array, message: RegExp): void {
  throws(() => readAll(bytes), (error) => {
    ok(error instanceof DecodeFailed, String(error));
    match(error.message, message);
    return true;
  });
}

Deno.test("reads streams of both versions, whole and in part", () => {
  for (const version of [3, 4] as const) {
    const { bytes } = writeCompound(TWO, version);
    deepEqual(readAll(bytes), TWO);
    const stream = new CompoundFile(sourceOf(bytes)).open("Stream00001", "it")!;
    fc.assert(
      fc.property(fc.nat(4999), fc.nat(4999), (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        deepEqual(stream.read(start, end - start, "a part"), TWO.Stream00001.subarray(start, end));
      }),
      { numRuns: 200, seed: 1 },
    );
    throws(() => stream.read(4000, 1001, "a part"), /ends after it \(5000 bytes\)/);
  }
});

Deno.test("reads a stream as long as the cutoff from full sectors", () => {
  // The writer knows no small streams, so there is no root to find this one in.
  const { bytes } = writeCompound({ Stream00001: ramp(4096) }, 3, 4096);
  deepEqual(readAll(bytes), { Stream00001: ramp(4096) });
  refused(writeCompound({ Stream00001: ramp(4095) }, 3, 4096).bytes, /Stream00001 declares 4095 bytes/);
});

Deno.test("reads a FAT listed by DIFAT sectors", () => {
  // 109 sectors of 128 words reach over 13952 sectors of 512 bytes; one of 127 more reaches over 30208.
  for (const sectors of [13_000, 14_200, 31_000]) {
    const streams = { A: ramp(sectors * 512 - 3), B: ramp(4096, 5) };
    const read = readAll(writeCompound(streams).bytes);
    for (const name of ["A", "B"] as const) equal(Buffer.compare(read[name]!, streams[name]), 0);
  }
});

const V3 = writeCompound(TWO);
const fatWord = (sector: number) => (V3.fat + 1) * 512 + 4 * sector;
const entryAt = (n: number) => (V3.directory + 1) * 512 + 128 * n;

const HOSTILE: readonly (readonly [name: string, bytes: () => Uint8Array, message: RegExp])[] = [
  ["a chain that leaves the file", () => changed(V3, [fatWord(2), 70_000]), /sector 70000, but there are 15/],
  ["a chain into free sectors", () => changed(V3, [fatWord(2), FREE]), /leads to an unused sector/],
  [
    "a chain that is too short",
    () => changed(V3, [fatWord(2), 0xfffffffe]),
    /5000 bytes; its chain holds 1536/,
  ],
  ["a stream of 2 GB", () => changed(V3, [entryAt(1) + 120, 2 ** 31]), /2147483648 bytes; the file has 8192/],
  ["a stream that begins outside", () => changed(V3, [entryAt(1) + 116, 99]), /sector 99, but there are 15/],
  [
    "a directory that leads round",
    () => changed(V3, [fatWord(V3.directory), V3.directory]),
    /directory .* more than 262144 entries/,
  ],
  ["a directory outside", () => changed(V3, [48, 4000]), /directory .*sector 4000/],
  ["a FAT sector outside", () => changed(V3, [76, 4000]), /FAT sector 0 is sector 4000/],
  ["no FAT sectors declared", () => changed(V3, [44, 0]), /leads to an unused sector/],
  ["a header alone", () => V3.bytes.slice(0, 512), /there are 0/],
  ["half a header", () => V3.bytes.slice(0, 300), /header .*ends after the file/],
  ["sectors of 2^31 bytes", () => changed(V3, [30, 0x0006001f]), /sectors of 2\^31/],
];

const FREE = 0xffffffff;

for (const [name, bytes, message] of HOSTILE) {
  Deno.test(`rejects ${name}`, () => refused(bytes(), message));
}

Deno.test("ends a loop of DIFAT sectors at the last FAT sector", () => {
  const large = writeCompound({ A: ramp(31_000 * 512) });
  const difat = new DataView(large.bytes.buffer).getUint32(68, true);
  refused(
    changed(large, [(difat + 2) * 512 - 4, difat]),
    /the directory of the compound file has more than 262144 entries/,
  );
});

Deno.test("accepts streams of more than 4 GB in version 4 only", () => {
  const entry = ({ directory, sectorBytes }: WrittenCompound) => (directory + 1) * sectorBytes + 128;
  deepEqual(readAll(changed(V3, [entry(V3) + 124, 7])), TWO);
  const v4 = writeCompound(TWO, 4);
  refused(changed(v4, [entry(v4) + 124, 1]), /Stream00001 declares 4294972296 bytes/);
});

Deno.test("reads a small stream inside the root stream", () => {
  // The root has none here.
  const small = writeCompound({ A: ramp(100) }, 3, 4096);
  refused(small.bytes, /A declares 100 bytes; the stream of small streams has 0/);
});
