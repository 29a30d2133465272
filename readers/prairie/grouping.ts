import type { FileGrouping, FolderNames } from "../format.ts";
import { isPartOfScan, parseScanFileName } from "../metadata/pvscan_files.ts";

/** A document and the images that it names. The document is read once for all its images, so these tests look into no other file. */
export const GROUPING: FileGrouping = {
  setOf: findDocumentByName,
  needsParts: true,
  mayBeOwn: (name) => parseScanFileName(name)?.kind === "image",
  isPartOf: (path, main, files) => !/\.xml$/i.test(main) || isPartOfScan(path, files),
  looks: 0,
};

/** The document of the Prairie View scan to which a file belongs, found like `documentOf` does, but only by names. */
function findDocumentByName(name: string, beside: FolderNames): string | null {
  const part = parseScanFileName(name);
  if (part === null || part.below) return null;
  const documents = beside.ending(".xml");
  const document = beside.find(`${part.scan}.xml`) ?? beside.find(`${beside.folder}.xml`) ??
    (documents.length === 1 ? documents[0]! : null);
  return document ?? (part.kind === "image" ? part.scan : null);
}
