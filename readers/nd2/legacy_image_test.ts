import { deepEqual, throws } from "node:assert/strict";
import { DecodedBytes } from "../io/byte_source.ts";
import { codestreamSize } from "./legacy_image.ts";

/** A box with a codestream of the markers SOC and SIZ (ITU-T T.800, annex A.5.1) after some bytes. */
function box(
  { size = [20, 16], offset = [0, 0], components = 1, depth = 7 }: {
    readonly size?: readonly [columns: number, rows: number];
    readonly offset?: readonly [columns: number, rows: number];
    readonly components?: number;
    readonly depth?: number;
  },
  before: readonly number[] = [],
) {
  const bytes = new Uint8Array(8 + before.length + 60);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  bytes.set(before, 8);
  const start = 8 + before.length;
  [0xff4f, 0xff51, 41].forEach((word, i) => view.setUint16(start + 2 * i, word));
  [...size, ...offset].forEach((word, i) => view.setUint32(start + 8 + 4 * i, word));
  view.setUint16(start + 40, components);
  view.setUint8(start + 42, depth);
  return new DecodedBytes(bytes, "the file");
}

Deno.test("the size of a codestream is found, also after the boxes of a JP2", () => {
  const expected = { columns: 20, rows: 16, components: 1, bits: 8 };
  deepEqual(codestreamSize(box({}), 0), expected);
  // Half a start marker is skipped.
  deepEqual(
    codestreamSize(box({}, [0xff, 0x4f, 0xff, 0, 0xff, 0x4f, 0, 0x51, 0, 0, 0xff, 0x51]), 0),
    expected,
  );
  deepEqual(codestreamSize(box({ size: [25, 18], offset: [5, 2], components: 3, depth: 15 }), 0), {
    columns: 20,
    rows: 16,
    components: 3,
    bits: 16,
  });
  // The highest bit of the depth marks signed samples.
  deepEqual(codestreamSize(box({ depth: 0x80 | 11 }), 0).bits, 12);
});

Deno.test("unsupported codestreams are refused", () => {
  const cases: [Parameters<typeof box>[0], RegExp][] = [
    [{ size: [0, 16] }, /is 16 x 0 x 1/],
    [{ size: [20, 2], offset: [0, 2] }, /is 0 x 20 x 1/],
    [{ size: [1 << 16, 1 << 16] }, /is 65536 x 65536 x 1/],
    [{ components: 2 }, /is 16 x 20 x 2/],
    [{ components: 4 }, /is 16 x 20 x 4/],
    [{ depth: 16 }, /samples of 17 bits/],
  ];
  for (const [changed, message] of cases) {
    throws(() => codestreamSize(box(changed), 0), { tag: "DecodeFailed", message });
  }
  const none = new DecodedBytes(new Uint8Array(100).fill(0, 3).fill(100, 3, 4), "the file");
  throws(() => codestreamSize(none, 0), /holds no codestream/);
});
