import { startsZip } from "../first_bytes.ts";
import type { DirectoryFormat, FileFormat } from "../format.ts";
import type { ByteSource } from "../io/byte_source.ts";
import { COLLECTION_NAME, IMAGE_LIST, ZARR_ZIP_NAME } from "./names.ts";
import { GROUP_MARKERS } from "../ome_zarr/markers.ts";

/** The reader distinguishes images from collections. */
const load = () => import("./mod.ts");

const inZip = {
  container: "file",
  recognises: startsZip,
  confirms: async (file: ByteSource) => (await import("../ome_zarr/zip_directory.ts")).holdsZarr(file),
} as const;

/** OME-Zarr images in folders. */
export const OME_ZARR: DirectoryFormat = {
  name: "ome.zarr",
  title: "OME-Zarr",
  extensions: [".ome.zarr", ".zarr"],
  holdsPaths: true,
  namesFolders: true,
  markers: GROUP_MARKERS,
  container: "directory",
  content: "Zarr group metadata",
  load,
};

/** OME-Zarr images in ZIP files of their own extension. */
export const OME_ZARR_ZIP: FileFormat = {
  name: ZARR_ZIP_NAME,
  title: "OME-Zarr in a ZIP file",
  extensions: [".ome.zarr.zip", ".ozx"],
  holdsPaths: true,
  ...inZip,
  load,
};

/** A collection in a folder. If extensions are restricted, the folder counts as an OME-Zarr image. */
export const COLLECTION: DirectoryFormat = {
  name: COLLECTION_NAME,
  title: "Collection of OME-Zarr images",
  extensions: [".ome.zarr", ".zarr"],
  namesFolders: true,
  markers: ["collection.json", IMAGE_LIST],
  opensMarker: true,
  container: "directory",
  content: "collection.json",
  marksFolder: async (folder, files) =>
    (await import("./documents.ts")).findDocuments(folder, files).length > 0,
  load,
};

/** Collections in ZIP files. */
export const COLLECTION_ZIP: FileFormat = {
  name: COLLECTION_NAME,
  title: "Collection in a ZIP file",
  extensions: [".zip"],
  ...inZip,
  sharesExtensions: true,
  load,
};
