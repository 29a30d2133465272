/** Files of Prairie View and of other programs that share an extension with its documents: what they are. */
import { decodeDocument } from "../pvscan/document.ts";
import { isRawData } from "../pvscan/file_names.ts";

/** Files that lie beside a document, by their name. */
export const isPrairieRelative = (name: string): boolean => isRawData(name) || /\.env$/i.test(name);

/** First elements of XML by which programs are told. */
const ELEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /<(?:\w+:)?OME[\s/>]/,
    "it is a document of OME-XML, which is no image by itself: open one of the TIFF files that it names",
  ],
  [
    /<(?:PV\w*|Environment|VRec\w*|VoltageRecording\w*)[\s/>]/,
    'it is a document of Prairie View without images: open the XML document of the scan, which begins with "<PVScan"',
  ],
];

/** What a file is that is no document of a scan, or `null` where that is not known. */
export function explainPrairieRelative(head: Uint8Array, name: string): string | null {
  if (isRawData(name)) {
    return "it is raw data of Prairie View that was not converted yet: convert it with the Image-Block Ripping Utility " +
      "of Prairie View and open the XML document";
  }
  const text = decodeDocument(head).replace(/<!--[^]*?-->/g, "");
  if (!/^\uFEFF?\s*</.test(text)) return null;
  return ELEMENTS.find(([pattern]) => pattern.test(text))?.[1] ??
    (/\.(?:xml|env)$/i.test(name) ? "it is an XML document, and none of a scan of Prairie View" : null);
}
