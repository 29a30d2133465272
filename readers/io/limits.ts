/**
 * Bounds that all readers share. Heap exhaustion in a worker ends the whole process, so whatever a file can
 * make a reader build is bounded before it is built; bounds of one format stand in that format's folder.
 */

/** Bytes of one read call, between two checks of the stop flag. */
export const MAX_READ_STEP = 1 << 20;

/** Samples of one plane: 4 GiB as float32, the default session memory, so nothing larger could be served. */
export const MAX_PLANE_SAMPLES = 1 << 30;

/** Channels of one acquisition; spectral instruments have a few hundred. An open of 10,000 blocks the server for 0.1 s. */
export const MAX_CHANNELS = 1000;

/** Entries looked at in one folder when a reader searches for siblings. */
export const MAX_FOLDER_ENTRIES = 100_000;

/** Bytes of one XML document; the OME-XML of a plate of thousands of images stays below it. */
export const MAX_XML_BYTES = 32 << 20;

/** Elements and attributes of one XML document, about 500 bytes of heap each. */
export const MAX_XML_NODES = 1_000_000;

/** Nesting of one XML document. */
export const MAX_XML_DEPTH = 256;

/** Bytes of one JSON document: a `zarr.json`, a `.zattrs`, a document of a collection. */
export const MAX_JSON_BYTES = 16 << 20;

/** Scenes that an open lists; a plate of 384 wells with nine fields each has 3,456. */
export const MAX_LISTED_SCENES = 10_000;

/** Bytes of the metadata documents of one acquisition that are served together. */
export const MAX_DOCUMENT_BYTES = 32 << 20;
