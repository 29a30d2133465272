/** OME-Zarr in directories and ZIP files, and collections of such images. */
import { type Format, FORMAT_NAMES, startsWith } from "../format.ts";
import { holdsZarr } from "../ome_zarr/zip_directory.ts";
import { documentsBelow, MAX_FOLDERS } from "./root.ts";

const load: Format["load"] = () => import("./mod.ts");

/** Header of the first entry; an archive without entries begins with its end record. */
const isZip = (head: Uint8Array) => startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6);

/** All containers. The reader distinguishes images from collections. */
export const OME_ZARR: readonly Format[] = [
  { ...FORMAT_NAMES.zarr, container: "directory", content: "Zarr group metadata", load },
  { ...FORMAT_NAMES.zarrZip, container: "file", recognises: isZip, confirms: holdsZarr, load },
  {
    ...FORMAT_NAMES.collection,
    container: "directory",
    content: "collection.json",
    marksFolder: (folder, files) => documentsBelow(folder, files, MAX_FOLDERS, () => {}).length > 0,
    load,
  },
  {
    ...FORMAT_NAMES.zip,
    container: "file",
    sharesExtensions: true,
    recognises: isZip,
    confirms: holdsZarr,
    load,
  },
];
