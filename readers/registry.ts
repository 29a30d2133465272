/**
 * The formats of this build: which extensions and which first bytes belong to which reader, and how to load it.
 * Readers are loaded when first needed, so that the server itself holds none of their libraries.
 */
import { holdsZarr } from "./ome_zarr/zip_directory.ts";
import { explainOirRelative } from "./oir/relatives.ts";
import type { RandomAccessFile } from "./random_access.ts";
import type { OpenAcquisition } from "./reader.ts";

/** Bytes at the start of a file that are enough for every format to be told. */
export const HEAD_BYTES = 64;

/** One format. */
export interface Format {
  /** `source.format` in the API. */
  readonly name: string;
  /** For file dialogs and messages. */
  readonly title: string;
  /** Lower case, with the leading dot; compound ones win over simple ones. */
  readonly extensions: readonly string[];
  /** Whether an image of this format is a file or the directory of a store. */
  readonly container: "file" | "directory";
  /** True when the first bytes of a file (at most {@linkcode HEAD_BYTES}) are of this format. */
  recognises(head: Uint8Array): boolean;
  /**
   * For a container that several formats use: whether a recognised file with none of the format's extensions is of
   * this format. Without it the first bytes decide.
   */
  confirms?(file: RandomAccessFile): boolean;
  /**
   * For content of another kind in a file that is named like this format or a relative of it: what it is and what to
   * open instead, in one clause that starts with "it is", or `null`.
   */
  explains?(head: Uint8Array): string | null;
  /** Extensions of relatives that are not read, lower case; {@linkcode explains} tells what to open instead. */
  readonly relatives?: readonly string[];
  /** Loads the reader; a literal import, so that `deno compile` embeds it. */
  load(): Promise<{ open: OpenAcquisition }>;
}

const startsWith = (head: Uint8Array, ...bytes: number[]) => bytes.every((byte, i) => head[i] === byte);

/** All formats, in the order in which their first bytes are tried. */
export const FORMATS: readonly Format[] = [
  {
    name: "tif",
    title: "TIFF",
    extensions: [".tif", ".tiff", ".ome.tif", ".ome.tiff", ".stk", ".btf", ".tf8"],
    container: "file",
    // TIFF 6.0 section 2 and the BigTIFF design: byte order, then 42 or 43 in that order.
    recognises: (head) =>
      startsWith(head, 0x49, 0x49, 42, 0) || startsWith(head, 0x4d, 0x4d, 0, 42) ||
      startsWith(head, 0x49, 0x49, 43, 0) || startsWith(head, 0x4d, 0x4d, 0, 43),
    load: () => import("./tiff/mod.ts"),
  },
  {
    name: "oir",
    title: "Olympus OIR",
    extensions: [".oir"],
    container: "file",
    recognises: (head) => startsWith(head, ...new TextEncoder().encode("OLYMPUSRAWFORMAT")),
    relatives: [".poir", ".mpoir", ".omp2info"],
    explains: explainOirRelative,
    load: () => import("./oir/mod.ts"),
  },
  {
    name: "ome.zarr",
    title: "OME-Zarr",
    extensions: [".ome.zarr", ".zarr"],
    container: "directory",
    recognises: () => false,
    load: () => import("./ome_zarr/mod.ts"),
  },
  {
    name: "ome.zarr.zip",
    title: "OME-Zarr in a ZIP file",
    extensions: [".ome.zarr.zip"],
    container: "file",
    // Header of the first entry; an archive without entries starts with its end record.
    recognises: (head) => startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6),
    confirms: holdsZarr,
    load: () => import("./ome_zarr/mod.ts"),
  },
];

/** Files inside a directory that mark it as a Zarr group; a path to one of them means its directory. */
export const STORE_MARKERS = ["zarr.json", ".zgroup", ".zattrs"] as const;

/** Every extension that a reader of this build takes, sorted. */
export const SUPPORTED_EXTENSIONS: readonly string[] = FORMATS.flatMap((format) => format.extensions).sort();

/** What a file that no reader takes is and what to open instead, by the extension of a relative, or `null`. */
export function explanationOf(path: string, head: Uint8Array): string | null {
  const lower = path.toLowerCase();
  const format = FORMATS.find(({ relatives }) => relatives?.some((extension) => lower.endsWith(extension)));
  return format?.explains?.(head) ?? null;
}

/** The longest extension of {@linkcode SUPPORTED_EXTENSIONS} at the end of a path, without case, or `null`. */
export function extensionOf(path: string): string | null {
  const lower = path.toLowerCase();
  const fitting = SUPPORTED_EXTENSIONS.filter((extension) => lower.endsWith(extension));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
}
