/** What is known of a CZI acquisition besides its samples; documents of any layout; parts of split documents. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import process from "node:process";
import { zstdCompressSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { concat, doubles, padded, words } from "../fixtures/bytes.ts";
import {
  patched,
  ramp16,
  writeCzi,
  type WrittenDimension,
  type WrittenSubblock,
} from "../fixtures/czi_writer.ts";
import { loadBytes, openBytes, refused } from "../damage.ts";
import { withFiles } from "../temporary_files.ts";
import { loadHere, openHere } from "../load_here.ts";
import { planesAt } from "../planes.ts";
import { codesOf } from "../warning_codes.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/czi/${name}.czi`, import.meta.url));

Deno.test("reads steps, reference image and scan path of a line scan", async () => {
  const { summary, referencePlanes } = await loadHere(fixture("line_scan"));
  deepEqual(summary.axes.map(({ name, size, unit }) => [name, size, unit]), [
    ["C", 2, "Pixels"],
    ["Y", 47, "seconds"],
    ["X", 31, "um"],
  ]);
  // Stamps 0.0021 s apart from 1600 s on; the scaling of the image.
  ok(Math.abs(summary.axes[1]!.step - 0.0021) < 1e-12);
  equal(summary.axes[2]!.step, 0.125);
  equal(summary.times?.length, 47);
  ok(summary.times.every((seconds, row) => Math.abs(seconds - 0.0021 * row) < 1e-9));
  deepEqual([summary.date, summary.time], ["20240506", "07:08:09"]);
  const { reference } = summary;
  deepEqual(reference?.axes, [
    { name: "Y", size: 36, step: 0.5, unit: "um" },
    { name: "X", size: 40, step: 0.25, unit: "um" },
  ]);
  deepEqual(reference?.channels.map(({ name }) => name), ["R1", "R2"]);
  equal(reference?.lineRoi, null);
  // The path starts 4 um right of the centre, at (20, 18): 16 columns of 0.25 um.
  const { x, y } = reference!.scanPath!;
  deepEqual([x.length, y.length], [150, 150]);
  ok(Math.abs(x[0]! - 36) < 1e-4 && Math.abs(y[0]! - 18) < 1e-4);
  // It ends at an angle of 3: 4 um * cos 3 and 6 um * sin 3.
  ok(
    Math.abs(x[149]! - (20 + 16 * Math.cos(3))) < 1e-4 && Math.abs(y[149]! - (18 + 12 * Math.sin(3))) < 1e-4,
  );
  // The samples of `ramp` in make_czi.py: 7 times the index, as bytes.
  deepEqual(referencePlanes.map((plane) => [plane[1], plane[40]]), [[7, 24], [8, 25]]);
});

/** Metres of 1 um a step to the right, 2 um a step down. */
const METRES = [0, 1].flatMap((axis) => Array.from({ length: 101 }, (_, i) => (axis + 1) * i * 1e-6));

/** An embedded document of one subblock; channels are subblocks of their own where `dims` has no `C`. */
const embedded = (dims: readonly WrittenDimension[], values: readonly number[] | null, channels = 1) => {
  const count = dims.reduce((product, [, , size]) => product * size, 1);
  const subblocks = Array.from({ length: channels }, (_, c): WrittenSubblock => ({
    dims: [...dims, ["C", c, 1]],
    pixelType: values ? 2 : 1,
    data: values
      ? new Uint8Array(new Float32Array(values.slice(c * count, (c + 1) * count)).buffer)
      : ramp16(count, c),
  }));
  return writeCzi({ subblocks }).bytes;
};

/** The reference of a document with these attachments, whose pixels were set up to 0.5 um. */
async function referenceOf(...attached: readonly (Uint8Array | readonly [string, string, Uint8Array])[]) {
  const made = writeCzi({
    subblocks: [{ dims: [["X", 0, 4], ["Y", 0, 1], ["T", 0, 2]], data: ramp16(8, 0) }],
    xml:
      "<ImageDocument><Metadata><Experiment><ScalingX>5e-7</ScalingX><ScalingY>5e-7</ScalingY></Experiment>" +
      "</Metadata></ImageDocument>",
    attachments: attached.map((one) => {
      const [name, type, content] = one instanceof Uint8Array ? ["Image", "ZISRAW", one] as const : one;
      return { name, type, content };
    }),
  });
  const { reference, warnings } = (await loadBytes("a.czi", made.bytes)).summary;
  return {
    size: reference?.axes.map(({ size }) => size) ?? null,
    channels: reference?.channels.length ?? 0,
    path: reference?.scanPath ?? null,
    warnings: codesOf(warnings).filter((code) => code === "reference_unreadable"),
  };
}

Deno.test("takes the first attachment that is large enough as the reference image", async () => {
  const image = (rows: number, columns: number, channels = 1, floats = false) =>
    embedded(
      [["X", 0, columns], ["Y", 0, rows]],
      floats ? new Array(rows * columns * channels).fill(1) : null,
      channels,
    );
  const least = image(33, 34);
  const first = { size: [33, 34], channels: 1, path: null, warnings: [] };
  deepEqual(await referenceOf(image(32, 40), image(40, 32), least, image(50, 50)), first);
  deepEqual((await referenceOf(image(33, 33, 17), image(34, 34, 16))).channels, 16);
  // Floats of one channel may be anything; those of several are an image.
  deepEqual((await referenceOf(image(40, 41, 1, true), image(42, 43, 2, true))).size, [42, 43]);
  for (const [name, type] of [["image", "ZISRAW"], ["Image", "CZI"], ["Thumbnail", "ZISRAW"]] as const) {
    equal((await referenceOf([name, type, least])).size, null);
  }
  const many = embedded([["X", 0, 40], ["Y", 0, 40], ["T", 0, 2]], null);
  equal((await referenceOf(many)).size, null);
  const found = await referenceOf(Uint8Array.of(1, 2, 3), least);
  deepEqual(found.size, [33, 34]);
  deepEqual(found.warnings, ["reference_unreadable"]);
});

Deno.test("reads the path from two lines of floats along any dimensions", async () => {
  const image = embedded([["X", 0, 40], ["Y", 0, 36]], null);
  const along: [string, readonly WrittenDimension[], number][] = [
    ["rows", [["X", 0, 101], ["Y", 0, 2]], 1],
    ["channels of a row", [["X", 0, 101], ["Y", 0, 1]], 2],
    ["channels of a column", [["X", 0, 1], ["Y", 0, 101]], 2],
    ["time points", [["X", 0, 101], ["Y", 0, 1], ["T", 0, 2]], 1],
    ["focus planes", [["X", 0, 101], ["Y", 0, 1], ["Z", 0, 2]], 1],
  ];
  for (const [name, dims, channels] of along) {
    const { path } = await referenceOf(embedded(dims, METRES, channels), image);
    // From the centre at (20, 18) on, 2 columns and 4 rows of 0.5 um a point.
    equal(path?.x.length, 101, name);
    ok(path.x.every((x, i) => Math.abs(x - (20 + 2 * i)) < 1e-3), name);
    ok(path.y.every((y, i) => Math.abs(y - (18 + 4 * i)) < 1e-3), name);
  }
  const short = METRES.filter((_, i) => i % 101 < 100);
  const none: [string, Uint8Array][] = [
    ["of 100 points", embedded([["X", 0, 100], ["Y", 0, 2]], short)],
    ["of integers", embedded([["X", 0, 101], ["Y", 0, 2]], null)],
    ["of three rows", embedded([["X", 0, 101], ["Y", 0, 3]], [...METRES, ...METRES])],
    ["of three channels", embedded([["X", 0, 101], ["Y", 0, 1]], [...METRES, ...METRES], 3)],
    [
      "with a point nowhere",
      embedded([["X", 0, 101], ["Y", 0, 2]], METRES.map((metre, i) => i === 150 ? NaN : metre)),
    ],
  ];
  for (const [name, content] of none) {
    const { path, size } = await referenceOf(image, content);
    deepEqual([path, size], [null, [36, 40]], name);
  }
  // Its second line is cut.
  const lines = [0, 1].map((t): WrittenSubblock => ({
    dims: [["X", 0, 101], ["Y", 0, 1], ["T", t, 1]],
    pixelType: 2,
    data: new Uint8Array(new Float32Array(METRES.slice(101 * t, 101 * (t + 1))).buffer),
  }));
  const whole = writeCzi({ subblocks: lines, front: true });
  equal(Math.round((await referenceOf(image, whole.bytes)).path!.y[100]!), 18 + 4 * 100);
  const cut = whole.bytes.slice(0, whole.subblocks[1]! + 288 + 400);
  equal((await referenceOf(image, cut)).path, null);
  // The first one counts, and without an image there is nothing to draw it on.
  const first = embedded([["X", 0, 101], ["Y", 0, 2]], METRES);
  const second = embedded([["X", 0, 102], ["Y", 0, 2]], [...METRES, 0, 0]);
  equal((await referenceOf(image, first, second)).path?.x.length, 101);
  deepEqual(await referenceOf(first), { size: null, channels: 0, path: null, warnings: [] });
});

Deno.test("lists scenes by rank, with names and sizes", async () => {
  const { scenes, sceneCount, scene } = (await loadHere(fixture("upside_down_mosaic"))).summary;
  const sizes = { Z: 2, Y: 8, X: 24 };
  deepEqual([sceneCount, scene, scenes], [2, 0, [{ name: "left", sizes }, { name: "right", sizes }]]);
});

Deno.test("names samples, and warns about unusual subblocks", async () => {
  const of = async (name: string) => (await loadHere(fixture(name))).summary;
  const names = {
    lib_bgr48: "First Red,First Green,First Blue,Second Red,Second Green,Second Blue",
    bgra32: "Red,Green,Blue,Alpha",
  };
  for (const [file, listed] of Object.entries(names)) {
    equal((await of(file)).channels.map(({ name }) => name).join(), listed);
  }
  const codes = {
    airyscan_phases: ["axis_reduced"],
    masked: ["area_uncovered", "area_uncovered"],
    fewer_rows: ["samples_doubtful"],
    pyramid: [],
  };
  for (const [file, listed] of Object.entries(codes)) {
    deepEqual(codesOf((await of(file)).warnings), listed, file);
  }
});

Deno.test("opens a split document by any of its files", async () => {
  for (const name of ["split", "split (1)", "split(2)"]) {
    const { summary, planes } = await loadHere(fixture(name));
    equal(summary.axes[0]?.size, 3);
    equal(planes[0]![1], 7);
    equal(
      summary.fileSize,
      ["split", "split (1)", "split(2)"].reduce((sum, part) => sum + Deno.statSync(fixture(part)).size, 0),
    );
  }
  const read = (name: string) => Deno.readFileSync(fixture(name));
  await withFiles({ "a.czi": read("split"), "a(1).czi": read("split(2)") }, async (path) => {
    const { summary } = await loadHere(path);
    // Part 2 under the name of part 1 is neither.
    deepEqual(codesOf(summary.warnings), ["file_missing"]);
    const missing = /part 1 of the split document, which holds a subblock of it, is missing/;
    await openHere(path, (acquisition) => rejects(planesAt(acquisition, { t: 1 }), missing));
  });
  await withFiles({ "b (1).czi": read("split (1)"), "c.czi": read("split (1)") }, async (_, folder) => {
    await rejects(
      loadHere(`${folder}/b (1).czi`),
      /part 1 of a split document, whose first file, "b\.czi", is not beside/,
    );
    await rejects(loadHere(`${folder}/c.czi`), /part 1 of a split document, whose first file is not beside/);
  });
});

/** Samples that tell where they belong. */
const sample = (c: number, t: number, z: number, y: number, x: number) =>
  c * 20_000 + t * 3000 + z * 700 + y * 40 + x;

Deno.test("reads any order of dimensions, starts, chunks of time and compression", async () => {
  const start = fc.integer({ min: -1000, max: 1000 });
  const layout = fc.record({
    order: fc.shuffledSubarray([..."YZCT"], { minLength: 4, maxLength: 4 }),
    columnsAt: fc.nat(4),
    starts: fc.tuple(start, start, start, fc.nat(5), start),
    sizes: fc.tuple(...[9, 5, 2, 2, 5].map((max) => fc.integer({ min: 1, max }))),
    chunk: fc.integer({ min: 1, max: 5 }),
    compression: fc.constantFrom(0, 5, 6),
  });
  await fc.assert(
    fc.asyncProperty(layout, async ({ order, columnsAt, starts, sizes, chunk, compression }) => {
      const letters = order.toSpliced(columnsAt, 0, "X");
      const [X, Y, Z, C, T] = sizes as [number, number, number, number, number];
      const height = Y + 1;
      const subblocks: WrittenSubblock[] = [];
      for (let t = 0; t < T; t += chunk) {
        for (let c = 0; c < C; c += 1) {
          const spans: Record<string, [number, number]> = {
            ...{ X: [0, X], Y: [0, height], Z: [0, Z], C: [c, 1], T: [t, Math.min(chunk, T - t)] },
          };
          const dims = letters.map((letter): WrittenDimension => {
            const [first, size] = spans[letter]!;
            return [letter, first + starts["XYZCT".indexOf(letter)]!, size];
          });
          const count = dims.reduce((product, [, , size]) => product * size, 1);
          const values = Uint16Array.from({ length: count }, (_, index) => {
            const at: Record<string, number> = {};
            for (const letter of letters) {
              const [first, size] = spans[letter]!;
              at[letter] = first + index % size;
              index = Math.floor(index / size);
            }
            return sample(at["C"]!, at["T"]!, at["Z"]!, at["Y"]!, at["X"]!);
          });
          subblocks.push({ dims, compression, data: coded(new Uint8Array(values.buffer), compression) });
        }
      }
      await openBytes("a.czi", writeCzi({ subblocks, front: true }).bytes, async (acquisition) => {
        equal(acquisition.channels.length, C);
        for (let t = 0; t < T; t += 1) {
          for (let z = 0; z < Z; z += 1) {
            const planes = await planesAt(acquisition, { t, z });
            planes.forEach((plane, c) =>
              deepEqual(
                [...plane],
                Array.from({ length: X * height }, (_, i) => sample(c, t, z, Math.floor(i / X), i % X)),
              )
            );
          }
        }
      });
    }),
    { numRuns: 150, seed: 11 },
  );
});

function coded(samples: Uint8Array, compression: number): Uint8Array {
  if (compression === 0) return samples;
  if (compression === 5) return zstdCompressSync(samples);
  const half = samples.length / 2;
  const split = Uint8Array.from(
    { length: 2 * half },
    (_, i) => samples[i < half ? 2 * i : 2 * (i - half) + 1]!,
  );
  return new Uint8Array([3, 1, 1, ...zstdCompressSync(split)]);
}

Deno.test("reads subblocks that span some of the channels", async () => {
  const block = (c: number, size: number): WrittenSubblock => ({
    dims: [["X", 0, 3], ["Y", 0, 2], ["C", c, size]],
    data: ramp16(6 * size, 100 * c),
  });
  await openBytes("a.czi", writeCzi({ subblocks: [block(7, 3), block(5, 2)] }).bytes, async (acquisition) => {
    equal(acquisition.channels.length, 5);
    const firsts = (planes: Float32Array[]) => planes.map((plane) => [plane[0], plane[5]]);
    deepEqual(firsts(await planesAt(acquisition)), [
      ...[[500, 505], [506, 511]],
      ...[[700, 705], [706, 711], [712, 717]],
    ]);
    deepEqual(firsts(await planesAt(acquisition, {}, { channels: [3, 1] })), [[706, 711], [506, 511]]);
  });
});

Deno.test("decodes a stream as long as its pixels", async () => {
  const dims: WrittenDimension[] = [["X", 0, 8], ["Y", 0, 8]];
  const values = ramp16(64, 0);
  // A skippable frame (RFC 8878, section 3.1.2) brings the stream to the 128 bytes of the pixels.
  const stream = zstdCompressSync(values);
  const data = padded(concat(stream, words(0x184d2a50, 128 - stream.length - 8)), 128);
  await openBytes(
    "a.czi",
    writeCzi({ subblocks: [{ dims, data, compression: 5 }] }).bytes,
    async (acquisition) => {
      deepEqual([...(await planesAt(acquisition))[0]!], Array.from({ length: 64 }, (_, i) => i));
    },
  );
});

Deno.test("reads time stamps in seconds or days, and ignores unusable ones", async () => {
  const frame = (t: number): WrittenSubblock => ({
    dims: [["X", 0, 4], ["Y", 0, 4], ["T", t, 1]],
    data: ramp16(16, 0),
  });
  const read = async (stamps: readonly number[], first = 0) => {
    const content = concat(words(0, stamps.length), doubles(...stamps));
    const attachments = [{ name: "TimeStamps", type: "CZTIMS", content }];
    const made = writeCzi({ subblocks: [0, 1, 2].map((t) => frame(first + t)), attachments });
    const { axes, times } = (await loadBytes("a.czi", made.bytes)).summary;
    return [axes[0]!.step, axes[0]!.unit, times];
  };
  deepEqual(await read([1613.5, 1614, 1615.5]), [1, "seconds", [0, 0.5, 2]]);
  // The stamps of the stored time points.
  deepEqual(await read([0, 100, 101, 103], 1), [1.5, "seconds", [0, 1, 3]]);
  deepEqual(await read([1, 3]), [2, "seconds", null]);
  for (const stamps of [[1], [], [0, NaN, Infinity]]) {
    deepEqual(await read(stamps), [1, "Pixels", null], `${stamps}`);
  }
  deepEqual(await read([5, 5, 5]), [1, "Pixels", [0, 0, 0]]);
  deepEqual(await read([3, 2, 1]), [1, "Pixels", [0, -1, -2]]);
  // 2^-20 days are 0.08239746 s.
  deepEqual(await read([45_000, 45_000 + 2 ** -20, 45_000 + 2 ** -19]), [
    86_400 * 2 ** -20,
    "seconds",
    [0, 86_400 * 2 ** -20, 86_400 * 2 ** -19],
  ]);
});

Deno.test("warns about more or fewer time stamps than time points", async () => {
  const frame = (t: number): WrittenSubblock => ({
    dims: [["X", 0, 4], ["Y", 0, 4], ["T", t, 1]],
    data: ramp16(16, 0),
  });
  for (
    const [count, first, codes] of [[3, 0, []], [4, 1, []], [6, 0, ["metadata_disagree"]], [2, 0, [
      "metadata_disagree",
    ]]] as const
  ) {
    const stamps = Array.from({ length: count }, (_, i) => i);
    const content = concat(words(0, stamps.length), doubles(...stamps));
    const attachments = [{ name: "TimeStamps", type: "CZTIMS", content }];
    const made = writeCzi({ subblocks: [0, 1, 2].map((t) => frame(first + t)), attachments });
    deepEqual(codesOf((await loadBytes("a.czi", made.bytes)).summary.warnings), codes, `${count} stamps`);
  }
});

Deno.test("warns about several subblocks at one place, and serves the last one", async () => {
  const at = (first: number, ...dims: WrittenDimension[]): WrittenSubblock => ({
    dims: [["X", 0, 4], ["Y", 0, 4], ...dims],
    data: ramp16(16, first),
  });
  const seen = async (...subblocks: WrittenSubblock[]) => {
    const { summary, planes } = await loadBytes("a.czi", writeCzi({ subblocks }).bytes);
    return [planes.map(([first]) => first), codesOf(summary.warnings)];
  };
  deepEqual(await seen(at(10, ["C", 0, 1]), at(20, ["C", 1, 1]), at(30, ["C", 0, 1])), [[30, 20], [
    "planes_repeated",
  ]]);
  deepEqual(await seen(at(10, ["C", 0, 1]), at(20, ["C", 1, 1])), [[10, 20], []]);
  // Tiles at one place, and tiles of one number at several.
  deepEqual(await seen(at(10, ["M", 0, 1]), at(20, ["M", 1, 1])), [[20], ["planes_repeated"]]);
  const beside: WrittenSubblock = { dims: [["X", 4, 4], ["Y", 0, 4], ["M", 0, 1]], data: ramp16(16, 20) };
  deepEqual(await seen(at(10, ["M", 0, 1]), beside), [[10], []]);
});

Deno.test("reads rows of a section as focus planes, and of a line scan as time points", async () => {
  const row = (t: number, z: number, chunk = 1): WrittenSubblock => ({
    dims: [["X", 0, 5], ["Y", 0, 1], ["Z", z, 1], ["T", t, chunk]],
    data: ramp16(5 * chunk, 100 * t + 10 * z),
  });
  const section = writeCzi({ subblocks: [0, 1].flatMap((t) => [0, 1, 2].map((z) => row(t, z))) });
  await openBytes("a.czi", section.bytes, async (acquisition) => {
    deepEqual(acquisition.axes.map(({ name, size }) => [name, size]), [["T", 2], ["Y", 3], ["X", 5]]);
    deepEqual(codesOf(acquisition.warnings), ["axis_replaced"]);
    equal((await planesAt(acquisition, { t: 1 }))[0]![14], 124);
  });
  const scan = writeCzi({ subblocks: [0, 1].flatMap((z) => [0, 4].map((t) => row(t, z, 4))) });
  await openBytes(
    "a.czi",
    scan.bytes,
    (acquisition) =>
      deepEqual(acquisition.axes.map(({ name, size }) => [name, size]), [["Z", 2], ["Y", 8], ["X", 5]]),
  );
});

Deno.test("omits an axis of one index, and lists XML attachments as documents", async () => {
  const subblocks: WrittenSubblock[] = [{
    dims: [["X", 0, 4], ["Y", 0, 4], ["H", 3, 1], ["V", 0, 1]],
    data: ramp16(16, 5),
  }];
  const xml = "<ImageDocument><Metadata/></ImageDocument>";
  const experiment = "<Experiment/>";
  const content = new TextEncoder().encode(experiment);
  const made = writeCzi({ subblocks, xml, attachments: [{ name: "Experiment", type: "CZEXP", content }] });
  await openBytes("a.czi", made.bytes, async (acquisition) => {
    deepEqual(codesOf(acquisition.warnings), []);
    equal((await planesAt(acquisition))[0]![15], 20);
    deepEqual(collectDocuments(acquisition).map(({ name, text }) => [name, text]), [
      ["metadata", xml],
      ["Experiment", experiment],
    ]);
  });
});

Deno.test("reads only the directory and the plane", async () => {
  const subblocks = Array.from({ length: 500 }, (_, t): WrittenSubblock => ({
    dims: [["X", 0, 32], ["Y", 0, 32], ["T", t, 1]],
    data: ramp16(1024, t),
  }));
  const files = new FileAccess();
  await withFiles(
    { "a.czi": writeCzi({ subblocks, front: true }).bytes },
    (path) =>
      openHere(
        path,
        async (acquisition) => {
          equal((await planesAt(acquisition, { t: 321 }))[0]![1023], 321 + 1023);
          // 500 entries of 92 bytes, 2048 bytes of samples; heads of segments.
          ok(files.counts.bytes < 500 * 92 + 2048 + 2000, `${files.counts.bytes} bytes`);
        },
        null,
        files,
      ),
  );
});

Deno.test("JPEG XR keeps no handlers, and is rejected if its parts disagree", async () => {
  const handlers = () =>
    ["uncaughtException", "unhandledRejection"].map((name) => process.listenerCount(name));
  const before = handlers();
  const path = fixture("jpegxr_gray8");
  await loadHere(path);
  deepEqual(handlers(), before);
  const bytes = Deno.readFileSync(path);
  const text = Buffer.from(bytes).toString("latin1");
  const [stream, container] = [text.indexOf("WMPHOTO\0"), text.indexOf("II\xbc\x01")];
  const tag = (low: number) => text.indexOf(String.fromCharCode(low, 0xbc), container + 8);
  const cases: [Uint8Array, RegExp][] = [
    [patched(bytes, [stream, 1, 0]), /codestream has no signature/],
    [patched(bytes, [stream + 12, 1, 0x7f]), /is damaged JPEG XR: it is/],
    [patched(bytes, [tag(0x80) + 8, 4, 36]), /it is 36 x 19 and its codestream 35 x 19/],
    [patched(bytes, [tag(0x80) + 8, 4, 34]), /it is 34 x 19, not 35 x 19/],
    [patched(bytes, [tag(0x81) + 8, 4, 0x7fffffff]), /2147483647, not 35 x 19/],
    [patched(bytes, [container + 4, 4, 0x7fffffff]), /directory lies outside/],
    [patched(bytes, [container + 3, 1, 9]), /does not start as JPEG XR/],
  ];
  for (const [damaged, message] of cases) {
    await refused("a.czi", damaged, message);
  }
});
