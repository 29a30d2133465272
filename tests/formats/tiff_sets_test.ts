/** Acquisitions of several TIFF files: where the others are, and what happens when one is missing or another file. */
import { deepEqual, match, rejects } from "node:assert/strict";
import { dirname, join } from "node:path";
import { loadAcquisition, type LoadedAcquisition } from "../../readers/load.ts";
import { FileAccess } from "../../readers/random_access.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/registry.ts";
import { tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";

const GRAY: TiffLayout = {
  littleEndian: true,
  bigTiff: false,
  width: 12,
  height: 8,
  samples: 1,
  bits: 16,
  kind: "uint",
  planar: false,
  rowsPerStrip: 8,
  tile: null,
  predictor: 1,
  codec: "none",
  fillOrder: 1,
};

/** A file whose pages are filled with `value`, `value + 1` and so on. */
function pageFile(value: number, description?: string, layout: TiffLayout = GRAY, pages = 1): Uint8Array {
  const tags = description === undefined ? [] : [[270, 2, description] as [number, number, string]];
  return tiffBytes(layout, (_x, _y, _s, page) => BigInt(value + page), pages, tags);
}

async function inFolder(
  run: (folder: string, put: (name: string, bytes: Uint8Array) => string) => Promise<void>,
) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const put = (name: string, bytes: Uint8Array) => {
    const path = join(folder, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeFileSync(path, bytes);
    return path;
  };
  try {
    await run(folder, put);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function load(
  path: string,
  channelIndices: number[] | null = null,
  roots: string[] | null = null,
): Promise<LoadedAcquisition> {
  const files = new FileAccess(roots);
  try {
    return await loadAcquisition(
      { path, channelIndices, allowedExtensions: SUPPORTED_EXTENSIONS },
      files,
      () => Promise.resolve(),
    );
  } finally {
    files.close();
  }
}

/** First sample of each plane. */
const firsts = ({ planes }: LoadedAcquisition) => planes.map((plane) => plane[0]);

/** OME-XML of one channel per named file, whose UUID is `urn:uuid:` and its number. */
const ome = (names: readonly string[], own: number) =>
  `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:${own}"><Image ID="Image:0"><Pixels ` +
  `ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="12" SizeY="8" SizeC="${names.length}" SizeZ="1" SizeT="1">` +
  names.map((name, c) =>
    `<TiffData FirstC="${c}" IFD="0" PlaneCount="1"><UUID FileName="${name}">urn:uuid:${c}</UUID></TiffData>`
  ).join("") + `</Pixels></Image></OME>`;

Deno.test("OME-XML names files in folders, relative to its own", () =>
  inFolder(async (folder, put) => {
    const names = ["master.ome.tif", "p/a.ome.tif", "q\\a.ome.tif"];
    const path = put("master.ome.tif", pageFile(10, ome(names, 0)));
    put("p/a.ome.tif", pageFile(11));
    put("q/a.ome.tif", pageFile(12));
    // One of the same name beside the opened file is none of them.
    put("a.ome.tif", pageFile(99));
    const loaded = await load(path);
    deepEqual(firsts(loaded), [10, 11, 12]);
    deepEqual(loaded.summary.warnings, []);
    // A folder outside the roots counts as missing.
    Deno.mkdirSync(join(folder, "root"));
    const inside = put("root/b.ome.tif", pageFile(10, ome(["b.ome.tif", "../p/a.ome.tif"], 0)));
    const limited = await load(inside, [0], [join(folder, "root")]);
    match(limited.summary.warnings.join(), /missing: "\.\.\/p\/a\.ome\.tif"/);
  }));

Deno.test("a file that is found by its name alone is a warning, one of another set is refused", () =>
  inFolder(async (_folder, put) => {
    const path = put("master.ome.tif", pageFile(10, ome(["master.ome.tif", "p/a.ome.tif"], 0)));
    put("a.ome.tif", pageFile(11, ome(["master.ome.tif", "p/a.ome.tif"], 1)));
    const loaded = await load(path);
    deepEqual(firsts(loaded), [10, 11]);
    match(loaded.summary.warnings.join(), /by their name alone.*"p\/a\.ome\.tif"/);
    put("a.ome.tif", pageFile(99, ome(["a.ome.tif"], 7)));
    await rejects(load(path), /"a\.ome\.tif" is of another set: its UUID is "urn:uuid:7", not "urn:uuid:1"/);
    deepEqual(firsts(await load(path, [0])), [10]);
  }));

Deno.test("a damaged file of an OME-TIFF set is named", () =>
  inFolder(async (_folder, put) => {
    const path = put("a.ome.tif", pageFile(10, ome(["b.ome.tif", "a.ome.tif"], 1)));
    put("b.ome.tif", new Uint8Array(3));
    await rejects(load(path), /"b\.ome\.tif" of this set: the TIFF header at 0 \+ 8 ends after the file/);
    deepEqual(firsts(await load(path, [1])), [10]);
  }));

Deno.test("FirstC counts samples when one of them is too large for a channel", () =>
  inFolder(async (_folder, put) => {
    const text = (step: number) =>
      `<OME><Image ID="Image:0"><Pixels DimensionOrder="XYZCT" SizeX="12" SizeY="8" SizeC="12" SizeZ="1" SizeT="1">` +
      [0, 1, 2, 3].map((c) => `<TiffData IFD="${c}" FirstC="${c * step}" PlaneCount="1"/>`).join("") +
      `</Pixels></Image></OME>`;
    for (const step of [1, 3]) {
      const path = put("rgb.ome.tif", pageFile(5, text(step), { ...GRAY, samples: 3 }, 4));
      deepEqual(firsts(await load(path)), [5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8]);
    }
  }));
