import { deepEqual, equal, throws } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import { buildNd2Channels, formatBgrColor, readFrameLayout } from "./frames.ts";
import type { Variant, VariantObject } from "./clx.ts";

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
  return readFrameLayout(attributes);
}

Deno.test("reads rows that are padded except the last", () => {
  const { rows, columns, components, rowBytes, usedRowBytes, bytes, neededBytes, zlib, warnings } = layout();
  deepEqual([rows, columns, components, zlib], [3, 5, 2, false]);
  // Padding to four bytes would need none.
  deepEqual(codesOf(warnings), ["metadata_disagree"]);
  // 5 pixels of 2 samples of 2 bytes; 3 rows of 24, or 2 of 24 and one of 20.
  deepEqual([rowBytes, usedRowBytes, bytes, neededBytes], [24, 20, 72, 68]);
});

Deno.test("pads rows without a stated stride to four bytes", () => {
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

Deno.test("derives the sample type from bits and pixel type", () => {
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

Deno.test("bounds sizes", () => {
  for (const [name, most] of [["uiWidth", 2 ** 30], ["uiHeight", 2 ** 30], ["uiComp", 1000]] as const) {
    const one = { uiWidth: 1, uiHeight: 1, uiComp: 1, uiWidthBytes: undefined };
    if (name !== "uiHeight") equal(layout({ ...one, [name]: most }).warnings.length, 1);
    for (const size of [0, -1, most + 1, 1.5, NaN, "x"]) {
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

Deno.test("accepts raw and zlib frames, and rejects others", () => {
  deepEqual([0, 2, 3].map((eCompression) => layout({ eCompression }).zlib), [true, false, false]);
  throws(() => layout({ eCompression: 1 }), /lossy compression/);
});

const object = (values: Record<string, Variant>): VariantObject => new Map(Object.entries(values));

/** A plane with its number of components. */
const plane = (name: string, uiCompCount: number, uiColor = 0) =>
  object({ sDescription: name, uiCompCount, uiColor });

/** Names of the channels of pixels of some samples, and the warnings. */
function listed(uiComp: number, planes: readonly VariantObject[], uiCount = planes.length) {
  const layout = readFrameLayout(object({ uiWidth: 4, uiHeight: 3, uiComp, uiBpcInMemory: 8 }));
  const sPlaneNew = object(Object.fromEntries(planes.map((one, i) => [`a${i}`, one])));
  const { channels, warnings } = buildNd2Channels(
    object({ sPicturePlanes: object({ uiCount, sPlaneNew }) }),
    layout,
  );
  return {
    names: channels.map(({ name }) => name),
    colors: channels.map(({ color }) => color),
    warnings: codesOf(warnings),
  };
}

Deno.test("a colour has red in its lowest byte; black and fractions give null", () => {
  deepEqual([0x0000ff, 0x123456, 0xff00_0001].map(formatBgrColor), ["#ff0000", "#563412", "#010000"]);
  deepEqual([null, 0, 0xff00_0000, 1.5, NaN].map(formatBgrColor), [null, null, null, null, null]);
});

Deno.test("names the samples of a plane as channels, as colours or by number", () => {
  deepEqual(listed(2, [plane(" a ", 1, 0xff), plane("", 1)]), {
    names: ["a", "CH2"],
    colors: ["#ff0000", null],
    warnings: [],
  });
  deepEqual(listed(3, [plane("HE", 3)]).names, ["Blue", "Green", "Red"]);
  deepEqual(listed(3, [plane("HE", 3)]).colors, ["#0000ff", "#00ff00", "#ff0000"]);
  deepEqual(listed(4, [plane("x", 4, 0xff00)]).names, ["x 1", "x 2", "x 3", "x 4"]);
  deepEqual(listed(2, [plane("", 2)]).names, ["CH1", "CH2"]);
  deepEqual(listed(4, [plane("a", 1), plane("b", 3)]).names, ["a", "b Blue", "b Green", "b Red"]);
});

Deno.test("divides the samples of a pixel equally between planes, and warns about contradictions", () => {
  deepEqual(listed(4, [plane("a", 0), plane("b", 0)]).names, ["a 1", "a 2", "b 1", "b 2"]);
  deepEqual(listed(3, [plane("a", 1), plane("b", 1)]), {
    names: ["CH1", "CH2", "CH3"],
    colors: [null, null, null],
    warnings: ["metadata_disagree"],
  });
  equal(listed(2, [plane("a", 1), plane("b", 1)], 3).warnings.length, 1);
  deepEqual(listed(2, [plane("a", 1), plane("b", 1)], 0).warnings, []);
  deepEqual(listed(2, []), { names: ["CH1", "CH2"], colors: [null, null], warnings: [] });
});
