/** Bounds of the TIFF reader, far above what instruments write and low enough for a small machine. */

/** Directories of one file: a camera at 1 kHz fills this in a quarter of an hour. */
export const MAX_DIRECTORIES = 1 << 20;

/** Entries of one directory; the tags that exist number a few hundred. */
export const MAX_ENTRIES = 4096;

/** Strips or tiles of one page: one strip per row and channel of the largest plane; 16 bytes of heap each. */
export const MAX_SEGMENTS = 1 << 22;

/** Decoded bytes of one compressed strip or tile: a whole plane of 2^28 float64 samples in one strip. */
export const MAX_SEGMENT_BYTES = 2 ** 31 - 1;

/** Planes that one description may declare; keeps index arithmetic exact. */
export const MAX_PLANES = 2 ** 31;

/** Bytes of a vendor structure that is read as a whole (Micro-Manager summary, ScanImage header, MetaMorph table). */
export const MAX_VENDOR_BYTES = 16 << 20;

/** Bits per sample that are read. */
export const MAX_BITS = 64;

/** Scenes of a file whose pages are grouped by layout alone. */
export const MAX_PAGE_SCENES = 1000;

/** Bytes of a description that begins a further array; tifffile writes some hundred. */
export const MAX_SHAPE_TEXT = 1 << 16;
