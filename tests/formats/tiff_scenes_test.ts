/** Scenes of a TIFF: images of OME-XML, positions of Micro-Manager, arrays of tifffile, layouts of pages. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { type Acquisition, type Scenes, sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { microManagerBytes, type MicroManagerPlane } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { type Field, filledPages, grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsAt } from "../planes.ts";
import { type Files, withFiles } from "../temporary_files.ts";

const PAGE = grayLayout(5, 4, 16);

const pages = (count: number, fields: (page: number) => Field[], from = 0) =>
  filledPages(count, fields, from);

type Use = (scenes: Scenes, open: (scene: number) => Promise<Acquisition>) => void | Promise<void>;

async function withScenes(path: string, use: Use): Promise<void> {
  using files = new FileAccess();
  const { scenes } = await openChosen(await chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null);
  await use(scenes, (scene) => scenes.open(scene));
}

/** Opens one of these files in a folder of their own; the first without a name. */
const withWritten = (files: Files, use: Use, name = Object.keys(files)[0]!): Promise<void> =>
  withFiles(files, (_path, folder) => withScenes(join(folder, name), use));

const namesOf = (scenes: Scenes) => scenes.entries(9).map(({ name }) => name);
const sizesOfAll = (scenes: Scenes) => scenes.entries(9).map(({ sizes }) => sizes);

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url));

const SIZE = { SizeX: 5, SizeY: 4 };

/** An image of 5 x 4 pixels whose frames lie where `data` says. */
const image = (name: string, frames: number, data: string) =>
  omeImage({ ...SIZE, SizeT: frames }, ['<Channel SamplesPerPixel="1"/>', data], { Name: name });

const inFile = (t: number, directory: number, file: string) =>
  tiffData({ FirstT: t, IFD: directory }, `${file}.ome.tif`, file);

Deno.test("OME-XML: opens the image of the file in a set", async () => {
  const images = [
    image("first", 2, inFile(0, 0, "a") + inFile(1, 0, "b")),
    image("second", 2, inFile(0, 1, "b") + inFile(1, 0, "c")),
    image("third", 1, inFile(0, 1, "c")),
  ];
  const file = (name: string, from: number, count = 2) =>
    pages(count, () => [[270, 2, omeXml(images, name)]], from);
  const set = { "a.ome.tif": file("a", 10, 1), "b.ome.tif": file("b", 20), "c.ome.tif": file("c", 30) };
  for (const [name, own] of [["a", 0], ["b", 0], ["c", 1]] as const) {
    await withWritten(set, async (scenes, open) => {
      deepEqual([scenes.count, scenes.own], [3, own], name);
      deepEqual(namesOf(scenes), ["first", "second", "third"]);
      const expected = [[10, 20], [21, 30], [31]];
      for (const [scene, firsts] of expected.entries()) {
        const acquisition = await open(scene);
        for (const [t, first] of firsts.entries()) deepEqual(await firstsAt(acquisition, { t }), [first]);
        deepEqual(codesOf(acquisition.warnings), []);
      }
      deepEqual((await open(0)).fileSize, (await open(2)).fileSize);
    }, `${name}.ome.tif`);
  }
});

Deno.test("OME-XML: leaves out images without samples, and names them", () => {
  const images = [
    image("never saved", 1, "<MetadataOnly/>"),
    image("own", 1, '<TiffData IFD="1"/>'),
    image("gone", 1, inFile(0, 0, "gone")),
    image("beyond", 1, '<TiffData IFD="7"/>'),
    image("no plane", 1, '<TiffData IFD="0" PlaneCount="0"/>'),
    image("last", 1, '<TiffData IFD="0"/>'),
  ];
  const bytes = pages(2, () => [[270, 2, omeXml(images, "a")]]);
  return withWritten({ "a.ome.tif": bytes }, async (scenes, open) => {
    deepEqual(namesOf(scenes), ["own", "last"]);
    deepEqual(scenes.warnings.map(({ code, text }) => [code, text]), [
      [
        "scenes_left_out",
        'Images of OME-XML that hold no samples are left out: "never saved", "beyond", "no plane"',
      ],
      ["scenes_left_out", 'Images of OME-XML are left out because their files are missing: "gone"'],
    ]);
    deepEqual([await firstsAt(await open(0)), await firstsAt(await open(1))], [[1], [0]]);
  });
});

Deno.test("OME-XML: rejects an unreadable image, not the others", () => {
  const xml = omeXml([image("good", 1, '<TiffData IFD="0"/>'), image("bad", -1, '<TiffData IFD="1"/>')]);
  return withWritten({ "a.ome.tif": pages(2, () => [[270, 2, xml]]) }, async (scenes, open) => {
    deepEqual(scenes.entries(2)[1], { name: "bad", sizes: {} });
    deepEqual(await firstsAt(await open(0)), [0]);
    await rejects(open(1), /declares SizeT="-1"/);
  });
});

/** Where the frames of an image lie, as `write_tiff` of nd2 writes it. */
const fromPage = (first: number, frames: number) =>
  Array.from({ length: frames }, (_, t) => tiffData({ FirstT: t, IFD: first + t })).join("");

Deno.test("OME-XML: deals pages in order to images that all number them from 0", async () => {
  const frames = [2, 3, 2];
  const written: Record<string, (frames: number) => string> = {
    "one by one": (count) => fromPage(0, count),
    "together": () => "<TiffData/>",
    "not at all": () => "",
  };
  for (const [how, data] of Object.entries(written)) {
    const xml = omeXml(frames.map((count, i) => image(`P${i}`, count, data(count))));
    await withWritten({ "a.ome.tif": pages(7, () => [[270, 2, xml]], 10) }, async (scenes, open) => {
      equal(scenes.count, 3, how);
      const first = await open(0);
      deepEqual(codesOf(first.warnings), ["metadata_disagree"], how);
      match(first.warnings[0]!.text, /"P0", "P1", "P2"$/);
      for (const [scene, from] of [10, 12, 15].entries()) {
        const acquisition = await open(scene);
        for (let t = 0; t < frames[scene]!; t += 1) {
          deepEqual(await firstsAt(acquisition, { t }), [from + t], `${how}, scene ${scene}`);
        }
      }
    });
  }
});

Deno.test("OME-XML: warns about scenes that share pages while others belong to none", async () => {
  const shared = omeXml([image("A", 2, fromPage(0, 2)), image("B", 2, fromPage(1, 2))]);
  await withWritten({ "a.ome.tif": pages(5, () => [[270, 2, shared]]) }, async (_scenes, open) => {
    const { warnings } = await open(1);
    const [doubt] = warnings.filter(({ code }) => code === "metadata_disagree");
    match(doubt!.text, /pages of the file in common.*"A", "B"$/);
    deepEqual(await firstsAt(await open(1)), [1]);
  });
  // Pages that all scenes name, and others in order: nothing is in doubt.
  const clear = [
    [omeXml([image("A", 2, fromPage(0, 2)), image("B", 2, fromPage(0, 2))]), 2],
    [omeXml([image("A", 2, fromPage(0, 2)), image("B", 2, fromPage(2, 2))]), 4],
  ] as const;
  for (const [xml, count] of clear) {
    await withWritten({ "a.ome.tif": pages(count, () => [[270, 2, xml]]) }, async (_scenes, open) => {
      deepEqual(codesOf((await open(0)).warnings), []);
    });
  }
});

Deno.test("OME-XML: takes sizes from the document only if the channels state their samples", () => {
  const rgb = { ...PAGE, samples: 3 };
  const stated = '<Channel SamplesPerPixel="3"/>';
  const channels = [stated, stated, "<Channel/>", ""];
  const xml = omeXml(
    channels.map((channel) => omeImage({ ...SIZE, SizeC: 3 }, [channel, '<TiffData IFD="0"/>'])),
  );
  const bytes = tiffBytes(rgb, () => 1n, 1, [[270, 2, xml], [262, 3, [2]]]);
  return withWritten({ "a.ome.tif": bytes }, async (scenes, open) => {
    const served = { C: 3, Y: 4, X: 5 };
    deepEqual(namesOf(scenes), [null, null, null, null]);
    deepEqual(sizesOfAll(scenes), [served, served, {}, {}]);
    deepEqual(sizesOf((await open(3)).axes), served);
  });
});

/** Planes of `frames` frames at a position, filled with 100 p + t. */
const planesOf = (position: number, frames: number): MicroManagerPlane[] =>
  Array.from({ length: frames }, (_, t) => [0, 0, t, position, 100 * position + t] as const);

Deno.test("Micro-Manager: reads each position as a scene, and opens the first one in the file", async () => {
  const summary = { Frames: 3, Positions: 5, StagePositions: [{ label: "A" }, { Label: "B" }, {}, {}, {}] };
  const set = {
    "x_MMStack.ome.tif": microManagerBytes(PAGE, summary, [...planesOf(0, 3), ...planesOf(1, 2)]),
    "x_MMStack_1.ome.tif": microManagerBytes(PAGE, summary, [...planesOf(1, 3).slice(2), ...planesOf(3, 4)]),
  };
  for (const [name, own] of [["x_MMStack.ome.tif", 0], ["x_MMStack_1.ome.tif", 1]] as const) {
    await withWritten(set, async (scenes, open) => {
      deepEqual([scenes.count, scenes.own], [3, own]);
      deepEqual(scenes.entries(9), [
        { name: "A", sizes: { T: 3, Y: 4, X: 5 } },
        { name: "B", sizes: { T: 3, Y: 4, X: 5 } },
        { name: null, sizes: { T: 4, Y: 4, X: 5 } },
      ]);
      deepEqual(codesOf(scenes.warnings), ["scenes_left_out"]);
      for (const [scene, position] of [0, 1, 3].entries()) {
        const acquisition = await open(scene);
        deepEqual(sizesOf(acquisition.axes), scenes.entries(9)[scene]!.sizes);
        for (let t = 0; t < (position === 3 ? 4 : 3); t += 1) {
          deepEqual(await firstsAt(acquisition, { t }), [100 * position + t]);
        }
      }
    }, name);
  }
});

Deno.test("Micro-Manager: joins a file per position into one set if the summary declares several", async () => {
  const written = (positions: number) => {
    const summary = { Frames: 2, Positions: positions };
    return Object.fromEntries([0, 1, 2].map((p) => [
      `x_MMStack_Pos${p}.ome.tif`,
      microManagerBytes(PAGE, summary, planesOf(p, 2), { described: true }),
    ]));
  };
  await withWritten(written(3), async (scenes, open) => {
    deepEqual([scenes.count, scenes.own, codesOf(scenes.warnings)], [3, 2, []]);
    for (const scene of [0, 1, 2]) {
      const acquisition = await open(scene);
      deepEqual(await firstsAt(acquisition, { t: 1 }), [100 * scene + 1]);
      deepEqual([codesOf(acquisition.warnings), acquisition.fileSize], [[], (await open(0)).fileSize]);
    }
  }, "x_MMStack_Pos2.ome.tif");
  await withWritten(written(1), (scenes) => {
    deepEqual([scenes.count, scenes.own], [1, 0]);
  });
});

Deno.test("Micro-Manager: takes names from first pages when the summary has none", async () => {
  const planes: MicroManagerPlane[] = [[0, 0, 0, 0, 1], [0, 0, 0, 1, 2], [0, 0, 0, 2, 3]];
  // The writer puts JSON of the indices into tag 51123; another text takes its place, padded to its length.
  const bytes = microManagerBytes(PAGE, { Positions: 3 }, planes, { described: true });
  const text = new TextDecoder("latin1").decode(bytes);
  for (const [position, name] of [[0, "left"], [1, "right"]] as const) {
    const old = JSON.stringify({ ChannelIndex: 0, SliceIndex: 0, FrameIndex: 0, PositionIndex: position });
    const put = JSON.stringify({ PositionName: name }).padEnd(old.length);
    bytes.set(new TextEncoder().encode(put), text.indexOf(old));
  }
  await withWritten(
    { "x_MMStack.ome.tif": bytes },
    (scenes) => deepEqual(namesOf(scenes), ["left", "right", null]),
  );
});

Deno.test("plain pages: reads each layout as one scene, in the order of its first page", async () => {
  const widths = [5, 3, 5, 4, 3, 5];
  const bytes = pages(6, (page) => [[256, 4, [widths[page]!]]]);
  await withWritten({ "a.tif": bytes }, async (scenes, open) => {
    deepEqual([scenes.count, scenes.own, codesOf(scenes.warnings)], [3, 0, []]);
    deepEqual(namesOf(scenes), [null, null, null]);
    deepEqual(sizesOfAll(scenes), [{ Z: 3, Y: 4, X: 5 }, { Z: 2, Y: 4, X: 3 }, { Y: 4, X: 4 }]);
    for (const [scene, firsts] of [[0, 2, 5], [1, 4], [3]].entries()) {
      const acquisition = await open(scene);
      deepEqual(sizesOf(acquisition.axes), scenes.entries(9)[scene]!.sizes);
      for (const [z, first] of firsts.entries()) deepEqual(await firstsAt(acquisition, { z }), [first]);
      deepEqual(codesOf(acquisition.warnings), []);
    }
  });
  // Reduced versions and masks are not scenes, alone or beside one of their size.
  const kinds = [0, 1, 0, 4, 0];
  const sizes = [5, 3, 3, 2, 5];
  const marked = pages(5, (page) => [[256, 4, [sizes[page]!]], [254, 4, [kinds[page]!]]]);
  await withWritten({ "a.tif": marked }, async (scenes, open) => {
    equal(scenes.count, 2);
    deepEqual(await firstsAt(await open(1)), [2]);
    deepEqual(await firstsAt(await open(0), { z: 1 }), [4]);
  });
});

Deno.test("plain pages: lists at most 1,000 scenes, with a warning about more", async () => {
  // 4,096 layouts are distinguished.
  for (const count of [1000, 1003, 4100]) {
    const bytes = pages(count, (page) => [[256, 4, [1]], [257, 4, [page + 1]], [278, 4, [page + 1]]]);
    await withWritten({ "a.tif": bytes }, (scenes) => {
      equal(scenes.count, 1000);
      deepEqual(codesOf(scenes.warnings), count === 1000 ? [] : ["scenes_left_out"]);
    });
  }
});

/** 5 x 4 pages of 16 bits, each filled with its number and described by the text of the same place. */
const described = (texts: readonly string[], fields: (page: number) => Field[] = () => []) =>
  tiffOf(
    PAGE,
    texts.map((_, i) => [new Uint8Array(new Uint16Array(20).fill(i).buffer)]),
    (page) => [[270, 2, texts[page]!], ...fields(page)],
  );

const shape = (axes: string, ...sizes: number[]) => JSON.stringify({ shape: sizes, axes });

Deno.test("tifffile: reads each array as a scene, also of the same layout", async () => {
  const texts = [shape("TYX", 2, 4, 5), "", shape("CZYX", 2, 2, 4, 5), "", "", "", shape("YX", 4, 5)];
  await withWritten({ "a.tif": described(texts) }, async (scenes, open) => {
    deepEqual(sizesOfAll(scenes), [{ T: 2, Y: 4, X: 5 }, { C: 2, Z: 2, Y: 4, X: 5 }, { Y: 4, X: 5 }]);
    deepEqual(await firstsAt(await open(0), { t: 1 }), [1]);
    deepEqual(await firstsAt(await open(1), { z: 1 }), [3, 5]);
    deepEqual(await firstsAt(await open(2)), [6]);
  });
  const fixtures = [
    ["shaped_two_arrays.tif", 5, { C: 3, Y: 4, X: 5 }],
    ["shaped_two_truncated.tif", 5, { C: 3, Y: 4, X: 5 }],
    ["shaped_loop.tif", 3, { Y: 4, X: 5 }],
  ] as const;
  for (const [name, count, sizes] of fixtures) {
    await withScenes(fixture(name), async (scenes, open) => {
      deepEqual([scenes.count, scenes.entries(1)[0]!.sizes], [count, sizes], name);
      for (let scene = 1; scene < count; scene += 1) {
        deepEqual(sizesOf((await open(scene)).axes), { Y: 4, X: 5 });
      }
    });
  }
});

Deno.test("tifffile: groups pages after the arrays by layout", () => {
  const texts = [shape("YX", 4, 5), shape("TYX", 2, 4, 5), "", "", "by hand", ""];
  const bytes = described(texts, (page) => page === 4 ? [[256, 4, [3]]] : []);
  return withWritten({ "a.tif": bytes }, async (scenes, open) => {
    // The second array has two planes and no other array follows, so its pages are slices.
    deepEqual(sizesOfAll(scenes), [{ Y: 4, X: 5 }, { Z: 4, Y: 4, X: 5 }, { Y: 4, X: 3 }]);
    deepEqual(await firstsAt(await open(1), { z: 3 }), [5]);
  });
});

Deno.test("tifffile: warns about missing pages of an array when it is opened", () => {
  const texts = [shape("YX", 4, 5), shape("TYX", 3, 4, 5), ""];
  return withWritten({ "a.tif": described(texts) }, async (scenes, open) => {
    deepEqual(scenes.entries(9)[1]!.sizes, { T: 3, Y: 4, X: 5 });
    deepEqual(codesOf((await open(0)).warnings), []);
    const second = await open(1);
    deepEqual(codesOf(second.warnings), ["planes_missing"]);
    await rejects(firstsAt(second, { t: 2 }), { tag: "plane_not_found" });
  });
});

/** A stack of one page whose index map has an entry for each of so many positions. */
function positionsBytes(count: number): Uint8Array {
  const one = microManagerBytes(PAGE, {}, [[0, 0, 0, 0, 7]]);
  const view = new DataView(one.buffer);
  // The map with its head of 8 bytes stands at the end; its one entry of 20 bytes is repeated.
  const map = view.getUint32(12, true);
  view.setUint32(map + 4, count, true);
  const bytes = new Uint8Array(map + 8 + 20 * count);
  bytes.set(one);
  const grown = new DataView(bytes.buffer);
  for (let position = 0; position < count; position += 1) {
    bytes.set(one.subarray(map + 8, map + 28), map + 8 + 20 * position);
    grown.setUint32(map + 8 + 20 * position + 12, position, true);
  }
  return bytes;
}

Deno.test("Micro-Manager: bounds positions at 100,000", async () => {
  await withWritten({ "x_MMStack.ome.tif": positionsBytes(100_000) }, (scenes) => {
    deepEqual([scenes.count, scenes.own, scenes.entries(3).length], [100_000, 0, 3]);
  });
  const surplus = withWritten({ "x_MMStack.ome.tif": positionsBytes(100_001) }, () => {});
  await rejects(surplus, { tag: "decode_failed", message: /more than 100000 positions/ });
});
