/** OME-Zarr in a directory and in a ZIP file, whose images may be members of a collection. */
import { type Format, FORMAT_NAMES, startsWith } from "../format.ts";
import { holdsZarr } from "../ome_zarr/zip_directory.ts";

const load: Format["load"] = () => import("./mod.ts");

/** Both containers. */
export const OME_ZARR: readonly Format[] = [
  { ...FORMAT_NAMES.zarr, container: "directory", content: "Zarr group metadata", load },
  {
    ...FORMAT_NAMES.zarrZip,
    container: "file",
    // Header of the first entry; an archive without entries starts with its end record.
    recognises: (head) => startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6),
    confirms: holdsZarr,
    load,
  },
];
