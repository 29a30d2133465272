/** Bounds of the CZI reader. Each is far above what instruments write and low enough for one small machine. */

/**
 * Subblocks of one document: light sheets of 1000 time points, 500 focus planes and 2 channels; 80 bytes of memory each,
 * outside the heap.
 */
export const MAX_SUBBLOCKS = 1 << 20;

/** Dimensions of one subblock; twelve exist. */
export const MAX_DIMENSIONS = 40;

/** Orders of dimensions in one document; a writer uses one or two. */
export const MAX_ORDERS = 256;

/** Samples along one dimension of a subblock. */
export const MAX_EXTENT = 1 << 30;

/** Decoded bytes of one subblock: a whole plane of 2^28 float64 samples. */
export const MAX_SUBBLOCK_BYTES = 2 ** 31 - 1;

/** Scenes of one document; a plate of 1536 wells with 36 positions each has 55,296. */
export const MAX_SCENES = 100_000;

/** Subblocks that the planes of one plan are put together from; 1 KiB of the heap each, which may have 1 GiB. */
export const MAX_PLANNED = 1 << 19;

/** Attachments of one document; a dozen are usual. */
export const MAX_ATTACHMENTS = 10_000;

/** Segments of one document that are walked over where its directories do not help. */
export const MAX_SEGMENTS = 1 << 21;

/** Points of the path of a line scan; one has some hundreds. */
export const MAX_PATH_POINTS = 1 << 20;

/** Bytes of the metadata of one subblock; a few hundred are usual. */
export const MAX_SUBBLOCK_XML = 1 << 20;

/** Bytes of what is attached to one subblock: a mask of 2^30 pixels. */
export const MAX_BLOB_BYTES = 1 << 28;

/** Files of one split document. */
export const MAX_PARTS = 1000;
