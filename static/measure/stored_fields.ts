/**
 * Names that the page stores in settings besides what `acq-server measure` reads, by where they stand. The pieces of the page
 * check stored settings by the same names.
 */
export const STORED_FIELDS = {
  /** Drawings and settings of a picture. */
  settings: [
    "shape",
    "isLineScan",
    "measurements",
    "cursors",
    "isKymographMade",
    "accepted",
    "origin",
    "version",
  ],
  bands: ["id", "color"],
  regions: ["kind", "ends", "color", "coordinate_space", "metadata", "position", "points", "width", "style"],
  kymograph: ["isMade", "look"],
  images: ["part", "parts", "channels", "at", "about"],
  measurement: ["trace"],
} as const;
