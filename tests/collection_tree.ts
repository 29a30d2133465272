/** Writes a small collection with images, documents and tables into a temporary folder. */
import { join } from "node:path";
import { type ImageAxis, write, writeChunks } from "./fixtures/plain_store.ts";

/** One image of {@linkcode writeImage}. */
export interface ImageShape {
  readonly axes: readonly ImageAxis[];
  readonly shape: readonly number[];
  readonly scale: readonly number[];
  /** Value of the sample with this index in C order. */
  readonly value: (index: number) => number;
}

/** Two channels of 4 rows and 6 columns, 2 ms and 0.5 um apart. */
export const LINE_SCAN: ImageShape = {
  axes: [
    { name: "c", type: "channel" },
    { name: "y", type: "time", unit: "second" },
    { name: "x", type: "space", unit: "micrometer" },
  ],
  shape: [2, 4, 6],
  scale: [1, 0.002, 0.5],
  value: (index) => index,
};

/** 8 rows and 10 columns. */
export const OVERVIEW: ImageShape = {
  axes: [{ name: "y", type: "space", unit: "micrometer" }, { name: "x", type: "space", unit: "micrometer" }],
  shape: [8, 10],
  scale: [0.25, 0.25],
  value: (index) => 1000 + index,
};

/** Writes an OME-Zarr 0.5 image of one uncompressed uint16 chunk. */
export function writeImage(folder: string, { axes, shape, scale, value }: ImageShape): void {
  const samples = new Uint16Array(shape.reduce((product, n) => product * n, 1)).map((_, i) => value(i));
  writeChunks(folder, { axes, shape, scale, chunks: [samples] });
}

const ROI = { coordinate_space: "primary-image-full-resolution-pixels" };

/** Documents of a member with the id `m1`; all of them valid. */
export const DOCUMENTS = {
  collection: {
    format: "store-ome-zarr-collection",
    version: 1,
    id: "col",
    name: "Collection",
    members: [{
      id: "m1",
      name: "First",
      ome_zarr: "images/0001",
      resources: { acqimage: "meta/0001/acqimage.json", analyses: "meta/0001/analyses.json" },
      reference_image: { ome_zarr: "images/0001_reference", metadata: "meta/0001/reference-image.json" },
    }],
    resources: { tables: [{ id: "t1", media_type: "text/csv", path: "tables/all.csv" }] },
  },
  acqimage: {
    format: "store-acqimage",
    version: 1,
    image_id: "m1",
    accepted: true,
    rois: [
      { id: "p", type: "point", position: [5, 3], ...ROI },
      { id: "l", type: "line", start: [0, 0], stop: [5, 3], ...ROI },
      { id: "r", type: "rectangle", start: [0, 0], stop: [6, 4], ...ROI },
    ],
    axis_display: { y: { type: "time", unit: "ms", scale: 4 }, x: { type: "space", unit: "nm", scale: 250 } },
  },
  analyses: {
    format: "store-analyses",
    version: 1,
    image_id: "m1",
    analyses: [{
      id: "a1",
      type: "velocity",
      roi_id: "l",
      channel: 1,
      resources: [{ id: "r1", media_type: "text/csv", path: "tables/0001.csv" }],
    }],
  },
  reference: {
    format: "store-reference-image",
    version: 1,
    image_id: "m1",
    scan_path: {
      coordinate_space: "reference-image-full-resolution-pixels",
      points: [[1, 2], [9, 7]],
    },
  },
} as const;

export const FILES = {
  collection: "meta/collection.json",
  acqimage: "meta/0001/acqimage.json",
  analyses: "meta/0001/analyses.json",
  reference: "meta/0001/reference-image.json",
} as const;

/** Writes the whole collection; its document lies in the folder `meta`. */
export function writeCollection(root: string): void {
  writeImage(join(root, "images/0001"), LINE_SCAN);
  writeImage(join(root, "images/0001_reference"), OVERVIEW);
  write(join(root, "tables/all.csv"), 'name,value\r\n"a, ""b""",1\r\n');
  write(join(root, "tables/0001.csv"), "t,v\n0,1\n1,\n");
  for (const [name, path] of Object.entries(FILES)) {
    write(join(root, path), DOCUMENTS[name as keyof typeof DOCUMENTS]);
  }
}
