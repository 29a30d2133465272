/** What `OME/METADATA.ome.xml` of the bioformats2raw layout says of one series. */
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import { type OmeXmlImage, omeXmlImage } from "../ome_xml.ts";
import { child, children, parseXml } from "../xml.ts";
import { keyBelow, readValue, type Store } from "./store.ts";

/**
 * Reads the document; one that is missing gives `null`, one that is damaged a warning too.
 *
 * @param index of the series
 */
export function readOmeXml(
  store: Store,
  path: string,
  index: number,
  warnings: string[],
): OmeXmlImage | null {
  const key = keyBelow(path, "OME", "METADATA.ome.xml");
  try {
    const bytes = readValue(store, key, MAX_XML_BYTES);
    if (bytes === null) return null;
    const root = parseXml(new TextDecoder().decode(bytes), `"${key}"`);
    const image = children(root, "Image")[index];
    const pixels = child(image, "Pixels");
    return image && pixels ? omeXmlImage(image, pixels) : null;
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    warnings.push(`The OME metadata cannot be read: ${error.message}`);
    return null;
  }
}
