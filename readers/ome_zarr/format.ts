/** OME-Zarr in a directory and in a ZIP file. */
import { type Format, startsWith } from "../format.ts";
import { GROUP_MARKERS } from "./markers.ts";
import { holdsZarr } from "./zip_directory.ts";

const load = () => import("./mod.ts");

/** Both containers, which one reader opens. */
export const OME_ZARR: readonly Format[] = [
  {
    name: "ome.zarr",
    title: "OME-Zarr",
    extensions: [".ome.zarr", ".zarr"],
    holdsPaths: true,
    container: "directory",
    markers: GROUP_MARKERS,
    content: "Zarr group metadata",
    load,
  },
  {
    name: "ome.zarr.zip",
    title: "OME-Zarr in a ZIP file",
    extensions: [".ome.zarr.zip"],
    holdsPaths: true,
    container: "file",
    // Header of the first entry; an archive without entries starts with its end record.
    recognises: (head) => startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6),
    confirms: holdsZarr,
    load,
  },
];
