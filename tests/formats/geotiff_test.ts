/**
 * An independent reader of TIFF beside ours: geotiff.js reads the first plane of every fixture, and of the shared samples where they
 * lie beside the repository. Each file on which the two disagree stands in a table with the reason. Any other outcome fails, also a
 * new agreement.
 */
import { deepEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { fromArrayBuffer } from "geotiff";
import { loadHere } from "../load_here.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/tiff/", import.meta.url));
const SAMPLES = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** How geotiff compares: `equal`, or in what it differs. */
type Outcome = "equal" | "another size" | "other samples" | "not read" | "not read by us" | "read by neither";

async function geotiffPlane(bytes: Uint8Array<ArrayBuffer>) {
  const tiff = await fromArrayBuffer(bytes.buffer);
  const image = await tiff.getImage();
  const [samples] = await image.readRasters({ samples: [0] }) as unknown as ArrayLike<number>[];
  return { rows: image.getHeight(), columns: image.getWidth(), samples: Float32Array.from(samples!) };
}

async function ourPlane(path: string) {
  const { summary, planes } = await loadHere(path, { channelIndices: [0] });
  const [rows, columns] = ["Y", "X"].map((name) => summary.axes.find((axis) => axis.name === name)?.size);
  return { rows, columns, samples: planes[0]! };
}

async function outcomeOf(path: string): Promise<Outcome> {
  const [theirs, ours] = await Promise.allSettled([geotiffPlane(Deno.readFileSync(path)), ourPlane(path)]);
  if (ours.status === "rejected") return theirs.status === "rejected" ? "read by neither" : "not read by us";
  if (theirs.status === "rejected") return "not read";
  const [a, b] = [theirs.value, ours.value];
  if (a.samples.length !== b.samples.length) return "another size";
  return a.samples.every((value, i) => Object.is(value, b.samples[i])) ? "equal" : "other samples";
}

async function disagreements(folder: string): Promise<Record<string, Outcome>> {
  const found: Record<string, Outcome> = {};
  for (const path of [...tiffIn(folder)].toSorted()) {
    const outcome = await outcomeOf(path);
    if (outcome !== "equal") found[path.slice(folder.length).normalize("NFC")] = outcome;
  }
  return found;
}

/** Files on which the two disagree: how, why, and which. */
type Table = readonly (readonly [outcome: Outcome, reason: string, ...files: string[]])[];

const outcomes = (table: Table) =>
  Object.fromEntries(
    table.flatMap(([outcome, _reason, ...files]) => files.map((file) => [file, outcome] as const))
      .toSorted(([a], [b]) => a < b ? -1 : 1),
  );

const each = (before: string, after: string, ...parts: string[]) =>
  parts.map((part) => before + part + after);

const IN_FIXTURES: Table = [
  ["read by neither", "CCITT", ...each("ccitt_", ".tif", "g3", "g4", "rle")],
  ["read by neither", "LZMA", "codec_lzma.tif"],
  ["read by neither", "JPEG of more than 8 bits", "jpeg_12.tif", "jpeg_lossless_16_1.tif"],
  ["read by neither", "JPEG 2000 of four components", "refused_jpeg2000_four.tif"],
  ["not read by us", "it ignores a predictor that it does not know", "refused_predictor.tif"],
  [
    "not read",
    "it has no JPEG 2000",
    ...each("jpeg2000_", ".tif", "i1", "i2", "rgb_i1", "rgb_u1", "rgb_u2", "u1", "u2"),
  ],
  ["not read", "it has no lossless JPEG", ...each("jpeg_lossless_8_", ".tif", "1", "4", "7")],
  ["not read", "it decodes WebP by a canvas", "webp_lossless.tif", "webp_rgba.tif"],
  ["not read", "floats of 24 bits", "float24_big.tif", "float24_little.tif"],
  ["not read", "integers of 64 bits", ...each("kind_", ".tif", "i8_be", "i8_le", "u8_be", "u8_le")],
  [
    "not read",
    "packed samples",
    ...each("packed_", ".tif", "1", "24", "i12", "i33", "i40", "i5", "u40", "u63"),
  ],
  ["other samples", "packed samples", "packed_31.tif", "rgb565.tif"],
  [
    "other samples",
    "its inverse DCT rounds otherwise than libjpeg",
    ...each("jpeg_", ".tif", "411", "420", "422", "444", "gray", "progressive", "restart"),
  ],
  [
    "other samples",
    "it undoes the predictor of big-endian samples byte by byte",
    ...each("predicted_", "_be.tif", "f2", "f4", "f8", "i2", "i4", "raw", "raw_gray", "u2", "u4"),
  ],
  ["other samples", "a strip without a length gives zeros", "strip_without_length.tif"],
];

const LINE_SCAN = "LineScan-08092022-1225-528";

const IN_SAMPLES: Table = [
  ["read by neither", "CCITT", "tiff/fax4.tiff"],
  ["read by neither", "LZMA", "tiff/gray.lzma.u2.tif"],
  ["not read", "it has no JPEG 2000", "reports/bf-jpeg2000.ome.tif", "tiff/rgb.tiled.jpeg2000.u1.tif"],
  ["not read", "it has no lossless JPEG", "tiff/jpeg-lossless-8bit-gray.tif"],
  ["not read", "it decodes WebP by a canvas", "tiff/rgb.tiled.webp.u1.tif"],
  ["not read", "packed samples", "tiff/flower-minisblack-24.tif"],
  ["not read", "integers of 64 bits", "tiff/gradient-1c-64b.tiff"],
  ["other samples", "packed samples", "tiff/flower-minisblack-12.tif"],
  [
    "other samples",
    "its inverse DCT rounds otherwise than libjpeg",
    "tiff/tiled-jpeg-rgb-u8.tif",
    "tiff/tiled-jpeg-ycbcr.tif",
  ],
  ["other samples", "FillOrder 2", "tiff/16bit.r.tif"],
  [
    "other samples",
    "it undoes the predictor of big-endian samples byte by byte",
    "tiff-made/deflate_pred2_tiled_u4.tif",
  ],
  ["another size", "the array is gathered from all pages", "reports/yxz_uint8.tiff"],
  [
    "another size",
    "pages of one row are the lines of a line scan",
    ...each(
      "reports/fifth/files/line-t-y1/",
      ".tif",
      "imagej",
      "ndtiff/r_NDTiffStack",
      "ome-delta.ome",
      "ome-increment.ome",
      "tifffile-tyx",
    ),
  ],
  [
    "other samples",
    "the first plane of the set is in another file",
    "olympus-txt-made/two_channel_0001_C002T001.tif",
    ...each("ome-tiff/companion/multifile-Z", ".ome.tiff", "2", "3", "4", "5"),
    ...each(
      "prairie/LineScan-0",
      "_Ch2_000001.ome.tif",
      "3142018-1454-2042/LineScan-03142018-1454-2042_Cycle00001",
      "6092017-1414-619/LineScan-06092017-1414-619_Cycle00001",
    ),
    ...each(`prairie/${LINE_SCAN}/${LINE_SCAN}_Cycle0000`, "_Ch2_000001.ome.tif", "1", "2", "3"),
    "reports/names/ome-case/Set_C1.ome.TIF",
    "reports/names/ome-nfd/größe_C1.ome.tif",
    "reports/names/pv/Größe-007_Cycle00001_Ch2_000001.ome.tif",
    ...each("reports/micromanager-files/Pos0/img_00000000", "_000.tif", "0_FITC", "1_DAPI", "1_FITC"),
    ...each(
      "reports/fifth/files/thor1/ChanA_0001_0001_000",
      ".tif",
      "1_0002",
      "1_0003",
      "2_0001",
      "2_0002",
      "2_0003",
    ),
    ...each(
      "reports/fifth/micromanager-no-channel/Pos0/img_00000000",
      ".tif",
      "0__001",
      "1__000",
      "1__001",
      "2__000",
      "2__001",
    ),
    "reports/ndtiff-two-cameras/set_NDTiffStack.tif",
    ...each("reports/oif-appledouble/scan.oif.files/s_C001Z00", ".tif", "2", "3", "4"),
    ...each("reports/oif-processed-copies/scan.oif.files/s_C001Z00", ".tif", "2", "3", "4"),
    "scanimage/vol_one/vol_one_ch_multi_files_00001_00002.tif",
  ],
];

/** Leaves out AppleDouble files, and those that test bounds: geotiff allocates what they declare. */
function* tiffIn(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* tiffIn(`${path}/`);
    else if (/\.(tiff?|stk|lsm)$/i.test(entry.name) && !/^\._|_(bomb|largest)\./.test(entry.name)) yield path;
  }
}

Deno.test("geotiff reads the first plane of each fixture as we do, but for those of a table", async () => {
  deepEqual(await disagreements(FIXTURES), outcomes(IN_FIXTURES));
});

Deno.test({
  name: "geotiff reads the first plane of each sample as we do, but for those of a table",
  ignore: !exists(SAMPLES),
  fn: async () => deepEqual(await disagreements(SAMPLES), outcomes(IN_SAMPLES)),
});

function exists(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}
