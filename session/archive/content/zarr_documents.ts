/** The metadata documents of a written image. */
import type { PackedType } from "../../../readers/samples/packed_plane.ts";
import type { WrittenImage } from "./image_layout.ts";
import type { Contrast } from "./archive_orders.ts";

/** Range of each type of integers, which viewers offer for the contrast. */
const RANGES: Readonly<Partial<Record<PackedType, readonly [number, number]>>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
};

/**
 * Documents of an image by their paths below its folder (Zarr 3).
 *
 * @param contrasts of the channels, before `L` is folded into `c`
 * @param member id under which it belongs to the collection; `null` for a reference image
 */
export function writeZarrDocuments(
  name: string,
  layout: WrittenImage,
  contrasts: readonly (Contrast | null)[],
  member: string | null,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const { axes, packed: { sampleType, chunkRows, columns } } = layout;
  const chunk_shape = axes.map((axis) => axis.name === "y" ? chunkRows : axis.name === "x" ? columns : 1);
  return {
    "zarr.json": {
      zarr_format: 3,
      node_type: "group",
      attributes: {
        ome: writeOmeAttributes(name, layout, contrasts),
        ...member !== null && { acq_server: { member } },
      },
    },
    "0/zarr.json": {
      zarr_format: 3,
      node_type: "array",
      shape: axes.map(({ size }) => size),
      data_type: sampleType,
      chunk_grid: { name: "regular", configuration: { chunk_shape } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      codecs: [
        { name: "bytes", configuration: { endian: "little" } },
        { name: "zstd", configuration: { level: 3, checksum: false } },
      ],
      fill_value: 0,
      dimension_names: axes.map((axis) => axis.name),
    },
  };
}

/** OME-Zarr 0.5, sections "multiscales" and "omero". */
function writeOmeAttributes(
  name: string,
  { axes, channels, packed, spectral }: WrittenImage,
  contrasts: readonly (Contrast | null)[],
) {
  const range = RANGES[packed.sampleType];
  const windowOf = (channel: number) => {
    const shown = contrasts[Math.floor(channel / spectral)] ?? null;
    const [min, max] = range ?? (shown ? [shown.min, shown.max] : [0, 1]);
    return { min, max, start: shown?.start ?? min, end: shown?.end ?? max };
  };
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
      channels: channels.map(({ label, color }, channel) => ({
        label,
        color,
        active: true,
        window: windowOf(channel),
      })),
    },
  };
}
