/** What the fuzzing of a format starts from: its fixtures and files made by the writers of the tests. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileAccess } from "../../readers/io/file_access.ts";
import { findZarrFolder } from "../../readers/ome_zarr/zip_directory.ts";
import { ZipFiles } from "../../readers/ome_zarr/zip_files.ts";
import { image, lifFile, samples } from "../fixtures/lif_writer.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { grayLayout, tiffBytes, type TiffLayout } from "../fixtures/tiff_writer.ts";

export interface Seed {
  readonly name: string;
  /** Which path of `files` is opened; `""` for the folder itself. */
  readonly open: string;
  /** Bytes by relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export const FUZZED_FORMATS = [
  "tiff",
  "lsm",
  "oir",
  "czi",
  "nd2",
  "lif",
  "oif",
  "prairie",
  "hdf5",
  "zarr",
  "zip",
] as const;

export type FuzzedFormat = (typeof FUZZED_FORMATS)[number];

/** Larger files only slow the run down; their structure is that of the small ones. */
const MAX_SEED_BYTES = 400_000;

const fixtures = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** Seeds of a format; `corpus` names a folder that is searched instead of the fixtures. */
export function seedsOf(format: FuzzedFormat, corpus: string | null = null): Seed[] {
  const seeds = (corpus === null ? (FOLDERS[format] ?? [format]).map(fixtures) : [corpus])
    .flatMap((folder) => gather(format, folder));
  if (corpus === null && format === "tiff") seeds.push(...writtenTiffs(), ...writtenDialects());
  if (corpus === null && format === "lif") seeds.push(...writtenLifs());
  if (corpus === null && format === "oir") {
    seeds.push(...gather("oir", fileURLToPath(new URL("../../examples", import.meta.url))));
  }
  return seeds.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Folders of fixtures of the formats that have not just one of their name. */
const FOLDERS: Partial<Record<FuzzedFormat, readonly string[]>> = {
  tiff: ["tiff", "tiff_scenes"],
  zarr: ["ome_zarr", "ome_zarr_scenes"],
  zip: ["ome_zarr", "ome_zarr_scenes"],
};

/** Names of files that are opened, where they end by more than the format. */
const OPENED: Partial<Record<FuzzedFormat, RegExp>> = {
  tiff: /\.(tiff?|stk|btf|tf8)$/i,
  // Not the further files of a split document.
  czi: /[^)]\.czi$/i,
  oif: /\.oi[fb]$/i,
  prairie: /\.xml$/i,
  lif: /\.l[io]f$/i,
  hdf5: /\.(ims|mesc|nwb)$/i,
  zarr: /\.zarr\.zip$/i,
};

function gather(format: FuzzedFormat, folder: string): Seed[] {
  const isOpened = OPENED[format] ?? new RegExp(`\\.${format}$`, "i");
  const seeds: Seed[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    const store = entry.isDirectory && /\.zarr$/i.test(entry.name);
    if (store && format === "zarr") seeds.push({ name: entry.name, open: "", files: treeOf(path) });
    else if (entry.isDirectory && !store) seeds.push(...gather(format, path));
    if (!entry.isFile || !isOpened.test(entry.name)) continue;
    if (Deno.statSync(path).size > MAX_SEED_BYTES) continue;
    if (format === "zarr") seeds.push(...unpacked(path, entry.name));
    // The images of a scan lie beside its document.
    else if (format === "prairie") seeds.push({ name: entry.name, open: entry.name, files: treeOf(folder) });
    else seeds.push({ name: entry.name, open: entry.name, files: withContinuations(folder, entry.name) });
  }
  return seeds.filter(({ files }) =>
    [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0) <= 2 * MAX_SEED_BYTES
  );
}

/** A file, with the continuation files of an OIR file, the parts of a CZI document and the folder of an OIF. */
function withContinuations(folder: string, name: string): Map<string, Uint8Array> {
  const stem = name.replace(/\.[^.]+$/, "");
  const files = new Map([[name, Deno.readFileSync(join(folder, name))]]);
  for (const { name: other } of Deno.readDirSync(folder)) {
    if (other === `${name}.files`) {
      for (const [key, bytes] of treeOf(join(folder, other))) files.set(`${other}/${key}`, bytes);
    }
    if (other.startsWith(stem) && /^(?:_\d{5}| ?\(\d+\)\.czi)$/.test(other.slice(stem.length))) {
      files.set(other, Deno.readFileSync(join(folder, other)));
    }
  }
  return files;
}

function treeOf(folder: string, below = ""): Map<string, Uint8Array<ArrayBuffer>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { name, isDirectory } of Deno.readDirSync(join(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) { for (const [key, bytes] of treeOf(folder, path)) files.set(key, bytes); }
    else files.set(path, Deno.readFileSync(join(folder, path)));
  }
  return files;
}

/** The store inside a ZIP file, as a directory: there no checksum shields the reader from what is changed. */
function unpacked(path: string, name: string): Seed[] {
  using access = new FileAccess();
  const zip = new ZipFiles(path, access);
  const store = zip.store(path);
  const files = new Map<string, Uint8Array>();
  for (const key of zip.names) {
    if (key.endsWith("/")) continue;
    const value = store.open(key, MAX_SEED_BYTES);
    if (value) files.set(key, value.read(0, value.size, key));
  }
  const folder = findZarrFolder(zip.names);
  return folder === null ? [] : [{ name, open: folder, files }];
}

/** Files of one image each, since the first image alone of a file is compared. */
function writtenLifs(): Seed[] {
  const images: Record<string, [string, number]> = {
    line: [image([[1, 4, 1], [2, 1, 4], [4, 6, 4]]), 24],
    slices: [image([[1, 4, 1], [4, 3, 4], [7, 2, 12]]), 24],
    section: [image([[1, 4, 1], [3, 3, 4], [4, 2, 24]], [{}, { BytesInc: 12 }]), 48],
    across: [image([[4, 6, 2], [1, 4, 12]], [{ Resolution: 12 }]), 48],
    pixels: [
      image([[1, 4, 3], [2, 4, 12]], [3, 2, 1].map((ChannelTag, BytesInc) => ({ ChannelTag, BytesInc }))),
      48,
    ],
    floats: [image([[1, 3, 4], [2, 4, 12]], [{ DataType: 1, Resolution: 32 }]), 48],
    spectra: [image([[1, 4, 1], [2, 3, 4], [5, 2, 12], [9, 2, 24]]), 48],
  };
  return Object.entries(images).map(([name, [described, bytes]]) => ({
    name: `written_${name}.lif`,
    open: "written.lif",
    files: new Map([["written.lif", lifFile(described, samples(bytes))]]),
  }));
}

const plain: TiffLayout = { ...grayLayout(13, 9, 16), rowsPerStrip: 4 };

/** Dialects that the fixtures lack: a Micro-Manager stack, and an OME set of two images in four files. */
function writtenDialects(): Seed[] {
  const summary = { MicroManagerVersion: "1.4", Frames: 1, Channels: 2, Slices: 2, Positions: 1 };
  const planes = [[0, 0, 0, 0, 5], [0, 1, 0, 0, 6], [1, 0, 0, 0, 7], [1, 1, 0, 0, 8]] as const;
  const whole = { ...plain, rowsPerStrip: 9 };
  const stack = microManagerBytes(whole, summary, planes, { described: true });
  const images = [0, 1].map((image) =>
    `<Image ID="Image:${image}"><Pixels ID="Pixels:${image}" DimensionOrder="XYZCT" SizeX="13" SizeY="9" SizeC="2" ` +
    `SizeZ="1" SizeT="1" Type="uint16">` + [0, 1].map((c) =>
      `<TiffData FirstC="${c}" IFD="0" PlaneCount="1"><UUID FileName="f${image}${c}.ome.tif">urn:uuid:${image}${c}` +
      `</UUID></TiffData>`
    ).join("") + `</Pixels></Image>`
  ).join("");
  const open = `<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:`;
  const files = new Map([0, 1, 10, 11].map((number): [string, Uint8Array] => {
    const id = String(number).padStart(2, "0");
    const inside = number === 0 ? images : `<BinaryOnly MetadataFile="f00.ome.tif" UUID="urn:uuid:00"/>`;
    const text = `${open}${id}">${inside}</OME>`;
    return [`f${id}.ome.tif`, tiffBytes(whole, (x, y) => BigInt(x + 20 * y + number), 1, [[270, 2, text]])];
  }));
  const name = "s_MMStack.ome.tif";
  return [
    { name: "written_micromanager.tif", open: name, files: new Map([[name, stack]]) },
    { name: "written_set.tif", open: "f00.ome.tif", files },
  ];
}

/** Kinds of page that the fixtures lack: BigTIFF, several pages, planar samples. */
function writtenTiffs(): Seed[] {
  const layouts: Record<string, [TiffLayout, number]> = {
    pages: [plain, 3],
    big: [{ ...plain, bigTiff: true }, 2],
    big_endian: [{ ...plain, bigTiff: true, littleEndian: false }, 2],
    planar: [{ ...plain, samples: 3, planar: true }, 1],
    chunky: [{ ...plain, samples: 3, bits: 8 }, 2],
    tiled: [{ ...plain, tile: [16, 16], codec: "LZW", predictor: 2 }, 2],
    packbits: [{ ...plain, codec: "PackBits" }, 1],
  };
  return Object.entries(layouts).map(([name, [layout, pages]]) => ({
    name: `written_${name}.tif`,
    open: "written.tif",
    files: new Map([[
      "written.tif",
      tiffBytes(layout, (x, y, s, p) => BigInt((x + 20 * y + 50 * s + 70 * p) % 200), pages),
    ]]),
  }));
}
