/** `source.format` of a collection, in a folder or a ZIP file. */
export const COLLECTION_NAME = "collection";

/** `source.format` of an OME-Zarr image in a ZIP file. */
export const ZARR_ZIP_NAME = "ome.zarr.zip";
