/** Bruker (Prairie Technologies) Prairie View. */
import { type FileFormat, type FolderNames, FORMAT_NAMES } from "../format.ts";
import { textFrom } from "../metadata/text.ts";
import { holdsScan, isPartOfScan, isRawData, namedPart } from "../metadata/pvscan_files.ts";

/** True if a text may begin with XML, after any byte order mark. */
const beginsWithTag = (head: Uint8Array) => /^\uFEFF?\s*</.test(textFrom(head));

/** True for names of other files of a scan, beside its document. */
const isPrairieRelative = (name: string): boolean => isRawData(name) || /\.env$/i.test(name);

/** The document of the scan to which a file belongs, found like `documentOf` does, but only by names. */
function scanNamed(name: string, beside: FolderNames): string | null {
  const part = namedPart(name);
  if (part === null || part.below) return null;
  const documents = beside.ending(".xml");
  const document = beside.find(`${part.scan}.xml`) ?? beside.find(`${beside.folder}.xml`) ??
    (documents.length === 1 ? documents[0]! : null);
  return document ?? (part.kind === "image" ? part.scan : null);
}

/** First elements of XML documents, with an explanation of each document. */
const ELEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /<(?:\w+:)?OME[\s/>]/,
    "it is an OME-XML document without images: open one of the TIFF files that it names",
  ],
  [
    /<(?:PV\w*|Environment|VRec\w*|VoltageRecording\w*)[\s/>]/,
    'it is a document of Prairie View without images: open the XML document of the scan, which begins with "<PVScan"',
  ],
];

/** Explains a file that is not the document of a scan; `null` if it is unknown. */
function explainPrairieRelative(head: Uint8Array, name: string): string | null {
  if (isRawData(name)) {
    return "it is unconverted raw data of Prairie View: convert it with the Image-Block Ripping Utility " +
      "of Prairie View and open the XML document";
  }
  const text = textFrom(head).replace(/<!--[^]*?-->/g, "");
  if (!/^\uFEFF?\s*</.test(text)) return null;
  return ELEMENTS.find(([pattern]) => pattern.test(text))?.[1] ??
    (/\.(?:xml|env)$/i.test(name) ? "it is an XML document, but not of a scan of Prairie View" : null);
}

/** The XML document of a scan, and the TIFF images that it names. */
export const PRAIRIE: FileFormat = {
  ...FORMAT_NAMES.prairie,
  sharesExtensions: true,
  container: "file",
  recognises: beginsWithTag,
  isDialect: holdsScan,
  claims: isPartOfScan,
  setOf: scanNamed,
  needsParts: true,
  isRelative: isPrairieRelative,
  explains: explainPrairieRelative,
  load: () => import("./mod.ts"),
};
