/**
 * What the formats of this build are called, for dialogs, flags and messages. How content is told stands in the
 * `format.ts` of each folder, which a server does not load: its workers read files.
 */

/** What a format is called. */
export interface FormatName {
  /** `source.format` in the API. */
  readonly name: string;
  /** For file dialogs and messages. */
  readonly title: string;
  /** Lower case, with the leading dot; compound ones win over simple ones. */
  readonly extensions: readonly string[];
  /** True where a path may lead on into a file with one of the extensions, to a part of what it holds. */
  readonly holdsPaths?: boolean;
  /** True where the extensions are those of directories. */
  readonly namesFolders?: boolean;
  /** Files that mark a directory as one image; a path to one of them means its directory. */
  readonly markers?: readonly string[];
  /** Directory below the opened one where the markers count too. */
  readonly markedFolder?: string;
}

/** All formats. */
export const FORMAT_NAMES = {
  tiff: {
    name: "tif",
    title: "TIFF",
    extensions: [".tif", ".tiff", ".ome.tif", ".ome.tiff", ".companion.ome", ".stk", ".btf", ".tf8"],
    markers: ["NDTiff.index"],
    markedFolder: "Full resolution",
  },
  lsm: { name: "lsm", title: "Zeiss LSM", extensions: [".lsm"] },
  oir: { name: "oir", title: "Olympus OIR", extensions: [".oir"] },
  czi: { name: "czi", title: "Zeiss CZI", extensions: [".czi"] },
  nd2: { name: "nd2", title: "Nikon ND2", extensions: [".nd2"] },
  lif: { name: "lif", title: "Leica LIF", extensions: [".lif"] },
  lof: { name: "lof", title: "Leica LOF", extensions: [".lof"] },
  oif: { name: "oif", title: "Olympus OIF", extensions: [".oif"] },
  oib: { name: "oib", title: "Olympus OIB", extensions: [".oib"] },
  prairie: { name: "prairie", title: "Prairie View", extensions: [".xml"] },
  zarr: {
    name: "ome.zarr",
    title: "OME-Zarr",
    extensions: [".ome.zarr", ".zarr"],
    holdsPaths: true,
    namesFolders: true,
    markers: ["zarr.json", ".zgroup", ".zattrs"],
  },
  zarrZip: {
    name: "ome.zarr.zip",
    title: "OME-Zarr in a ZIP file",
    extensions: [".ome.zarr.zip"],
    holdsPaths: true,
  },
} as const satisfies Record<string, FormatName>;

const ALL: readonly FormatName[] = Object.values(FORMAT_NAMES);

/** Extensions of the formats whose images are directories. */
export const STORE_EXTENSIONS: readonly string[] = ALL.flatMap(({ extensions, namesFolders }) =>
  namesFolders ? extensions : []
);

/** Files inside a directory that mark it as an image; a path to one of them means its directory. */
export const STORE_MARKERS: readonly string[] = ALL.flatMap(({ markers }) => markers ?? []);

/** Those of {@linkcode STORE_MARKERS} that mark images of the formats with one of these extensions. */
export const markersOf = (extensions: readonly string[]): string[] =>
  ALL.filter((format) => format.extensions.some((extension) => extensions.includes(extension)))
    .flatMap(({ markers }) => markers ?? []);

/** Every extension that a reader of this build takes, sorted. */
export const SUPPORTED_EXTENSIONS: readonly string[] = ALL.flatMap(({ extensions }) => extensions).sort();

/** The longest extension of {@linkcode SUPPORTED_EXTENSIONS} at the end of a path, without case, or `null`. */
export function extensionOf(path: string): string | null {
  const lower = path.toLowerCase();
  const fitting = SUPPORTED_EXTENSIONS.filter((extension) => lower.endsWith(extension));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** True for the name of a file that a path may lead into. */
export function mayHoldPaths(path: string): boolean {
  const extension = extensionOf(path);
  return extension !== null &&
    ALL.some((format) => format.holdsPaths && format.extensions.includes(extension));
}
