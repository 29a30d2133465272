/** The names of all formats, for dialogs, flags and messages. How a format is recognised is in `registry.ts`. */
import type { ByteSource } from "./io/byte_source.ts";
import type { FileAccess } from "./io/random_access.ts";
import type { ReadScenes } from "./reader.ts";

/** Names and extensions of a format. */
export interface FormatName {
  /** `source.format` in the API. */
  readonly name: string;
  /** Name in file dialogs and messages. */
  readonly title: string;
  /** Extensions in lower case with the leading dot; the longest that fits counts. */
  readonly extensions: readonly string[];
  /** True if a path may continue into a file with one of the extensions, to a part of its content. */
  readonly holdsPaths?: boolean;
  readonly namesFolders?: boolean;
  /** Files that mark a directory as one image; a path to one of them means its directory. */
  readonly markers?: readonly string[];
  /** True if a path to a marker means the marker itself. */
  readonly opensMarker?: boolean;
  /** Directory below the opened one in which markers also count. */
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
  imaris: { name: "ims", title: "Imaris", extensions: [".ims"] },
  mesc: { name: "mesc", title: "Femtonics MESc", extensions: [".mesc"] },
  nwb: { name: "nwb", title: "NWB", extensions: [".nwb"] },
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
    extensions: [".ome.zarr.zip", ".ozx"],
    holdsPaths: true,
  },
  // If extensions are restricted, a folder counts as an OME-Zarr image.
  collection: {
    name: "collection",
    title: "Collection of OME-Zarr images",
    extensions: [".ome.zarr", ".zarr"],
    namesFolders: true,
    markers: ["collection.json"],
    opensMarker: true,
  },
  zip: { name: "collection", title: "Collection in a ZIP file", extensions: [".zip"] },
} as const satisfies Record<string, FormatName>;

const ALL: readonly FormatName[] = Object.values(FORMAT_NAMES);

/** The format of a file by its extension. */
export function fileFormatOf(name: string): FormatName | undefined {
  const extension = extensionOf(name);
  return ALL.find(({ extensions, namesFolders }) =>
    extension !== null && !namesFolders && extensions.includes(extension)
  );
}

/** Formats whose images may be directories, in the order in which their markers count. */
export const MARKED_NAMES: readonly FormatName[] = ALL.filter(({ markers }) => markers !== undefined);

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Extensions of the formats whose images are directories. */
export const STORE_EXTENSIONS: readonly string[] = unique(
  ALL.flatMap(({ extensions, namesFolders }) => namesFolders ? extensions : []),
);

/** Files inside a directory that mark it as an image; a path to one of them means its directory. */
export const STORE_MARKERS: readonly string[] = ALL.flatMap(({ markers, opensMarker }) =>
  opensMarker ? [] : markers ?? []
);

/** Markers of the formats that have one of these extensions. */
export const markersOf = (extensions: readonly string[]): string[] =>
  ALL.filter((format) => format.extensions.some((extension) => extensions.includes(extension)))
    .flatMap(({ markers }) => markers ?? []);

/** Every extension of this build, sorted. */
export const SUPPORTED_EXTENSIONS: readonly string[] = unique(ALL.flatMap(({ extensions }) => extensions))
  .toSorted();

/** Name of a companion document without a stem before its extension. */
const BARE_COMPANION = /(?:^|[\\/])companion\.ome$/i;

/** The longest supported extension at the end of a path, case ignored, or `null`. `companion.ome` is an extension by itself. */
export function extensionOf(path: string): string | null {
  const lower = path.toLowerCase().replace(BARE_COMPANION, ".companion.ome");
  const fitting = SUPPORTED_EXTENSIONS.filter((extension) => lower.endsWith(extension));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** True for a file into which a path may continue. */
export function mayHoldPaths(path: string): boolean {
  const extension = extensionOf(path);
  return extension !== null &&
    ALL.some((format) => format.holdsPaths && format.extensions.includes(extension));
}

/** Number of bytes at the start of a file that suffice to recognise every format. */
export const HEAD_BYTES = 64;

/** Properties of every format. */
export interface FormatBase extends FormatName {
  /** Lower-case extensions of related files that are not read; {@linkcode explains} says what to open instead. */
  readonly relatives?: readonly string[];
  isRelative?(name: string): Promise<boolean>;
  /** What the markers stand for, in messages. */
  readonly content?: string;
  /** True if many programs use the extensions: unrecognised content then counts as unknown rather than damaged. */
  readonly sharesExtensions?: boolean;
  /** For a file related to this format by name only: a clause "it is ..." that says what to open instead, or `null`. */
  explains?(head: Uint8Array, name: string): string | null | Promise<string | null>;
  /** Loads the reader; a literal import, so that `deno compile` embeds it. */
  load(): Promise<{ scenes: ReadScenes }>;
}

/** The names in a folder, for finding the parts of one acquisition. */
export interface FolderNames {
  readonly folder: string;
  /** The stored name of the file with this name, found as in `io/names.ts`, or `null`. */
  find(name: string): string | null;
  /** Files whose names end with `ending`, ignoring case. @param ending in lower case */
  ending(ending: string): readonly string[];
}

/** A format whose images are opened by the path of a file. */
export interface FileFormat extends FormatBase {
  readonly container: "file";
  /** True when the first bytes of a file, at most {@linkcode HEAD_BYTES}, belong to this format. */
  recognises(head: Uint8Array): boolean;
  /** For a dialect that is a format of its own: recognises a file regardless of its extension. */
  isDialect?(file: ByteSource): Promise<boolean>;
  /** For a container of several formats: recognises a file whose extension belongs to none; by default the first bytes decide. */
  confirms?(file: ByteSource): boolean | Promise<boolean>;
  /** True for a file that is part of an acquisition of this format, whatever its content. The acquisition is opened instead. */
  claims?(path: string, files: FileAccess): boolean | Promise<boolean>;
}

/** A format whose images are directories. */
export interface DirectoryFormat extends FormatBase {
  readonly container: "directory";
  /** A directory holds at least one of these files; a path to one of them means its directory. */
  readonly markers: readonly string[];
  /** True for an image directory without a marker. */
  marksFolder?(folder: string, files: FileAccess): Promise<boolean>;
}

/** One format. */
export type Format = FileFormat | DirectoryFormat;

/** True if `head` starts with these bytes. */
export const startsWith = (head: Uint8Array, ...bytes: number[]): boolean =>
  bytes.every((byte, i) => head[i] === byte);
