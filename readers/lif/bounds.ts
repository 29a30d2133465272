/** Bounds of the LIF reader. Each is far above what instruments write and low enough for one small machine. */

/** Blocks of one file, some 150 bytes of memory each; a screen of a plate with 20 fields a well has 30,000. */
export const MAX_BLOCKS = 200_000;

/** Characters of the name of a block; `MemBlock_` and a number are usual. */
export const MAX_ID_CHARACTERS = 256;

/** Images of one file, some 4 KB of memory each. */
export const MAX_IMAGES = 50_000;

/** Characters of the name of an image with the folders above it. */
export const MAX_NAME_CHARACTERS = 500;

/** Dimensions of one image; eleven exist. */
export const MAX_DIMENSIONS = 32;

/** Samples along one dimension. */
export const MAX_EXTENT = 2 ** 31 - 1;
