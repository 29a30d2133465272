/** The files that are compared with other readers, a few for each format. */
import { join } from "node:path";
import { type Asked, writtenByPython } from "./python.ts";
import * as files from "./sample_files.ts";
import { writePages } from "./tiff_pages.ts";

/** Writes a file into a folder. Gives its path, or `null` when Python would write it and lacks a package. */
export type Write = (folder: string) => string | null | Promise<string | null>;

/** A file, and who else reads it. */
export type Sample = readonly [
  format: string,
  name: string,
  write: Write,
  /** The other reader, and what is asked of it beside the path. */
  peer: Asked,
  /** A position other than the first. */
  at?: { readonly t?: number; readonly z?: number },
];

const ONE = { columns: 2048, rows: 2048 };
const TWO = { ...ONE, channels: 2 };
const SCAN = { columns: 24, rows: 30_000, channels: 2 };
const SMALL = { columns: 64, rows: 64, planes: 5000 };

const written = (name: string, write: (path: string) => unknown): Write => (folder) => {
  write(join(folder, name));
  return join(folder, name);
};
const tiff = (...page: Parameters<typeof files.pageOf>) =>
  written("a.tif", (path) => writePages(path, [files.pageOf(...page)]));
const stack = written("a.tif", (path) => {
  writePages(path, new Array(200).fill(files.pageOf({ columns: 512, rows: 512 })));
});
const czi = (shape: files.Shape, codec: "none" | "zstd" = "none") =>
  written("a.czi", (path) => files.writeCziFile(path, shape, codec));
const jpegXr: Write = (folder) =>
  writtenByPython({ do: "write_jpegxr", raw: czi(TWO)(folder), path: join(folder, "b.czi") });
const lsm = (shape: files.Shape, codec: "none" | "LZW" = "none") =>
  written("a.lsm", (path) => files.writeLsm(path, shape, codec));
const nd2 = (shape: files.Shape, codec: "none" | "zlib" = "none") =>
  written("a.nd2", (path) => files.writeNd2(path, shape, codec));
const lif = (shape: files.Shape, more: { images?: number; interleaved?: boolean } = {}) =>
  written("a.lif", (path) => files.writeLif(path, shape, more));
const lifStack = lif({ ...TWO, planes: 20 });
const oib = written("a.oib", (path) => files.writeOib(path, { columns: 1024, rows: 1024, planes: 8 }));
const oir = written("a.oir", (path) => files.writeOirScan(path, SCAN));
const prairie: Write = (folder) => files.writePrairieScan(folder, { columns: 512, rows: 20_000 });

const [TIFFFILE, LIFFILE, ND2] = [{ do: "tifffile" }, { do: "liffile", frame: 0 }, { do: "nd2", frame: 0 }];
const LSM = { do: "tifffile", page: 0, channel: 0 };
const CZI = { do: "czifile", axis: "C", index: 0 };

const ZARR = ["raw", "gzip", "zstd", "blosc lz4, shuffle", "blosc zstd, shuffle", "shards of 64 x 64, zstd"];
const SUBBLOCKS = "a plane of 5,000 subblocks of 64 x 64, opening the file";
const MANY = "a plane of 5,000 of 64 x 64, opening the file";

/** All of them. */
export const SAMPLES: readonly Sample[] = [
  ["TIFF", "2 x 2048 x 2048, raw", tiff(TWO), TIFFFILE],
  ["TIFF", "2 x 2048 x 2048, deflate", tiff(TWO, "deflate"), TIFFFILE],
  ["TIFF", "2 x 2048 x 2048, LZW", tiff(TWO, "LZW"), TIFFFILE],
  ["TIFF", "one channel of 4096 x 4096, deflate", tiff({ columns: 4096, rows: 4096 }, "deflate"), TIFFFILE],
  ["TIFF", "a line scan of 2 x 30,000 x 24, raw", tiff(SCAN), TIFFFILE],
  ["TIFF", "a plane of 200 of 512 x 512, opening the file", stack, { ...TIFFFILE, page: 100 }, { t: 100 }],
  ...ZARR.map((codec): Sample => [
    "OME-Zarr",
    `2048 x 2048 in chunks of 512 x 512, ${codec}`,
    (folder) => writtenByPython({ do: "write_zarr", codec, path: join(folder, "a.zarr") }),
    { do: "zarr" },
  ]),
  ["CZI", "a channel of 2 x 2048 x 2048, raw", czi(TWO), CZI],
  ["CZI", "a channel of 2 x 2048 x 2048, zstd with byte planes", czi(TWO, "zstd"), CZI],
  ["CZI", "a channel of 2 x 2048 x 2048, JPEG XR", jpegXr, CZI],
  ["CZI", SUBBLOCKS, czi(SMALL), { ...CZI, axis: "T", index: 2500 }, { t: 2500 }],
  ["LSM", "a channel of 2 x 2048 x 2048, raw", lsm(TWO), LSM],
  ["LSM", "a channel of 2 x 2048 x 2048, LZW", lsm(TWO, "LZW"), LSM],
  ["LSM", MANY, lsm(SMALL), { ...LSM, page: 4321 }, { t: 4321 }],
  ["ND2", "a channel of 2 x 2048 x 2048, raw", nd2(TWO), ND2],
  ["ND2", "a channel of 2 x 2048 x 2048, zlib", nd2(TWO, "zlib"), ND2],
  ["ND2", MANY, nd2(SMALL), { ...ND2, frame: 4321 }, { z: 4321 }],
  ["LIF", "a channel of 2 x 2048 x 2048, one of 20 planes", lifStack, { ...LIFFILE, frame: 13 }, { z: 13 }],
  ["LIF", "a line scan of 100,000 x 256", lif({ columns: 256, rows: 100_000 }), LIFFILE],
  ["LIF", "red of 2048 x 2048 colour pixels", lif({ ...ONE, channels: 3 }, { interleaved: true }), LIFFILE],
  ["LIF", "a plane of 64 x 64 of 1,000 images", lif({ columns: 64, rows: 64 }, { images: 1000 }), LIFFILE],
  ["OIB", "a plane of 8 of 1024 x 1024, raw", oib, { do: "oiffile" }],
  ["OIR", "a line scan of 2 x 30,000 x 24", oir, { do: "oirfile" }],
  ["Prairie View", "a line scan of 20,000 x 512, raw", prairie, TIFFFILE],
];
