/** Chunks that are stored as they are: only what the wanted planes need of them is read. */
import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { write } from "../fixtures/plain_store.ts";
import { loadHere } from "../load_here.ts";
import { inFolder } from "../temporary_files.ts";

/** `c z y x`. */
const SHAPE = [3, 2, 5, 7] as const;

/** Differs at every place. */
const value = (c: number, z: number, y: number, x: number) => 1000 * c + 100 * z + 10 * y + x;

interface Layout {
  /** Axes of a chunk in the order in which it is stored. */
  readonly order?: readonly number[];
  readonly endian?: "big" | "little";
  readonly chunk: readonly number[];
}

function* places(shape: readonly number[]): Generator<number[]> {
  const [first, ...rest] = shape;
  if (first === undefined) return yield [];
  for (let i = 0; i < first; i += 1) for (const others of places(rest)) yield [i, ...others];
}

/** Writes the image by the Zarr 3 specification: every chunk whole, those at the edge filled up with 65535. */
function writeLayout(folder: string, { chunk, order = [0, 1, 2, 3], endian = "little" }: Layout): void {
  const axes = ["c", "z", "y", "x"].map((name) => ({ name, type: name === "c" ? "channel" : "space" }));
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1, 1] }] }];
  write(join(folder, "zarr.json"), {
    zarr_format: 3,
    node_type: "group",
    attributes: { ome: { version: "0.5", multiscales: [{ axes, datasets }] } },
  });
  write(join(folder, "0/zarr.json"), {
    zarr_format: 3,
    node_type: "array",
    shape: SHAPE,
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunk } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs: [{ name: "transpose", configuration: { order } }, { name: "bytes", configuration: { endian } }],
    fill_value: 0,
    attributes: {},
  });
  for (const position of places(SHAPE.map((size, axis) => Math.ceil(size / chunk[axis]!)))) {
    const view = new DataView(new ArrayBuffer(2 * chunk.reduce((product, n) => product * n)));
    let at = 0;
    for (const stored of places(order.map((axis) => chunk[axis]!))) {
      const place = position.map((n, axis) => n * chunk[axis]! + stored[order.indexOf(axis)]!);
      const [c, z, y, x] = place as [number, number, number, number];
      const inside = place.every((n, axis) => n < SHAPE[axis]!);
      view.setUint16(at, inside ? value(c, z, y, x) : 65535, endian === "little");
      at += 2;
    }
    write(join(folder, "0/c", ...position.map(String)), new Uint8Array(view.buffer));
  }
}

const LAYOUTS: Readonly<Record<string, Layout & { readonly samplesRead: number }>> = {
  // Channel 2 lies in chunks (1, 0, y, x): rows of 4 columns, 5 of them in each of 2 columns of chunks.
  "chunks narrower than the plane": { chunk: [2, 2, 2, 4], samplesRead: 5 * 4 * 2 },
  "chunks as wide as the plane": { chunk: [2, 2, 2, 7], samplesRead: 5 * 7 },
  "chunks wider than the plane": { chunk: [2, 2, 8, 9], samplesRead: 5 * 9 },
  "big-endian samples": { chunk: [3, 1, 5, 7], endian: "big", samplesRead: 5 * 7 },
  "one row to a chunk": { chunk: [3, 2, 1, 7], samplesRead: 5 * 7 },
  "rows that do not follow one another": {
    chunk: [2, 2, 2, 4],
    order: [2, 0, 1, 3],
    samplesRead: 3 * 2 * 32,
  },
  "one row to a chunk, channels between": { chunk: [3, 2, 1, 7], order: [2, 0, 1, 3], samplesRead: 5 * 7 },
  "columns that do not follow one another": {
    chunk: [2, 2, 2, 4],
    order: [3, 2, 1, 0],
    samplesRead: 3 * 2 * 32,
  },
};

for (const [name, layout] of Object.entries(LAYOUTS)) {
  Deno.test(`raw chunks, ${name}: serves the exact plane and reads little else`, () =>
    inFolder(async (_, parent) => {
      // Deep enough that the search for a collection does not read the temporary folders of other tests.
      const folder = join(parent, "1/2/3/4/5/6/raw.ome.zarr");
      writeLayout(folder, layout);
      const load = async (channelIndices: number[]) => {
        const { planes, counts } = await loadHere(folder, { channelIndices });
        return { planes: planes.map((plane) => [...plane]), bytes: counts.bytes };
      };
      const plane = (c: number) => [...places(SHAPE.slice(2))].map(([y, x]) => value(c, 0, y!, x!));
      const one = await load([2]);
      deepEqual(one.planes, [plane(2)]);
      deepEqual((await load([1, 2, 0])).planes, [plane(1), plane(2), plane(0)]);
      const documents = ["zarr.json", "0/zarr.json"].map((file) => Deno.statSync(join(folder, file)).size);
      equal(one.bytes - documents[0]! - documents[1]!, 2 * layout.samplesRead);
    }));
}
