/**
 * Limits that all readers share. If the heap of a worker is exhausted, the whole process ends; so everything that a file can
 * make a reader build is limited beforehand. Limits of a single format are in its folder.
 */

/** Largest number of bytes per read call, between two checks of the stop flag. */
export const MAX_READ_STEP = 1 << 20;

/** Largest plane in samples: 4 GiB as float32, the default session memory, so nothing larger could be served. */
export const MAX_PLANE_SAMPLES = 1 << 30;

/** Largest number of channels; spectral instruments have a few hundred. Opening 10,000 blocked the server for 0.1 s. */
export const MAX_CHANNELS = 1000;

/** Largest number of entries to read in a folder when a reader searches for sibling files. */
export const MAX_FOLDER_ENTRIES = 100_000;

/** Largest XML document in bytes; the OME-XML of a plate of thousands of images is smaller. */
export const MAX_XML_BYTES = 32 << 20;

/** Largest number of elements and attributes in an XML document, about 500 bytes of heap each. */
export const MAX_XML_NODES = 1_000_000;

/** Deepest nesting of an XML document. */
export const MAX_XML_DEPTH = 256;

/** Largest JSON document in bytes: a `zarr.json`, a `.zattrs`, a document of a collection. */
export const MAX_JSON_BYTES = 16 << 20;

/** Largest number of scenes that an open lists; a plate of 384 wells with nine fields each has 3,456. */
export const MAX_LISTED_SCENES = 10_000;

/** Largest number of bytes of all metadata documents of an acquisition. */
export const MAX_DOCUMENT_BYTES = 32 << 20;
