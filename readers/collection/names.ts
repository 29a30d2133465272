/** `source.format` of a collection, in a folder or a ZIP file. */
export const COLLECTION_NAME = "collection";

/** Where acqstore 0.2.0 lists the images of a collection, below its root. */
export const IMAGE_LIST = "acqstore/acq_image_collection.json";

/** `source.format` of an OME-Zarr image in a ZIP file. */
export const ZARR_ZIP_NAME = "ome.zarr.zip";
