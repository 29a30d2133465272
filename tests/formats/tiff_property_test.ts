/** Random layouts, written by the specification, come back as the nearest float32 of each sample. */
import { equal } from "node:assert/strict";
import fc from "fast-check";
import { tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { checkRows } from "../planes.ts";
import { inFolder } from "../temporary_files.ts";

const layouts: fc.Arbitrary<TiffLayout> = fc.record({
  littleEndian: fc.boolean(),
  bigTiff: fc.boolean(),
  width: fc.integer({ min: 1, max: 21 }),
  height: fc.integer({ min: 1, max: 17 }),
  samples: fc.integer({ min: 1, max: 4 }),
  planar: fc.boolean(),
  rowsPerStrip: fc.integer({ min: 1, max: 18 }),
  tile: fc.option(fc.tuple(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 1, max: 19 }))),
  codec: fc.constantFrom("none", "deflate", "zstd", "PackBits", "LZW"),
  fillOrder: fc.constantFrom(1, 2),
  bitsAndKind: fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 64 }), fc.constant("uint")),
    fc.tuple(fc.integer({ min: 2, max: 64 }), fc.constant("int")),
    fc.tuple(fc.constantFrom(8, 16, 32, 64), fc.constantFrom("uint", "int")),
    fc.tuple(fc.constantFrom(16, 24, 32, 64), fc.constant("float")),
  ),
  predictor: fc.constantFrom(1, 2, 3),
}).map(({ bitsAndKind: [bits, kind], predictor, ...rest }) => ({
  ...rest,
  bits,
  kind,
  predictor: rest.codec === "none" || rest.codec === "PackBits"
    ? 1
    : predictor === 3 && kind !== "float"
    ? 1
    : predictor === 2 && ![8, 16, 32, 64].includes(bits)
    ? 1
    : predictor,
} as TiffLayout));

/** A sample's bits by a hash of its place, so that a case is its seed. */
function bitsOf(seed: number, bits: number, x: number, y: number, s: number): bigint {
  let hash = BigInt(seed) * 0x9e3779b97f4a7c15n + BigInt(x + 64 * y + 4096 * s) * 0xbf58476d1ce4e5b9n;
  hash = BigInt.asUintN(64, hash ^ (hash >> 29n)) * 0x94d049bb133111ebn;
  return BigInt.asUintN(bits, hash ^ (hash >> 31n));
}

/** The nearest float32 of an integer, ties to even, by exact arithmetic. */
function nearest(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  const surplus = Math.max(magnitude.toString(2).length - 24, 0);
  const unit = 1n << BigInt(surplus);
  let kept = magnitude / unit;
  const rest = 2n * (magnitude % unit);
  if (rest > unit || (rest === unit && kept % 2n === 1n)) kept += 1n;
  return Number(kept * unit) * (value < 0n ? -1 : 1);
}

function expected(bits: bigint, { bits: width, kind }: TiffLayout): number {
  if (kind === "uint") return nearest(bits);
  if (kind === "int") return nearest(BigInt.asIntN(width, bits));
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits << BigInt(64 - width));
  if (width === 16) return view.getFloat16(0);
  if (width === 32) return view.getFloat32(0);
  if (width === 64) return Math.fround(view.getFloat64(0));
  const exponent = Number((bits >> 16n) & 127n);
  const mantissa = Number(bits & 0xffffn);
  const sign = bits >> 23n ? -1 : 1;
  if (exponent === 127) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? 1 + mantissa / 65536 : mantissa / 65536) * 2 ** (Math.max(exponent, 1) - 63);
}

Deno.test("reads any layout of samples back exactly", () =>
  inFolder(async (put) => {
    await fc.assert(
      fc.asyncProperty(layouts, fc.nat(), async (layout, seed) => {
        const path = put("case.tif", tiffBytes(layout, (x, y, s) => bitsOf(seed, layout.bits, x, y, s)));
        const { planes } = await loadHere(path);
        equal(planes.length, layout.samples);
        planes.forEach((plane, s) =>
          plane.forEach((value, i) => {
            const [x, y] = [i % layout.width, Math.floor(i / layout.width)];
            equal(value, expected(bitsOf(seed, layout.bits, x, y, s), layout), `x=${x} y=${y} s=${s}`);
          })
        );
      }),
      { numRuns: 1000, seed: 20_260, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true },
    );
  }));

Deno.test("reads any rows of any layout as in the whole plane", () =>
  inFolder(async (put) => {
    const range = fc.tuple(fc.nat({ max: 17 }), fc.nat({ max: 17 }));
    await fc.assert(
      fc.asyncProperty(layouts, fc.nat(), range, async (layout, seed, [one, other]) => {
        const start = Math.min(one, other) % layout.height;
        const end = Math.max(start + 1, Math.min(layout.height, Math.max(one, other)));
        const path = put("case.tif", tiffBytes(layout, (x, y, s) => bitsOf(seed, layout.bits, x, y, s)));
        await openHere(path, (acquisition) => checkRows(acquisition, [{ start, end }]));
      }),
      { numRuns: 500, seed: 20_261, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true },
    );
  }));
