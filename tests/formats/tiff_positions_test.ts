/** Every position of stacks of pages in the order of each dialect: page n is filled with n. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Acquisition } from "../../readers/reader.ts";
import { microManagerBytes, type MicroManagerPlane } from "../fixtures/micromanager_writer.ts";
import { entryAt, type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsAt, sizesIn } from "../planes.ts";
import { withOpened } from "../temporary_files.ts";

const PAGE = grayLayout(5, 4, 16);

const pages = (count: number, ...fields: Field[]) =>
  tiffBytes(PAGE, (_x, _y, _s, page) => BigInt(page), count, fields);

/** Checks all planes of 3 frames, 4 slices and 2 channels against the page that holds them. */
async function checkAll(acquisition: Acquisition, pageOf: (t: number, z: number, c: number) => number) {
  equal(sizesIn(acquisition), "T3 C2 Z4");
  for (let t = 0; t < 3; t += 1) {
    for (let z = 0; z < 4; z += 1) {
      deepEqual(await firstsAt(acquisition, { t, z }), [pageOf(t, z, 0), pageOf(t, z, 1)], `${t} ${z}`);
    }
  }
}

Deno.test("OME-XML: each dimension order", async () => {
  const sizes = { Z: 4, C: 2, T: 3 };
  for (const order of ["ZCT", "ZTC", "CZT", "CTZ", "TZC", "TCZ"]) {
    const xml =
      `<OME><Image ID="Image:0"><Pixels DimensionOrder="XY${order}" SizeX="5" SizeY="4" SizeZ="4" ` +
      `SizeC="2" SizeT="3" Type="uint16"><TiffData/></Pixels></Image></OME>`;
    await withOpened(
      { "a.ome.tif": pages(24, [270, 2, xml]) },
      (acquisition) =>
        checkAll(acquisition, (T, Z, C) => {
          const [a, b, c] = [...order] as ("Z" | "C" | "T")[];
          const at = { T, Z, C };
          return at[a!] + sizes[a!] * (at[b!] + sizes[b!] * at[c!]);
        }),
    );
  }
});

Deno.test("OME-XML without TiffData: directories in the dimension order, as many as there are planes", async () => {
  const xml =
    `<OME><Image ID="Image:0"><Pixels DimensionOrder="XYCZT" SizeX="5" SizeY="4" SizeZ="4" SizeC="2" ` +
    `SizeT="3" Type="uint16"/></Image></OME>`;
  for (const [count, codes] of [[23, ["planes_missing"]], [24, []], [25, ["content_left_out"]]] as const) {
    await withOpened({ "a.ome.tif": pages(count, [270, 2, xml]) }, async (acquisition) => {
      if (count > 23) await checkAll(acquisition, (t, z, c) => (t * 4 + z) * 2 + c);
      deepEqual(codesOf(acquisition.warnings), codes);
    });
  }
});

Deno.test("ImageJ: channels, then slices, then frames", () => {
  const text = "ImageJ=1.53t\nimages=24\nchannels=2\nslices=4\nframes=3\nhyperstack=true\n";
  return withOpened(
    { "a.tif": pages(24, [270, 2, text]) },
    (acquisition) => checkAll(acquisition, (t, z, c) => (t * 4 + z) * 2 + c),
  );
});

Deno.test("ScanImage: frames of each slice, or volumes of all slices", async () => {
  const fields = (stack: string[]) =>
    ["SI.VERSION_MAJOR = 2016", "SI.hChannels.channelSave = [1;2]", ...stack].join("\n");
  const slices = fields(["SI.hStackManager.framesPerSlice = 3", "SI.hStackManager.numSlices = 4"]);
  await withOpened(
    { "a.tif": pages(24, [305, 2, slices]) },
    (acquisition) => checkAll(acquisition, (t, z, c) => (z * 3 + t) * 2 + c),
  );
  const volumes = fields([
    "SI.hStackManager.framesPerSlice = 1",
    "SI.hStackManager.numSlices = 4",
    "SI.hFastZ.enable = true",
    "SI.hFastZ.numFramesPerVolume = 4",
    "SI.hFastZ.numVolumes = 3",
  ]);
  await withOpened(
    { "a.tif": pages(24, [305, 2, volumes]) },
    (acquisition) => checkAll(acquisition, (t, z, c) => (t * 4 + z) * 2 + c),
  );
});

Deno.test("Micro-Manager: planes lie where the index map says, in several files", async () => {
  const summary = { Frames: 3, Slices: 4, Channels: 2, Positions: 2 };
  const number = (t: number, z: number, c: number) => 100 * t + 10 * z + c;
  // Frames backwards; of each plane a second position follows.
  const planes = [2, 1, 0].flatMap((t) =>
    [0, 1, 2, 3].flatMap((z) =>
      [1, 0].flatMap((c): MicroManagerPlane[] => [[c, z, t, 0, number(t, z, c)], [c, z, t, 1, 999]])
    )
  );
  const part = (of: readonly MicroManagerPlane[]) => microManagerBytes(PAGE, summary, of);
  await withOpened(
    { "a_MMStack.ome.tif": part(planes.slice(0, 20)), "a_MMStack_1.ome.tif": part(planes.slice(20)) },
    async (acquisition) => {
      deepEqual(codesOf(acquisition.warnings), []);
      await checkAll(acquisition, number);
    },
  );
  await withOpened({ "a_MMStack.ome.tif": part(planes.slice(0, 20)) }, async (acquisition) => {
    deepEqual(codesOf(acquisition.warnings), ["planes_missing"]);
    await rejects(firstsAt(acquisition, { t: 0 }), /the plane T=0 C=0 Z=0 is in no index map/);
    deepEqual(await firstsAt(acquisition, { t: 2, z: 3 }), [number(2, 3, 0), number(2, 3, 1)]);
  });
});

Deno.test("Micro-Manager: an index beyond what a file can hold is left out", async () => {
  for (const [frame, kept] of [[(1 << 20) - 1, true], [1 << 20, false]] as const) {
    const bytes = microManagerBytes(PAGE, {}, [[0, 0, 0, 0, 1], [0, 0, frame, 0, 2]]);
    await withOpened({ "a_MMStack.ome.tif": bytes }, ({ axes, warnings }) => {
      equal(axes.find(({ name }) => name === "T")?.size ?? 1, kept ? frame + 1 : 1);
      equal(codesOf(warnings)[0], kept ? "planes_missing" : "content_left_out");
    });
  }
});

Deno.test("Micro-Manager: metadata of pages replace the index map", async () => {
  const unfinished = (channel: number) =>
    microManagerBytes(PAGE, {}, [[1, 0, 0, 0, 11], [channel, 0, 0, 0, 10]], {
      described: true,
      indexed: false,
    });
  await withOpened({ "a_MMStack.ome.tif": unfinished(0) }, async (acquisition) => {
    deepEqual(await firstsAt(acquisition, {}), [10, 11]);
  });
  // With an invalid index the pages are slices.
  for (const channel of [-1, 0.5]) {
    await withOpened({ "a_MMStack.ome.tif": unfinished(channel) }, ({ axes }) => {
      equal(axes.map(({ name, size }) => `${name}${size}`).join(" "), "Z2 Y4 X5");
    });
  }
});

Deno.test("Olympus: slices and frames in files of their own", () => {
  const written = Object.fromEntries([0, 1, 2].flatMap((t) =>
    [0, 1, 2, 3].flatMap((z) =>
      [0, 1].map((c) => [
        `s_C00${c + 1}Z00${z + 1}T00${t + 1}.tif`,
        tiffBytes(PAGE, () => BigInt(100 * t + 10 * z + c), 1),
      ])
    )
  ));
  return withOpened(written, (acquisition) => checkAll(acquisition, (t, z, c) => 100 * t + 10 * z + c));
});

Deno.test("pages without a dialect are slices, except reduced ones before the first", async () => {
  await withOpened({ "a.tif": pages(4) }, async (acquisition) => {
    for (let z = 0; z < 4; z += 1) deepEqual(await firstsAt(acquisition, { z }), [z]);
  });
  const reduced = tiffBytes(PAGE, () => 7n, 2, [[254, 4, [1]]]);
  await withOpened({ "a.tif": reduced }, async (acquisition) => {
    deepEqual(await firstsAt(acquisition, {}), [7]);
  });
  // One that is as large as the planes is one of them.
  const marked = tiffBytes(
    PAGE,
    (_x, _y, _s, page) => BigInt(page),
    3,
    (page) => [[254, 4, [page === 0 ? 1 : 0]]],
  );
  await withOpened({ "a.tif": marked }, async (acquisition) => {
    for (let z = 0; z < 3; z += 1) deepEqual(await firstsAt(acquisition, { z }), [z]);
  });
  // Bit 0 of NewSubfileType marks a reduced page, bit 2 a mask, bit 1 a page of several.
  for (const [kind, firsts] of [[1, [1, 2]], [4, [1, 2]], [2, [0]]] as const) {
    const mixed = tiffBytes(
      PAGE,
      (_x, _y, _s, page) => BigInt(page),
      3,
      (page) => page === 0 ? [[254, 4, [kind]], [256, 4, [3]]] : [],
    );
    await withOpened({ "a.tif": mixed }, async (acquisition) => {
      for (const [z, first] of firsts.entries()) deepEqual(await firstsAt(acquisition, { z }), [first]);
      equal(acquisition.axes.find(({ name }) => name === "Z")?.size ?? 1, firsts.length);
    });
  }
});

Deno.test("leaves pages of another layout out of the stack", async () => {
  const layout = { ...PAGE, samples: 3, rowsPerStrip: 4 };
  const file = (own: Field[], ...other: Field[]) =>
    tiffBytes(layout, (_x, _y, _s, page) => BigInt(page), 3, (page) => page === 1 ? other : own);
  // Columns, rows, samples, bits, format, planar configuration, photometric interpretation.
  const different: Field[][] = [
    [[256, 4, [4]]],
    [[257, 4, [3]], [278, 4, [3]]],
    [[277, 3, [2]]],
    [[258, 3, [8]]],
    [[258, 3, [16, 16, 16, 16]]],
    [[339, 3, [2]]],
    [[284, 3, [2]], [278, 4, [4]], [273, 4, [8, 8, 8]], [279, 4, [40, 40, 40]]],
    [[262, 3, [2]]],
  ];
  const single: Field[] = [[258, 3, [16]], [339, 3, [1]]];
  for (const fields of different) {
    await withOpened({ "a.tif": file(single, ...single, ...fields) }, async (acquisition) => {
      equal(acquisition.axes.find(({ name }) => name === "Z")?.size, 2, JSON.stringify(fields));
      deepEqual(await firstsAt(acquisition, { z: 1 }), [2, 2, 2]);
    });
  }
  // The bits of two samples stand in the directory itself.
  const two = tiffBytes(
    { ...layout, samples: 2 },
    () => 1n,
    3,
    (page) => page === 1 ? [[258, 3, [8, 8]]] : [],
  );
  await withOpened({ "a.tif": two }, ({ axes }) => {
    equal(axes.find(({ name }) => name === "Z")?.size, 2);
    return Promise.resolve();
  });
  // A page whose layout is damaged keeps its place.
  const damaged = tiffBytes(
    PAGE,
    (_x, _y, _s, page) => BigInt(page),
    3,
    (page) => page === 1 ? [[277, 3, []]] : [],
  );
  await withOpened({ "a.tif": damaged }, async (acquisition) => {
    deepEqual(await firstsAt(acquisition, { z: 2 }), [2]);
    await rejects(firstsAt(acquisition, { z: 1 }), /no number for SamplesPerPixel/);
  });
  // A tag that is left out has its default: one sample of one bit, unsigned, chunky, with 0 for black.
  for (const tag of [277, 258, 339, 284, 262]) {
    const bytes = tiffBytes({ ...PAGE, bits: 1 }, (_x, _y, _s, page) => BigInt(page % 2), 3);
    new DataView(bytes.buffer).setUint16(entryAt(bytes, tag, 1), 65_000, true);
    await withOpened({ "a.tif": bytes }, async (acquisition) => {
      equal(acquisition.axes.find(({ name }) => name === "Z")?.size, 3, `${tag}`);
      deepEqual(await firstsAt(acquisition, { z: 1 }), [1]);
    });
  }
});
