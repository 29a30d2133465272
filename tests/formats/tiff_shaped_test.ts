/** The arrays that tifffile describes, one or several in a file. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { planesAt } from "../planes.ts";
import { seenIn } from "../seen.ts";
import { withFiles } from "../temporary_files.ts";

const load = (bytes: Uint8Array, channelIndices: number[] | null = null) =>
  withFiles({ "a.tif": bytes }, (path) => loadHere(path, { channelIndices }));

const seen = async (...file: Parameters<typeof load>) => seenIn(await load(...file));

/** Layout of the pages that are written here. */
const PAGE = grayLayout(5, 4, 8);

/** A plane filled with each value, described by the text of the same place. A directory follows each plane. */
const described = (values: readonly number[], texts: readonly string[]) =>
  tiffOf(PAGE, values.map((value) => [new Uint8Array(20).fill(value)]), (page) => [[270, 2, texts[page]!]]);

/** Three planes, of which the first is described. */
const three = (text: string) => described([1, 2, 3], [text, "", ""]);

Deno.test(`keeps the planes after the directory of an array without "truncated"`, async () => {
  const name = fileURLToPath(new URL("../fixtures/tiff/shaped_two_truncated.tif", import.meta.url));
  const bytes = Buffer.from(Deno.readFileSync(name));
  const whole = await load(bytes);
  bytes.write(`"truncxxxx": true`, bytes.indexOf(`"truncated": true`));
  const damaged = await load(bytes);
  equal(seenIn(damaged).split("; ")[0], "C3");
  deepEqual(damaged.planes, whole.planes);
});

Deno.test("counts the planes that fit before the next part of the file", async () => {
  // The first plane lies at 8; the text that describes it follows the head.
  const cases: [bytes: number, member: string, expected: string][] = [
    [60, "", "C3; 1 2 3; "],
    [58, "", "C3; 1; planes_missing"],
    [58, `, "truncated": true`, "C3; 1 2; planes_missing"],
    [58, `, "truncated": false`, "C3; 1; planes_missing"],
  ];
  for (const [bytes, member, expected] of cases) {
    const head = Uint8Array.from({ length: bytes }, (_, i) => Math.floor(i / 20) + 1);
    const text = `{"shape": [3, 4, 5], "axes": "CYX"${member}}`;
    const file = tiffOf(PAGE, [[]], [[270, 2, text], [273, 4, [8]], [279, 4, [20]]], head);
    const channels = [0, 1, 2].slice(0, expected.split("; ")[1]!.split(" ").length);
    equal(await seen(file, channels), expected);
  }
});

Deno.test("reads planes with their own directories wherever they lie", async () => {
  const head = Uint8Array.from({ length: 60 }, (_, i) => Math.floor(i / 20) + 1);
  const text = `{"shape": [3, 4, 5], "axes": "CYX"}`;
  const file = tiffOf(
    PAGE,
    [[], [], []],
    (page) => [[270, 2, page === 0 ? text : ""], [273, 4, [[8, 48, 28][page]!]], [279, 4, [20]]],
    head,
  );
  equal(await seen(file), "C3; 1 3 2; ");
});

Deno.test("reads surplus pages as slices, unless another array follows", async () => {
  const first = `{"shape": [3, 4, 5]}`;
  const cases: [string[], string][] = [
    [[first, "", ""], "Z3; 1; "],
    [[first, "", "", `{"shape": [2, 4, 5]}`, ""], "Z3; 1; "],
    [[first, "", "", "", ""], "Z5; 1; axes_assumed"],
    [[first, "", "", "", `{"shape": [4, 5]}`], "Z5; 1; axes_assumed"],
  ];
  for (const [texts, expected] of cases) {
    equal(await seen(described(texts.map((_, i) => i + 1), texts)), expected);
  }
});

Deno.test("warns about an invalid shape", async () => {
  const many = `[${"1, ".repeat(30)}3, 4, 5]`;
  for (const shape of [`"3"`, `5`, `[3, 4.5, 5]`, `[-3, 4, 5]`, `[0, 4, 5]`, many, `null`, `{}`]) {
    equal(await seen(three(`{"shape": ${shape}, "axes": "ZYX"}`)), "Z3; 1; metadata_damaged", shape);
  }
  // The most axes that are read.
  equal(await seen(three(`{"shape": [${"1, ".repeat(29)}3, 4, 5]}`)), "Z3; 1; ");
});

Deno.test("bounds an array below 2^31 planes", async () => {
  equal(await seen(three(`{"shape": [${2 ** 31 - 1}, 4, 5]}`)), "Z2147483647; 1; planes_missing");
  equal(await seen(three(`{"shape": [${2 ** 31}, 4, 5]}`)), "Z3; 1; metadata_damaged");
});

Deno.test("does not take pages with another shape for planes of the first array", async () => {
  const cyx = `{"shape": [3, 4, 5], "axes": "CYX"}`;
  const one = `{"shape": [4, 5], "axes": "YX"}`;
  const bytes = described([1, 2, 3, 4], [cyx, one, one, one]);
  await rejects(load(bytes), /plane 1 is missing: the file holds 1 planes, 2 are needed/);
  equal(await seen(bytes, [0]), "C3; 1; planes_missing");
  // The same shape in each page says the same of all of them.
  equal(await seen(described([1, 2, 3], [cyx, cyx, cyx])), "C3; 1 2 3; ");
});

Deno.test("warns about axes that do not fit the shape", async () => {
  const cases = [
    [`"axes": "CYX"`, "C3; 1 2 3; "],
    [`"name": "a stack"`, "Z3; 1; "],
    [`"axes": "YX"`, "Z3; 1; metadata_disagree"],
    [`"axes": 7`, "Z3; 1; metadata_disagree"],
  ] as const;
  for (const [member, expected] of cases) {
    equal(await seen(three(`{"shape": [3, 4, 5], ${member}}`)), expected);
  }
});

const LENGTHS: Readonly<Record<string, number>> = { T: 2, Z: 5, Y: 3, X: 4, C: 2, S: 3 };

/** An array whose elements count from 0, with planes of its last two axes, or of those before `S` samples. */
function counting(axes: string, codec: "none" | "deflate" = "none"): Uint8Array<ArrayBuffer> {
  const shape = [...axes].map((letter) => LENGTHS[letter]!);
  const samples = axes.endsWith("S") ? 3 : 1;
  const [height, width] = (samples > 1 ? shape.slice(-3) : shape.slice(-2)) as [number, number];
  const pages = shape.reduce((product, n) => product * n, 1) / (width * height * samples);
  const layout = { ...grayLayout(width, height, 16), samples, codec, rowsPerStrip: 2 };
  const value = (x: number, y: number, s: number, page: number) =>
    BigInt(((page * height + y) * width + x) * samples + s);
  const text = JSON.stringify({ shape, axes });
  return tiffBytes(layout, value, pages, (page) => page === 0 ? [[270, 2, text]] : []);
}

/** The elements of one plane, row by row, by the strides of the axes. */
function planeOf(axes: string, at: Readonly<Record<string, number>>): number[] {
  const stride = (letter: string) =>
    axes.includes(letter)
      ? [...axes].slice(axes.indexOf(letter) + 1).reduce((n, one) => n * LENGTHS[one]!, 1)
      : 0;
  const first = Object.entries(at).reduce((n, [letter, index]) => n + index * stride(letter), 0);
  const rows = Array.from({ length: LENGTHS.Y! }, (_, y) => first + y * stride("Y"));
  return rows.flatMap((row) => Array.from({ length: LENGTHS.X! }, (_, x) => row + x * stride("X")));
}

Deno.test("serves arrays whose axes do not end in Y X as Z, Y, X", async () => {
  const cases = ["YXZ", "XYZ", "ZXY", "XY", "YZX", "XZY", "TYXZ", "YXCZ", "CXY", "YXT", "XYS", "ZYX"];
  for (const axes of cases) {
    for (const codec of ["none", "deflate"] as const) {
      const { summary } = await load(counting(axes, codec));
      const length = (letter: string) => axes.includes(letter) ? LENGTHS[letter]! : 1;
      const channels = length("C") * length("S");
      const named = summary.axes.map(({ name, size }) => `${name}${size}`).join(" ");
      const sizes = { T: length("T"), C: channels, Z: length("Z"), Y: 3, X: 4 };
      const long = Object.entries(sizes).filter(([letter, size]) => size > 1 || "YX".includes(letter));
      equal(named, long.map(([letter, size]) => `${letter}${size}`).join(" "), axes);
      deepEqual(summary.warnings, [], axes);
      await withFiles({ "a.tif": counting(axes, codec) }, (path) =>
        openHere(path, async (acquisition) => {
          for (let t = 0; t < sizes.T; t += 1) {
            for (let z = 0; z < sizes.Z; z += 1) {
              const planes = await planesAt(acquisition, { t, z });
              for (const [c, plane] of planes.entries()) {
                deepEqual(
                  [...plane],
                  planeOf(axes, { T: t, Z: z, C: c, S: c }),
                  `${axes} t=${t} z=${z} c=${c}`,
                );
              }
            }
          }
        }));
    }
  }
});

Deno.test("serves the samples of a pixel as the axis that the array names", async () => {
  const text = `{"shape": [4, 5, 3], "axes": "YXZ"}`;
  const file = tiffBytes({ ...PAGE, samples: 3 }, (_x, _y, s) => BigInt(s + 1), 1, [[270, 2, text]]);
  equal(await seen(file), "Z3; 1; ");
});

Deno.test("rejects a rearranged array with a missing page, and too many channels", async () => {
  const text = `{"shape": [3, 4, 5], "axes": "YXZ"}`;
  await rejects(load(described([1, 2], [text, ""])), /plane 2 is missing/);
  // Of millions of declared rows.
  const long = `{"shape": [${1 << 26}, 4, 5], "axes": "YZX"}`;
  await rejects(load(described([1, 2], [long, ""])), /plane 2 is missing/);
  await rejects(load(described([1, 2], [long.replace("YZX", "YXZ"), ""])), /plane 2 is missing/);
  await rejects(
    load(described([1, 2], [long.replace(`${1 << 26}`, `${1 << 29}`), ""])),
    /more than 1073741824/,
  );
  const wide = { ...grayLayout(1001, 2, 8) };
  const file = tiffBytes(
    wide,
    () => 0n,
    2,
    (page) => [[270, 2, page === 0 ? `{"shape": [2, 2, 1001], "axes": "YXC"}` : ""]],
  );
  await rejects(load(file), /1001 channels, more than 1000/);
});

Deno.test("names rows that are not Y", async () => {
  const one = (axes: string) => described([1], [`{"shape": [4, 5], "axes": "${axes}"}`]);
  deepEqual((await load(one("TX"))).summary.lineScan, {
    secondsPerLine: null,
    secondsPerPixel: null,
    bidirectional: null,
  });
  equal(await seen(one("ZX")), "; 1; axis_replaced");
  equal(await seen(one("YX")), "; 1; ");
  equal(await seen(one("YZ")), "; 1; metadata_damaged");
});

Deno.test("warns where planes along an axis with another meaning are read as slices", async () => {
  const text = (axes: string) => `{"shape": [3, 4, 5], "axes": "${axes}"}`;
  equal(await seen(three(text("PYX"))), "Z3; 1; axes_assumed");
  for (const axes of ["ZYX", "QYX", "IYX"]) equal(await seen(three(text(axes))), "Z3; 1; ");
});
