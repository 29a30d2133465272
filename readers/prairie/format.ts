import { basename } from "node:path";
import { startsWithTag } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";
import { decodeAnyText } from "../metadata/text.ts";

const loadPvscanFiles = () => import("../metadata/pvscan_files.ts");

/** Bruker (Prairie Technologies) Prairie View: the XML document of a scan, and the TIFF images that it names. */
export const PRAIRIE: FileFormat = {
  name: "prairie",
  title: "Prairie View",
  extensions: [".xml"],
  sharesExtensions: true,
  container: "file",
  recognises: (head) => startsWithTag(decodeAnyText(head)),
  isDialect: async (file) => (await loadPvscanFiles()).holdsScan(file),
  claims: async (path, files) =>
    /_Cycle\d+_.*\.tif/i.test(basename(path)) && (await loadPvscanFiles()).isPartOfScan(path, files),
  isRelative: async (name) => /\.env$/i.test(name) || (await loadPvscanFiles()).isRawData(name),
  async explains(head, name) {
    if ((await loadPvscanFiles()).isRawData(name)) {
      return "it is unconverted raw data of Prairie View: convert it with the Image-Block Ripping Utility " +
        "of Prairie View and open the XML document";
    }
    const text = decodeAnyText(head).replace(/<!--[^]*?-->/g, "");
    if (!startsWithTag(text)) return null;
    if (/<(?:\w+:)?OME[\s/>]/.test(text)) {
      return "it is an OME-XML document without images: open one of the TIFF files that it names";
    }
    if (/<(?:PV\w*|Environment|VRec\w*|VoltageRecording\w*)[\s/>]/.test(text)) {
      return 'it is a document of Prairie View without images: open the XML document of the scan, which begins with "<PVScan"';
    }
    return /\.(?:xml|env)$/i.test(name) ? "it is an XML document, but not of a scan of Prairie View" : null;
  },
  grouping: async () => (await import("./grouping.ts")).GROUPING,
  load: () => import("./mod.ts"),
};
