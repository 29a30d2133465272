/** Every position of stacks of pages in the order of each dialect, in which page n is filled with n, and missing planes. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Acquisition } from "../../readers/reader.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { directoryAt, entryAt, type Field, filledPages as pages } from "../fixtures/tiff_writer.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { type At, firstsAt, sizesIn } from "../planes.ts";
import { withOpened } from "../temporary_files.ts";

const PAGE = grayLayout(5, 4, 16);

/** Checks all planes of 3 frames, 4 slices and 2 channels against the page that holds them. */
async function checkAll(acquisition: Acquisition, pageOf: (t: number, z: number, c: number) => number) {
  equal(sizesIn(acquisition), "T3 C2 Z4");
  for (let t = 0; t < 3; t += 1) {
    for (let z = 0; z < 4; z += 1) {
      deepEqual(await firstsAt(acquisition, { t, z }), [pageOf(t, z, 0), pageOf(t, z, 1)], `${t} ${z}`);
    }
  }
}

const pixelsOf = (order: string, content = "") =>
  omeXml(
    omeImage({ DimensionOrder: `XY${order}`, SizeX: 5, SizeY: 4, SizeZ: 4, SizeC: 2, SizeT: 3 }, content),
  );

Deno.test("OME-XML: each dimension order", async () => {
  const sizes = { Z: 4, C: 2, T: 3 };
  for (const order of ["ZCT", "ZTC", "CZT", "CTZ", "TZC", "TCZ"]) {
    const xml = pixelsOf(order, "<TiffData/>");
    await withOpened(
      { "a.ome.tif": pages(24, [[270, 2, xml]]) },
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
  const xml = pixelsOf("CZT");
  for (const [count, codes] of [[23, ["planes_missing"]], [24, []], [25, ["content_left_out"]]] as const) {
    await withOpened({ "a.ome.tif": pages(count, [[270, 2, xml]]) }, async (acquisition) => {
      if (count > 23) await checkAll(acquisition, (t, z, c) => (t * 4 + z) * 2 + c);
      deepEqual(codesOf(acquisition.warnings), codes);
    });
  }
});

Deno.test("OME-XML without TiffData: as many Plane elements as pages say where these belong", async () => {
  const places = [[2, 3, 1], [0, 0, 0], [1, 2, 0]] as const;
  const planes = places.map(([t, z, c]) => `<Plane TheT="${t}" TheZ="${z}" TheC="${c}"/>`).join("");
  const xml = pixelsOf("ZCT", planes);
  await withOpened({ "a.ome.tif": pages(3, [[270, 2, xml]], 50) }, async (acquisition) => {
    for (const [page, [t, z, c]] of places.entries()) {
      deepEqual(await firstsAt(acquisition, { t, z }, [c]), [50 + page]);
    }
    equal(acquisition.holds!(0, { t: 0, z: 1, l: 0 }), false);
    deepEqual(codesOf(acquisition.warnings), ["planes_missing"]);
  });
  // Fewer elements than pages: the order of dimensions counts.
  await withOpened({ "a.ome.tif": pages(4, [[270, 2, xml]], 50) }, async (acquisition) => {
    deepEqual(await firstsAt(acquisition, { z: 3 }, [0]), [53]);
  });
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

Deno.test("reads pages without a dialect as slices, except reduced ones before the first", async () => {
  await withOpened({ "a.tif": pages(4) }, async (acquisition) => {
    for (let z = 0; z < 4; z += 1) deepEqual(await firstsAt(acquisition, { z }), [z]);
  });
  const reduced = tiffBytes(PAGE, () => 7n, 2, [[254, 4, [1]]]);
  await withOpened({ "a.tif": reduced }, async (acquisition) => {
    deepEqual(await firstsAt(acquisition, {}), [7]);
  });
  // One that is as large as the planes is one of them.
  const marked = pages(3, (page) => [[254, 4, [page === 0 ? 1 : 0]]]);
  await withOpened({ "a.tif": marked }, async (acquisition) => {
    for (let z = 0; z < 3; z += 1) deepEqual(await firstsAt(acquisition, { z }), [z]);
  });
  // Bit 0 of NewSubfileType marks a reduced page, bit 2 a mask, bit 1 a page of several.
  for (const [kind, firsts] of [[1, [1, 2]], [4, [1, 2]], [2, [0]]] as const) {
    const mixed = pages(3, (page) => page === 0 ? [[254, 4, [kind]], [256, 4, [3]]] : []);
    await withOpened({ "a.tif": mixed }, async (acquisition) => {
      for (const [z, first] of firsts.entries()) deepEqual(await firstsAt(acquisition, { z }), [first]);
      equal(acquisition.axes.find(({ name }) => name === "Z")?.size ?? 1, firsts.length);
    });
  }
});

Deno.test("leaves pages of another layout out of the stack", async () => {
  const layout = { ...PAGE, samples: 3, rowsPerStrip: 4 };
  const file = (own: Field[], ...other: Field[]) => pages(3, (page) => page === 1 ? other : own, 0, layout);
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
  // A page whose layout is damaged keeps its place.
  const damaged = pages(3, (page) => page === 1 ? [[277, 3, []]] : []);
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

/** Pages filled with their number; `text` is ImageDescription of each. */
const described = (count: number, text: string) => pages(count, [[270, 2, text]]);

/** First sample of a channel. */
const firstAt = async (acquisition: Acquisition, at: At) => (await firstsAt(acquisition, at, [0]))[0];

const missing = (found: Promise<unknown>, message: RegExp) =>
  rejects(found, { tag: "plane_not_found", message });
const damaged = (found: Promise<unknown>, message: RegExp) =>
  rejects(found, { tag: "decode_failed", message });

const IMAGEJ = "ImageJ=1.53t\nimages=4\nframes=4\n";

/** Makes the strip of a page begin elsewhere. */
const moveStrip = (bytes: Uint8Array<ArrayBuffer>, page: number, offset: number) =>
  new DataView(bytes.buffer).setUint32(entryAt(bytes, 273, page) + 8, offset, true);

Deno.test("reports planes after the end of the chain as missing", async () => {
  const whole = described(4, IMAGEJ);
  // Before the last directory, after its count, before its last byte.
  const at = directoryAt(whole, 3);
  const cut = [at, at + 1, at + 2, whole.length - 1].map((end) => whole.slice(0, end));
  for (const bytes of [described(3, IMAGEJ), ...cut]) {
    await withOpened({ "a.tif": bytes }, async (acquisition) => {
      equal(await firstAt(acquisition, { t: 2 }), 2);
      for (let again = 0; again < 2; again += 1) {
        await missing(firstAt(acquisition, { t: 3 }), /plane 3 is missing: the file holds 3 planes, 4 are/);
      }
    });
  }
});

Deno.test("rejects samples past the end of the file", async () => {
  const bytes = described(4, IMAGEJ);
  moveStrip(bytes, 2, bytes.length);
  await withOpened(
    { "a.tif": bytes },
    (acquisition) => damaged(firstAt(acquisition, { t: 2 }), /strip 0 at \d+ \+ 40 ends after/),
  );
});

Deno.test("accepts an incomplete last plane of several with one directory", async () => {
  const first = described(1, IMAGEJ);
  // A plane has 5 x 4 x 2 bytes; the samples begin at 8, so the directory moves after them.
  const run = (planes: number) => {
    const bytes = new Uint8Array(first.length + 40 * (planes - 1));
    bytes.set(first);
    moveStrip(bytes, 0, first.length - 40);
    return { "a.tif": bytes };
  };
  await withOpened(run(2), async (acquisition) => {
    await firstAt(acquisition, { t: 1 });
    await missing(firstAt(acquisition, { t: 2 }), /plane 2 is missing: the file holds 2 planes, 3 are/);
  });
  await withOpened(run(2.5), async (acquisition) => {
    await damaged(firstAt(acquisition, { t: 2 }), /ends after the file/);
    await missing(firstAt(acquisition, { t: 3 }), /plane 3 is missing: the file holds 3 planes, 4 are/);
  });
});

Deno.test("reports planes of missing files as missing", async () => {
  const xml = (...data: string[]) => omeXml(omeImage({ SizeX: 5, SizeY: 4, SizeT: 3 }, data), 0);
  const apart = xml(...["a.ome.tif", "b.ome.tif"].map((name, t) => tiffData({ FirstT: t }, name, t)));
  await withOpened({ "a.ome.tif": described(1, apart) }, async (acquisition) => {
    equal(await firstAt(acquisition, {}), 0);
    await missing(firstAt(acquisition, { t: 1 }), /T=1 C=0 Z=0 is in "b\.ome\.tif", which is missing/);
    await missing(firstAt(acquisition, { t: 2 }), /OME-XML names no directory for the plane T=2/);
  });
  const beyond = xml('<TiffData IFD="0" PlaneCount="2"/><TiffData FirstT="2" IFD="9"/>');
  await withOpened({ "a.ome.tif": described(2, beyond) }, async (acquisition) => {
    equal(await firstAt(acquisition, { t: 1 }), 1);
    await missing(firstAt(acquisition, { t: 2 }), /the plane T=2 C=0 Z=0 is missing: the chain/);
  });
});
