/** The metadata documents of a written image, which zarrita writes. */
import type { PackedType } from "../../readers/samples/packed_plane.ts";
import type { ImageLayout } from "./image_layout.ts";

/** Range of each sample type, in which viewers first show a channel. */
const RANGES: Readonly<Record<PackedType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
  float16: [0, 1],
  float32: [0, 1],
};

/** Documents of an image by their paths below its folder. */
export async function zarrDocuments(
  name: string,
  layout: ImageLayout,
): Promise<ReadonlyMap<string, Uint8Array>> {
  // Loaded on the first export.
  const zarr = await import("zarrita");
  const documents = new Map<string, Uint8Array>();
  const store = {
    get: (key: string) => Promise.resolve(documents.get(key.slice(1))),
    set: (key: string, value: Uint8Array) => Promise.resolve(void documents.set(key.slice(1), value)),
  };
  const { axes, packed: { sampleType, chunkRows, columns } } = layout;
  await zarr.create(zarr.root(store), { attributes: { ome: omeAttributes(name, layout) } });
  await zarr.create(zarr.root(store).resolve("0"), {
    shape: axes.map(({ size }) => size),
    chunkShape: axes.map((axis) => axis.name === "y" ? chunkRows : axis.name === "x" ? columns : 1),
    dtype: sampleType,
    fillValue: 0,
    dimensionNames: axes.map((axis) => axis.name),
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: "zstd", configuration: { level: 3, checksum: false } },
    ],
  });
  return documents;
}

/** OME-Zarr 0.5, sections "multiscales" and "omero". */
function omeAttributes(name: string, { axes, channels, packed }: ImageLayout) {
  const [min, max] = RANGES[packed.sampleType];
  return {
    version: "0.5",
    multiscales: [{
      name,
      axes: axes.map(({ name, type, unit }) => ({ name, type, ...unit !== null && { unit } })),
      datasets: [{
        path: "0",
        coordinateTransformations: [{ type: "scale", scale: axes.map(({ scale }) => scale) }],
      }],
    }],
    omero: {
      channels: channels.map(({ label, color }) => ({
        label,
        color,
        active: true,
        window: { min, max, start: min, end: max },
      })),
    },
  };
}
