/** Writes an uncompressed OME-Zarr 0.5 image of many chunks. */
import { join } from "node:path";

/** A `C Y X` image of uint16. */
export interface ChunkedImage {
  readonly side: number;
  readonly chunk: number;
  readonly channels: number;
}

/** Writes the store; every chunk holds the same ramp. */
export function writeChunks(path: string, { side, chunk, channels }: ChunkedImage): void {
  const axes = [{ name: "c", type: "channel" }, { name: "y", type: "space" }, { name: "x", type: "space" }];
  const ome = { version: "0.5", multiscales: [{ axes, datasets: [{ path: "0" }] }] };
  const bytes = new Uint8Array(Uint16Array.from({ length: chunk * chunk }, (_, i) => i).buffer);
  const edge = Math.ceil(side / chunk);
  for (let c = 0; c < channels; c += 1) {
    for (let row = 0; row < edge; row += 1) {
      const folder = join(path, `0/c/${c}/${row}`);
      Deno.mkdirSync(folder, { recursive: true });
      for (let column = 0; column < edge; column += 1) Deno.writeFileSync(join(folder, `${column}`), bytes);
    }
  }
  const group = { zarr_format: 3, node_type: "group", attributes: { ome } };
  const array = {
    zarr_format: 3,
    node_type: "array",
    shape: [channels, side, side],
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, chunk, chunk] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  Deno.writeTextFileSync(join(path, "zarr.json"), JSON.stringify(group));
  Deno.writeTextFileSync(join(path, "0/zarr.json"), JSON.stringify(array));
}
