/** Metadata files of a Zarr group; each marks its folder as an image. */
export const GROUP_MARKERS: readonly string[] = ["zarr.json", ".zgroup", ".zattrs"];
