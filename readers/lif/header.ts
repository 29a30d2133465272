/** The XML of a LIF or LOF file as a tree of what is read of it. */
import { MAX_XML_DEPTH, MAX_XML_NODES } from "../io/limits.ts";
import { type Warning, warning } from "../warning.ts";
import { allowedXml, parseXml, type XmlElement } from "../metadata/xml.ts";

/** Elements that are kept inside some others; whatever else these hold is left out. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  Data: ["Image", "Experiment", "SingleMoleculeDetection"],
  Experiment: ["TimeStamp"],
  SingleMoleculeDetection: [],
  Image: ["ImageDescription", "TimeStampList", "Attachment"],
  // The settings of the hardware are nine tenths of a document.
  Attachment: ["ATLConfocalSettingDefinition", "ATLCameraSettingDefinition"],
  ATLConfocalSettingDefinition: [],
  ATLCameraSettingDefinition: ["WideFieldChannelConfigurator"],
  WideFieldChannelConfigurator: ["WideFieldChannelInfo"],
  WideFieldChannelInfo: [],
};

/** Attachments hold whole documents of their own, which describe regions and bleached points. */
const omits = (name: string, parent: string | undefined): boolean =>
  parent !== undefined &&
  (name === "LMSDataContainerHeader" || Object.hasOwn(KEPT, parent) && !KEPT[parent]!.includes(name));

/** The document of a file. */
export interface Header {
  /** Its root. */
  readonly root: XmlElement;
  /** What was wrong with it. */
  readonly warnings: readonly Warning[];
}

/** Parses the document. @throws {DecodeFailed} it is damaged or over a bound */
export function parseHeader(xml: string): Header {
  const allowed = allowedXml(xml);
  return {
    root: parseXml(allowed, "the XML", { nodes: MAX_XML_NODES, depth: MAX_XML_DEPTH, omits }),
    warnings: allowed === xml
      ? []
      : [warning("metadata_damaged", "The XML contains characters that XML forbids; they are replaced")],
  };
}

/** The document of a LOF file; older ones lack the elements around the data. @throws {DecodeFailed} as for any */
export function parseObjectHeader(xml: string): Header {
  const body = xml.replace(/^[\ufeff\s]*(?:<\?xml[^>]*\?>)?/, "");
  return parseHeader(
    /^\s*<Data[\s>]/.test(body)
      ? `<LMSDataContainerHeader Version="2"><Element>${body}</Element></LMSDataContainerHeader>`
      : body,
  );
}
