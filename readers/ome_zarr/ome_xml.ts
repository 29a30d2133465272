/** What `OME/METADATA.ome.xml` of the bioformats2raw layout says of its series. */
import { isLoss } from "../errors.ts";
import { MAX_XML_BYTES } from "../io/limits.ts";
import { type OmeXmlImage, omeXmlImage } from "../metadata/ome_xml.ts";
import { lossWarning, type Warning } from "../warning.ts";
import { child, children, parseXml } from "../metadata/xml.ts";
import { keyBelow, readValue, type Store } from "./store.ts";

/** Key of the document of the layout at a path. */
export const omeXmlKey = (path: string): string => keyBelow(path, "OME", "METADATA.ome.xml");

/**
 * What the document of a layout says of each series, by their index, `null` for one without pixels; none where the document
 * is missing, and a warning too where it is damaged.
 */
export function readOmeXml(store: Store, path: string, warnings: Warning[]): (OmeXmlImage | null)[] {
  const key = omeXmlKey(path);
  try {
    const bytes = readValue(store, key, MAX_XML_BYTES);
    if (bytes === null) return [];
    const root = parseXml(new TextDecoder().decode(bytes), `"${key}"`);
    return children(root, "Image").map((image) => {
      const pixels = child(image, "Pixels");
      return pixels ? omeXmlImage(image, pixels) : null;
    });
  } catch (error) {
    if (!isLoss(error)) throw error;
    warnings.push(lossWarning(error, "metadata_damaged", "The OME metadata cannot be read"));
    return [];
  }
}
