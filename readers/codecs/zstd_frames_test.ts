import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { measureFrames } from "./zstd_frames.ts";

const endOfFrames = (bytes: Uint8Array) => measureFrames(bytes).end;

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** A last block (bit 0) of 2 bytes as they are (type 0): 2 << 3 | 1. */
const RAW = [0x11, 0, 0, 7, 7];
/** A last block of one byte (type 1) that expands to 2. */
const RUN = [0x13, 0, 0, 7];

const header = (
  descriptor: number,
  bytes: number,
) => [...MAGIC, descriptor, ...new Array<number>(bytes).fill(0)];

/** RFC 8878, section 3.1.1: window but for one segment, dictionary of 0, 1, 2 or 4 bytes, size of 0 (1), 2, 4 or 8 bytes. */
const FRAMES: Readonly<Record<string, number[]>> = {
  "with a window": [...header(0x00, 1), ...RAW],
  "of one segment": [...header(0x20, 1), ...RUN],
  "with a dictionary of 1 byte": [...header(0x01, 2), ...RUN],
  "with a dictionary of 2 bytes": [...header(0x02, 3), ...RUN],
  "with a dictionary of 4 bytes": [...header(0x03, 5), ...RUN],
  "with a size of 2 bytes": [...header(0x40, 3), ...RAW],
  "with a size of 4 bytes": [...header(0xa0, 4), ...RAW],
  "with a size of 8 bytes": [...header(0xc0, 9), ...RAW],
  "with a checksum": [...header(0x24, 1), ...RUN, 1, 2, 3, 4],
  "of two blocks": [...header(0x20, 1), 0x10, 0, 0, 7, 7, ...RUN],
  "of an empty block": [...header(0x20, 1), 1, 0, 0],
  // 2^16 << 3 | 1.
  "of a block of 64 KiB": [...header(0x20, 1), 1, 0, 8, ...new Array<number>(65_536).fill(0)],
};

for (const [name, frame] of Object.entries(FRAMES)) {
  Deno.test(`finds the end of a zstd frame ${name}, alone and after another`, () => {
    const first = FRAMES["with a window"]!;
    const two = Uint8Array.from([...first, ...frame]);
    equal(endOfFrames(Uint8Array.from(frame)), frame.length);
    equal(endOfFrames(two), two.length);
    equal(endOfFrames(Uint8Array.from([...frame, 1, 2, 3])), frame.length);
    // Fewer than four bytes are not a frame.
    const step = frame.length > 1000 ? 5000 : 1;
    for (let length = 0; length < frame.length; length += step) {
      ok(endOfFrames(Uint8Array.from(frame.slice(0, length))) > length, `${length} bytes`);
      if (length > 3) {
        ok(endOfFrames(two.subarray(0, first.length + length)) > first.length + length, `${length} more`);
      }
    }
  });
}

Deno.test("finds the end of a skippable zstd frame by its size", () => {
  // RFC 8878, section 3.1.2: magic number 0x184D2A5?, 32 bits of size, that many bytes.
  const skipped = (digit: number) => [0x50 + digit, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
  const frame = FRAMES["with a window"]!;
  for (const digit of [0, 15]) {
    const all = [...skipped(digit), ...frame, ...skipped(digit)];
    equal(endOfFrames(Uint8Array.from(all)), all.length);
    equal(endOfFrames(Uint8Array.from([...all, 9])), all.length);
    ok(endOfFrames(Uint8Array.from(all.slice(0, -1))) > all.length - 1);
    ok(endOfFrames(Uint8Array.from(all.slice(0, -6))) > all.length - 6);
    ok(endOfFrames(Uint8Array.from(all.slice(0, skipped(0).length + frame.length - 1))) > 21);
  }
});

Deno.test("rejects a zstd block of the reserved type", () => {
  throws(
    () => endOfFrames(Uint8Array.from([...header(0x20, 1), 0x17, 0, 0, 7])),
    /the block at 6 has a reserved type/,
  );
});

Deno.test("states the declared and the maximum size of the content of zstd frames", () => {
  // RFC 8878, section 3.1.1.1.4: a size of 2 bytes counts from 256. Sizes of 1, 2, 4 and 8 bytes, little-endian.
  const sized = [[0x20, 7], [0x60, 1, 2], [0xa0, 1, 2, 3, 4], [0xe0, 1, 2, 3, 4, 5, 0, 0, 0]];
  const sizes = [7, 0x0201 + 256, 0x04030201, 0x0504030201];
  for (const [i, header] of sized.entries()) {
    const frame = Uint8Array.from([...MAGIC, ...header, ...RAW]);
    deepEqual(measureFrames(frame), { end: frame.length, mostBytes: 2, contentBytes: sizes[i]! });
  }
  const unsized = Uint8Array.from([...MAGIC, 0, 0, ...RUN]);
  equal(measureFrames(unsized).contentBytes, null);
  const both = (a: number[], b: number[]) => measureFrames(Uint8Array.from([...a, ...b])).contentBytes;
  const seven = [...MAGIC, 0x20, 7, ...RUN];
  deepEqual([both(seven, seven), both(seven, [...unsized]), both([...unsized], seven)], [14, null, null]);
  // A compressed block of 3 bytes (type 2): 128 KiB. A run of 2^21 - 1: no more.
  equal(measureFrames(Uint8Array.from([...MAGIC, 0x20, 7, 0x1d, 0, 0, 1, 1, 1])).mostBytes, 131_072);
  equal(measureFrames(Uint8Array.from([...MAGIC, 0x20, 7, 0xfb, 0xff, 0xff, 1])).mostBytes, 131_072);
});
