/**
 * The formats of this build: how each is recognised, and where its reader is. What the first bytes and the name do not tell is
 * imported on demand, so that an open evaluates only the code of its own format. No reader imports this file.
 */
import { basename } from "node:path";
import {
  type DirectoryFormat,
  extensionOf,
  type FileFormat,
  type Format,
  FORMAT_NAMES,
  startsWith,
} from "./format.ts";
import type { Hdf5Format } from "./hdf5/marks.ts";
import type { ByteSource } from "./io/byte_source.ts";
import { textFrom } from "./metadata/text.ts";
import { TAG } from "./tiff/tags.ts";

const beginsWith = (head: Uint8Array, text: string) => startsWith(head, ...new TextEncoder().encode(text));

/** Extensions of ScanImage recordings along arbitrary lines, which are not read. */
const SCANIMAGE_LINE_FILES: readonly string[] = [".pmt.dat", ".meta.txt", ".scnnr.dat"];

/** TIFF 6.0 section 2 and the BigTIFF design: byte order, then 42 or 43 in that order. */
function isTiff(head: Uint8Array): boolean {
  return [42, 43].some((n) => startsWith(head, 0x49, 0x49, n, 0) || startsWith(head, 0x4d, 0x4d, 0, n));
}

const TIFF: FileFormat = {
  ...FORMAT_NAMES.tiff,
  container: "file",
  content: "index of NDTiff",
  recognises: isTiff,
  // Opens the XML document of a set, too, which is not a TIFF itself.
  claims: (path) => extensionOf(path) === ".companion.ome",
  relatives: SCANIMAGE_LINE_FILES,
  explains: (_head, name) =>
    SCANIMAGE_LINE_FILES.some((extension) => name.toLowerCase().endsWith(extension))
      ? "it is named like a part of a recording of ScanImage along arbitrary lines, whose samples are not stored as TIFF " +
        "and are not read: convert the line scan with ScanImage"
      : null,
  load: () => import("./tiff/mod.ts"),
};

/** A TIFF with a Zeiss record, whatever its extension. Databases (MDB) beside such files are not read. */
const LSM: FileFormat = {
  ...FORMAT_NAMES.lsm,
  container: "file",
  // LSM is always a little-endian TIFF with offsets of 32 bits.
  recognises: (head) => startsWith(head, 0x49, 0x49, 42, 0),
  isDialect: async (file) => (await import("./tiff/tiff_file.ts")).startsWithTag(file, TAG.CZ_LSMINFO),
  relatives: [".mdb"],
  explains: (head) =>
    ["Standard Jet DB", "Standard ACE DB"].includes(String.fromCharCode(...head.subarray(4, 19)))
      ? "it is a database without pixels: open an .lsm that it lists, each is complete by itself"
      : null,
  load: () => import("./lsm/mod.ts"),
};

const OIR: FileFormat = {
  ...FORMAT_NAMES.oir,
  container: "file",
  recognises: (head) => beginsWith(head, "OLYMPUSRAWFORMAT"),
  relatives: [".poir", ".mpoir", ".omp2info"],
  explains(head) {
    if (isZip(head)) return "it is a ZIP archive, as .poir and .mpoir are: unpack it and open an .oir inside";
    return asciiOf(head).trimStart().startsWith("<?xml")
      ? "it is an XML document, as .omp2info is, and holds no pixels: open an .oir of the mosaic that it describes"
      : null;
  },
  load: () => import("./oir/mod.ts"),
};

/** The format CZI, called ZISRAW in its documentation. */
const CZI: FileFormat = {
  ...FORMAT_NAMES.czi,
  container: "file",
  recognises: (head) => beginsWith(head, "ZISRAWFILE"),
  load: () => import("./czi/mod.ts"),
};

const isNd2Chunk = (head: Uint8Array) => startsWith(head, 0xda, 0xce, 0xbe, 0x0a);

/** ND2, which consists of chunks or, before 2010, of JPEG 2000 boxes. */
const ND2: FileFormat = {
  ...FORMAT_NAMES.nd2,
  container: "file",
  // The signature box of JPEG 2000 (ITU-T T.800, annex I.5.1) begins the oldest files, and any other picture of this kind.
  recognises: (head) => isNd2Chunk(head) || startsWith(head, 0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20),
  confirms: async (file) =>
    isNd2Chunk(file.read(0, 4, "the first bytes")) ||
    (await import("./nd2/legacy.ts")).boxMapOffset(file) !== null,
  load: () => import("./nd2/mod.ts"),
};

/** Offset of the first text in UTF-16, after its magic, sizes and mark. */
const LEICA_TEXT_AT = 13;

/** The start of the first text of a Leica file, or `""`. */
function leicaText(head: Uint8Array): string {
  if (head.length < LEICA_TEXT_AT || !startsWith(head, 0x70, 0, 0, 0) || head[8] !== 0x2a) return "";
  const whole = head.length - (head.length - LEICA_TEXT_AT) % 2;
  return new TextDecoder("utf-16le").decode(head.subarray(LEICA_TEXT_AT, whole));
}

/** True if one text starts with the other, since the first bytes may hold only part of it. */
const begins = (text: string, start: string) =>
  text !== "" && (start.startsWith(text) || text.startsWith(start));

/** True for the text of a LIFEXT file, which contains reduced copies of the images in a LIF file. */
const isLifExtension = (text: string) => text.length >= 20 && begins(text, "<LMSDataContainerEnhancedHeader");

/** True for the text of a LOF file, in the place of a LIF file's XML. */
const isLeicaObject = (text: string) => begins(text, "LMS_Object_File");

function explainLeica(head: Uint8Array): string | null {
  const text = leicaText(head);
  if (isLifExtension(text)) {
    return "it holds smaller copies of the images of a LIF file; open the .lif file beside it";
  }
  if (isLeicaObject(text)) return "it is a single Leica object (LOF); its name ends with .lof";
  const start = new TextDecoder("latin1").decode(head).replace(/\0/g, "").replace(/^(?:ÿþ|þÿ|ï»¿)/, "");
  return /^\s*<(?:\?xml|LMSDataContainerHeader|Data>)/.test(start)
    ? "it is an XML document that names the files of a Leica experiment; open the .lof or .tif files that it names"
    : null;
}

/** LIF, as written by LAS AF and LAS X: many images in one file. */
const LIF: FileFormat = {
  ...FORMAT_NAMES.lif,
  container: "file",
  recognises(head) {
    const text = leicaText(head);
    return beginsWithTag(text) && !isLifExtension(text);
  },
  relatives: [".lifext", ".xlef", ".xlif", ".xlcf", ".xllf"],
  explains: explainLeica,
  load: () => import("./lif/mod.ts"),
};

/** LOF, as written by LAS X: one image. */
const LOF: FileFormat = {
  ...FORMAT_NAMES.lof,
  container: "file",
  recognises: (head) => isLeicaObject(leicaText(head)),
  explains: explainLeica,
  load: () => import("./lif/mod.ts"),
};

/** The ASCII characters of a text with one or two bytes per character; drops byte order marks. */
const asciiOf = (bytes: Uint8Array) =>
  String.fromCharCode(...bytes.filter((byte) => byte > 0 && byte < 0x80));

/** Number of bytes in which the first section of Olympus settings is searched. */
const SEARCHED_BYTES = 4096;

/** Olympus FluoView: a settings file with a folder of planes. */
const OIF: FileFormat = {
  ...FORMAT_NAMES.oif,
  container: "file",
  recognises: (head) => /^\s*\[[a-z][a-z0-9 ]/i.test(asciiOf(head)),
  // The settings of acquisitions and of planes begin with this section, and no other text does.
  confirms: (file) =>
    asciiOf(file.read(0, Math.min(SEARCHED_BYTES, file.size), "the start")).trimStart()
      .startsWith("[Acquisition Parameters Common]"),
  claims: async (path, files) =>
    /^s_.*\.tif$/i.test(basename(path)) && (await import("./oif/streams.ts")).isPartOfOif(path, files),
  load: () => import("./oif/mod.ts"),
};

/** The same files in one compound file. */
const OIB: FileFormat = {
  ...FORMAT_NAMES.oib,
  container: "file",
  recognises: (head) => startsWith(head, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
  confirms: async (file) => (await import("./oif/streams.ts")).isOib(file),
  load: () => import("./oif/mod.ts"),
};

const pvscanFiles = () => import("./metadata/pvscan_files.ts");

/** True if a text may begin with XML, after any byte order mark. */
const beginsWithTag = (text: string) => /^\uFEFF?\s*</.test(text);

/** Bruker (Prairie Technologies) Prairie View: the XML document of a scan, and the TIFF images that it names. */
const PRAIRIE: FileFormat = {
  ...FORMAT_NAMES.prairie,
  sharesExtensions: true,
  container: "file",
  recognises: (head) => beginsWithTag(textFrom(head)),
  isDialect: async (file) => (await pvscanFiles()).holdsScan(file),
  claims: async (path, files) =>
    /_Cycle\d+_.*\.tif/i.test(basename(path)) && (await pvscanFiles()).isPartOfScan(path, files),
  isRelative: async (name) => /\.env$/i.test(name) || (await pvscanFiles()).isRawData(name),
  async explains(head, name) {
    if ((await pvscanFiles()).isRawData(name)) {
      return "it is unconverted raw data of Prairie View: convert it with the Image-Block Ripping Utility " +
        "of Prairie View and open the XML document";
    }
    const text = textFrom(head).replace(/<!--[^]*?-->/g, "");
    if (!beginsWithTag(text)) return null;
    if (/<(?:\w+:)?OME[\s/>]/.test(text)) {
      return "it is an OME-XML document without images: open one of the TIFF files that it names";
    }
    if (/<(?:PV\w*|Environment|VRec\w*|VoltageRecording\w*)[\s/>]/.test(text)) {
      return 'it is a document of Prairie View without images: open the XML document of the scan, which begins with "<PVScan"';
    }
    return /\.(?:xml|env)$/i.test(name) ? "it is an XML document, but not of a scan of Prairie View" : null;
  },
  load: () => import("./prairie/mod.ts"),
};

/** A format whose files are HDF5. */
const hdf5 = (format: Hdf5Format) => ({
  container: "file",
  // HDF5 File Format Specification, section II.A; files with a user block before it are not read.
  recognises: (head: Uint8Array) => startsWith(head, 0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a),
  confirms: async (file: ByteSource) => (await import("./hdf5/marks.ts")).isHdf5Format(file, format),
} as const);

const IMARIS: FileFormat = {
  ...FORMAT_NAMES.imaris,
  ...hdf5("imaris"),
  explains: (head) =>
    isTiff(head) ? "it is a file of Imaris 2.7, which is a kind of TIFF: save it in a newer version" : null,
  load: () => import("./imaris/mod.ts"),
};

const MESC: FileFormat = {
  ...FORMAT_NAMES.mesc,
  ...hdf5("mesc"),
  relatives: [".mes"],
  explains: (head, name) =>
    name.toLowerCase().endsWith(".mes") || beginsWith(head, "MATLAB")
      ? "it is an older file of Femtonics, a MATLAB file: export it as .mesc"
      : null,
  load: () => import("./mesc/mod.ts"),
};

const NWB: FileFormat = { ...FORMAT_NAMES.nwb, ...hdf5("nwb"), load: () => import("./nwb/mod.ts") };

/** Header of the first entry; an archive without entries begins with its end record. */
const isZip = (head: Uint8Array) => startsWith(head, 0x50, 0x4b, 3, 4) || startsWith(head, 0x50, 0x4b, 5, 6);

const isZarrZip = {
  container: "file",
  recognises: isZip,
  confirms: async (file: ByteSource) => (await import("./ome_zarr/zip_directory.ts")).holdsZarr(file),
} as const;

const loadZarr = () => import("./collection/mod.ts");

/** OME-Zarr images and collections of them, in directories and ZIP files. The reader distinguishes images from collections. */
const OME_ZARR: readonly Format[] = [
  { ...FORMAT_NAMES.zarr, container: "directory", content: "Zarr group metadata", load: loadZarr },
  { ...FORMAT_NAMES.zarrZip, ...isZarrZip, load: loadZarr },
  {
    ...FORMAT_NAMES.collection,
    container: "directory",
    content: "collection.json",
    marksFolder: async (folder, files) =>
      (await import("./collection/documents.ts")).documentsAround(folder, files).length > 0,
    load: loadZarr,
  },
  { ...FORMAT_NAMES.zip, ...isZarrZip, sharesExtensions: true, load: loadZarr },
];

/** All formats, in the order in which they are compared with a file's first bytes. */
export const FORMATS: readonly Format[] = [
  ...[TIFF, LSM, OIR, CZI, ND2, LIF, LOF, OIF, OIB, PRAIRIE, IMARIS, MESC, NWB],
  ...OME_ZARR,
];

/** Formats whose images are opened by the path of a file. */
export const FILE_FORMATS: readonly FileFormat[] = FORMATS.filter((format) => format.container === "file");

/** Formats whose images may be directories. */
export const MARKED_FORMATS: readonly Format[] = FORMATS.filter(({ markers }) => markers !== undefined);

/** Formats whose images are directories. */
export const DIRECTORY_FORMATS: readonly DirectoryFormat[] = FORMATS.filter((format) =>
  format.container === "directory"
);
