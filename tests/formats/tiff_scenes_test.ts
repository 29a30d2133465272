/** Scenes of a TIFF: images of OME-XML, positions of Micro-Manager, arrays of tifffile, layouts of pages. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { join } from "node:path";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { type Acquisition, type Scenes, sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { microManagerBytes, type MicroManagerPlane } from "../fixtures/micromanager_writer.ts";
import { type Field, grayLayout, tiffBytes, tiffOf } from "../fixtures/tiff_writer.ts";
import { codesOf } from "../warning_codes.ts";
import { firstsAt } from "../planes.ts";
import { type Files, withFiles } from "../temporary_files.ts";

const PAGE = grayLayout(5, 4, 16);

const pages = (count: number, fields: (page: number) => Field[], from = 0) =>
  tiffBytes(PAGE, (_x, _y, _s, page) => BigInt(from + page), count, fields);

async function withScenes(
  path: string,
  use: (scenes: Scenes, open: (scene: number) => Promise<Acquisition>) => Promise<void>,
): Promise<void> {
  const files = new FileAccess();
  try {
    const { scenes } = await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null);
    await use(scenes, (scene) => scenes.open(scene));
  } finally {
    files.close();
  }
}

/** Opens one of these files in a folder of their own; the first without a name. */
const withWritten = (
  files: Files,
  use: (scenes: Scenes, open: (scene: number) => Promise<Acquisition>) => Promise<void>,
  name = Object.keys(files)[0]!,
): Promise<void> => withFiles(files, (_path, folder) => withScenes(join(folder, name), use));

/** An image of 5 x 4 pixels whose frames lie where `data` says. */
const image = (name: string, frames: number, data: string) =>
  `<Image ID="Image:${name}" Name="${name}"><Pixels DimensionOrder="XYCZT" SizeX="5" SizeY="4" SizeZ="1" SizeC="1" ` +
  `SizeT="${frames}" Type="uint16"><Channel ID="Channel:${name}" SamplesPerPixel="1"/>${data}</Pixels></Image>`;

const ome = (uuid: string, ...images: string[]) => `<OME UUID="urn:uuid:${uuid}">${images.join("")}</OME>`;

const inFile = (t: number, directory: number, file: string) =>
  `<TiffData FirstT="${t}" IFD="${directory}" PlaneCount="1"><UUID FileName="${file}.ome.tif">urn:uuid:${file}</UUID></TiffData>`;

Deno.test("OME-XML: leaves out images without samples, and names them", () => {
  const images = [
    image("never saved", 1, "<MetadataOnly/>"),
    image("own", 1, '<TiffData IFD="1"/>'),
    image("gone", 1, inFile(0, 0, "gone")),
    image("beyond", 1, '<TiffData IFD="7"/>'),
    image("no plane", 1, '<TiffData IFD="0" PlaneCount="0"/>'),
    image("last", 1, '<TiffData IFD="0"/>'),
  ];
  return withWritten(
    { "a.ome.tif": pages(2, () => [[270, 2, ome("a", ...images)]]) },
    async (scenes, open) => {
      deepEqual(scenes.entries(9).map(({ name }) => name), ["own", "last"]);
      deepEqual(codesOf(scenes.warnings), ["scenes_left_out"]);
      deepEqual([await firstsAt(await open(0)), await firstsAt(await open(1))], [[1], [0]]);
    },
  );
});

Deno.test("OME-XML: refuses an unreadable image, not the others", () => {
  const xml = ome("a", image("good", 1, '<TiffData IFD="0"/>'), image("bad", -1, '<TiffData IFD="1"/>'));
  return withWritten({ "a.ome.tif": pages(2, () => [[270, 2, xml]]) }, async (scenes, open) => {
    deepEqual(scenes.entries(2)[1], { name: "bad", sizes: {} });
    deepEqual(await firstsAt(await open(0)), [0]);
    await rejects(open(1), /declares SizeT="-1"/);
  });
});

Deno.test("OME-XML: sizes are those of the document only where the channels state their samples", () => {
  const rgb = { ...PAGE, samples: 3 };
  const pixels = (name: string, c: number, channel: string) =>
    `<Image ID="${name}"><Pixels DimensionOrder="XYCZT" SizeX="5" SizeY="4" SizeZ="1" SizeC="${c}" SizeT="1" ` +
    `Type="uint16">${channel}<TiffData IFD="0"/></Pixels></Image>`;
  const xml = ome(
    "a",
    pixels("own", 3, '<Channel SamplesPerPixel="3"/>'),
    pixels("stated", 3, '<Channel SamplesPerPixel="3"/>'),
    pixels("unstated", 3, "<Channel/>"),
    pixels("no channel", 3, ""),
  );
  const bytes = tiffBytes(rgb, () => 1n, 1, [[270, 2, xml], [262, 3, [2]]]);
  return withWritten({ "a.ome.tif": bytes }, async (scenes, open) => {
    const served = { C: 3, Y: 4, X: 5 };
    deepEqual(scenes.entries(9).map(({ name, sizes }) => [name, sizes]), [
      [null, served],
      [null, served],
      [null, {}],
      [null, {}],
    ]);
    // Once it was opened, they are known.
    deepEqual(sizesOf((await open(3)).axes), served);
    deepEqual(scenes.entries(9)[3]!.sizes, served);
  });
});

/** Planes of `frames` frames at a position, filled with 100 p + t. */
const planesOf = (position: number, frames: number): MicroManagerPlane[] =>
  Array.from({ length: frames }, (_, t) => [0, 0, t, position, 100 * position + t] as const);

Deno.test("Micro-Manager: each position is a scene; a file opens the first one that it holds", async () => {
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

Deno.test("plain pages: at most 1,000 scenes, then a warning", async () => {
  // 4,096 layouts are distinguished.
  for (const count of [1000, 1003, 4100]) {
    await withWritten({
      "a.tif": pages(count, (page) => [[256, 4, [1]], [257, 4, [page + 1]], [278, 4, [page + 1]]]),
    }, (scenes) => {
      equal(scenes.count, 1000);
      deepEqual(codesOf(scenes.warnings), count === 1000 ? [] : ["scenes_left_out"]);
      return Promise.resolve();
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

Deno.test("tifffile: groups pages after the arrays by layout", () => {
  const texts = [shape("YX", 4, 5), shape("TYX", 2, 4, 5), "", "", "by hand", ""];
  const bytes = described(texts, (page) => page === 4 ? [[256, 4, [3]]] : []);
  return withWritten({ "a.tif": bytes }, async (scenes, open) => {
    // The second array has two planes and no other array follows, so its pages are slices.
    deepEqual(scenes.entries(9).map(({ sizes }) => sizes), [
      { Y: 4, X: 5 },
      { Z: 4, Y: 4, X: 5 },
      { Y: 4, X: 3 },
    ]);
    deepEqual(await firstsAt(await open(1), { z: 3 }), [5]);
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

Deno.test("Micro-Manager: 100,000 positions are the most", async () => {
  await withWritten({ "x_MMStack.ome.tif": positionsBytes(100_000) }, (scenes) => {
    deepEqual([scenes.count, scenes.own, scenes.entries(3).length], [100_000, 0, 3]);
    return Promise.resolve();
  });
  const surplus = withWritten({ "x_MMStack.ome.tif": positionsBytes(100_001) }, () => Promise.resolve());
  await rejects(surplus, { tag: "DecodeFailed", message: /more than 100000 positions/ });
});
