import { deepEqual, equal, throws } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { frameLayout } from "./frame_layout.ts";
import type { Variant } from "./variant.ts";

const GOOD = {
  uiWidth: 5,
  uiHeight: 3,
  uiComp: 2,
  uiBpcInMemory: 16,
  uiBpcSignificant: 12,
  uiWidthBytes: 24,
};

/** The layout of {@linkcode GOOD} with some values changed, or left out where they are `undefined`. */
function layout(changed: Record<string, Variant | undefined> = {}) {
  const attributes = new Map<string, Variant>(Object.entries(GOOD));
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) attributes.delete(name);
    else attributes.set(name, value);
  }
  return frameLayout(attributes);
}

Deno.test("rows are padded, but for the last one", () => {
  const { rows, columns, components, rowBytes, usedRowBytes, bytes, neededBytes, zlib, warnings } = layout();
  deepEqual([rows, columns, components, zlib], [3, 5, 2, false]);
  // Padding to four bytes would need none.
  deepEqual(codesOf(warnings), ["metadata_disagree"]);
  // 5 pixels of 2 samples of 2 bytes; 3 rows of 24, or 2 of 24 and one of 20.
  deepEqual([rowBytes, usedRowBytes, bytes, neededBytes], [24, 20, 72, 68]);
});

Deno.test("rows without a stated distance are padded to four bytes", () => {
  for (const uiWidthBytes of [undefined, 0]) {
    // 5 pixels of 3 bytes.
    const found = layout({ uiComp: 3, uiBpcInMemory: 8, uiBpcSignificant: 8, uiWidthBytes });
    deepEqual([found.usedRowBytes, found.rowBytes], [15, 16]);
    deepEqual(codesOf(found.warnings), ["metadata_missing"]);
  }
  for (const uiWidthBytes of [19, -24, 20.5, 2 ** 60]) {
    throws(() => layout({ uiWidthBytes }), /rows of 20 bytes of samples are declared with/);
  }
  equal(layout({ uiWidthBytes: 20 }).rowBytes, 20);
});

Deno.test("bits and pixel type give the sample type", () => {
  const type = (uiBpcInMemory: number, ePixelType?: number, uiBpcSignificant?: number) =>
    layout({ uiComp: 1, uiWidthBytes: 64, uiBpcInMemory, ePixelType, uiBpcSignificant }).sampleType;
  deepEqual([8, 16, 32].map((bits) => type(bits)), ["uint8", "uint16", "float32"]);
  deepEqual([8, 16].map((bits) => type(bits, 1)), ["uint8", "uint16"]);
  deepEqual([8, 16].map((bits) => type(bits, 0)), ["int8", "int16"]);
  deepEqual([16, 32, 64].map((bits) => type(bits, 2)), ["float16", "float32", "float64"]);
  // 32 significant bits are floats.
  deepEqual([type(32, 1, 32), type(32, 1, 24), type(32, 0, 24)], ["float32", "uint32", "int32"]);
  for (const [bits, kind] of [[8, 2], [64, 1], [12, 1], [0, 1], [24, 1]] as const) {
    throws(() => type(bits, kind), /samples have \d+ bits and are of pixel type/);
  }
  throws(() => layout({ uiBpcInMemory: undefined }), /an unknown number of bits/);
  deepEqual(codesOf(layout({ ePixelType: 0 }).warnings), ["metadata_disagree", "samples_doubtful"]);
});

Deno.test("sizes are bounded", () => {
  for (const [name, most] of [["uiWidth", 1 << 20], ["uiHeight", 1 << 20], ["uiComp", 1024]] as const) {
    const one = { uiWidth: 1, uiHeight: 1, uiComp: 1, uiWidthBytes: undefined };
    equal(layout({ ...one, [name]: most }).warnings.length, 1);
    for (const size of [0, -1, most + 1, 1.5, NaN, "5"]) {
      throws(() => layout({ ...one, [name]: size }), {
        message: new RegExp(`${name} is .* instead of 1 to`),
      });
    }
  }
  // As many samples, and as many bytes with their padding, as a plane of float32 may have.
  const side = 1 << 14;
  const rowBytes = 4 * MAX_PLANE_SAMPLES / side;
  const large = { uiWidth: MAX_PLANE_SAMPLES / side, uiHeight: side, uiComp: 1 };
  equal(layout({ ...large, uiWidthBytes: rowBytes }).bytes, 4 * MAX_PLANE_SAMPLES);
  throws(() => layout({ ...large, uiWidthBytes: rowBytes + 1 }), /are declared with \d+ bytes/);
  throws(() => layout({ ...large, uiWidth: large.uiWidth + 1 }), /pixels, more than/);
});

Deno.test("frames are raw, zlib streams, or refused", () => {
  deepEqual([0, 2, 3].map((eCompression) => layout({ eCompression }).zlib), [true, false, false]);
  throws(() => layout({ eCompression: 1 }), /lossy compression/);
});
