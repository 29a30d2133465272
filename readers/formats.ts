/**
 * All formats of this build. Only what recognises them is imported here; their readers are imported on demand, so that an open
 * evaluates only the code of its own format. No reader imports this file.
 */
import { COLLECTION, COLLECTION_ZIP, OME_ZARR, OME_ZARR_ZIP } from "./collection/format.ts";
import { CZI } from "./czi/format.ts";
import type { DirectoryFormat, FileFormat, FileGrouping, Format } from "./format.ts";
import { IMARIS } from "./imaris/format.ts";
import { LIF, LOF } from "./lif/format.ts";
import { LSM } from "./lsm/format.ts";
import { MESC } from "./mesc/format.ts";
import { ND2 } from "./nd2/format.ts";
import { NWB } from "./nwb/format.ts";
import { OIB, OIF } from "./oif/format.ts";
import { OIR } from "./oir/format.ts";
import { PRAIRIE } from "./prairie/format.ts";
import { TIFF } from "./tiff/format.ts";

/** All formats, in the order in which they are compared with a file's first bytes. */
export const FORMATS: readonly Format[] = [
  ...[TIFF, LSM, OIR, CZI, ND2, LIF, LOF, OIF, OIB, PRAIRIE, IMARIS, MESC, NWB],
  ...[OME_ZARR, OME_ZARR_ZIP, COLLECTION, COLLECTION_ZIP],
];

/** Formats whose images are opened by the path of a file. */
export const FILE_FORMATS: readonly FileFormat[] = FORMATS.filter((format) => format.container === "file");

/** Formats whose images may be directories, in the order in which their markers count. */
export const MARKED_FORMATS: readonly Format[] = FORMATS.filter(({ markers }) => markers !== undefined);

/** Formats whose images are directories. */
export const DIRECTORY_FORMATS: readonly DirectoryFormat[] = FORMATS.filter((format) =>
  format.container === "directory"
);

/** A grouping of files, with the short name of its format. */
export type NamedGrouping = FileGrouping & { readonly format: string };

/** Loads the groupings of all formats with several files. Planes of OIF and Prairie View are TIFF files, so these formats come first. */
export async function loadGroupings(): Promise<readonly NamedGrouping[]> {
  const groupings = FILE_FORMATS.toReversed().map(async ({ name, grouping }) =>
    grouping ? [{ ...await grouping(), format: name }] : []
  );
  return (await Promise.all(groupings)).flat();
}

/** The format of a file by its extension. */
export function findFileFormat(name: string): Format | undefined {
  const extension = findExtension(name);
  return FORMATS.find(({ extensions, namesFolders }) =>
    extension !== null && !namesFolders && extensions.includes(extension)
  );
}

const dropRepeats = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** Extensions of the formats whose images are directories. */
export const STORE_EXTENSIONS: readonly string[] = dropRepeats(
  FORMATS.flatMap(({ extensions, namesFolders }) => namesFolders ? extensions : []),
);

/** Files inside a directory that mark it as an image; a path to one of them means its directory. */
export const STORE_MARKERS: readonly string[] = FORMATS.flatMap(({ markers, opensMarker }) =>
  opensMarker ? [] : markers ?? []
);

/** Whole names of files of the formats that have one of these extensions: markers, and extensions that may be a name. */
export const listMarkerNames = (extensions: readonly string[]): string[] =>
  FORMATS.filter((format) => format.extensions.some((extension) => extensions.includes(extension)))
    .flatMap(({ markers = [], bareExtensions = [] }) => [
      // A dialog knows no folders.
      ...markers.map((marker) => marker.split("/").at(-1)!),
      ...bareExtensions.filter((extension) => extensions.includes(extension)).map((bare) => bare.slice(1)),
    ]);

/** Every extension of this build, sorted. */
export const SUPPORTED_EXTENSIONS: readonly string[] = dropRepeats(
  FORMATS.flatMap(({ extensions }) => extensions),
)
  .toSorted();

const BARE_EXTENSIONS = FORMATS.flatMap(({ bareExtensions = [] }) => bareExtensions);

/** The longest supported extension at the end of a path, case ignored, or `null`. */
export function findExtension(path: string): string | null {
  const lower = path.toLowerCase();
  const bare = BARE_EXTENSIONS.find((extension) => `.${/[^/\\]*$/.exec(lower)![0]}` === extension);
  if (bare !== undefined) return bare;
  const fitting = SUPPORTED_EXTENSIONS.filter((extension) => lower.endsWith(extension));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** True for a file into which a path may continue. */
export function mayHoldPaths(path: string): boolean {
  const extension = findExtension(path);
  return extension !== null &&
    FORMATS.some((format) => format.holdsPaths && format.extensions.includes(extension));
}
