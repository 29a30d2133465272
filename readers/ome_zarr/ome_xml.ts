/** What `OME/METADATA.ome.xml` of the bioformats2raw layout says of one series. */
import { calibrated, type Calibration } from "../axes.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_XML_BYTES } from "../limits.ts";
import type { AxisLetter } from "../reader.ts";
import { child, children, parseXml } from "../xml.ts";
import { readValue, type Store, storeKey } from "./store.ts";

/** One `Image` element of OME-XML. */
export interface OmeXmlImage {
  readonly channelNames: readonly (string | null)[];
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** As written, ISO 8601. */
  readonly acquisitionDate: string | null;
}

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
  const key = storeKey(path, "OME", "METADATA.ome.xml")!;
  try {
    const bytes = readValue(store, key, MAX_XML_BYTES);
    if (bytes === null) return null;
    const root = parseXml(new TextDecoder().decode(bytes), `"${key}"`);
    const image = children(root, "Image")[index];
    const pixels = child(image, "Pixels");
    if (!image || !pixels) return null;
    const { attributes } = pixels;
    // Defaults of the OME-XML schema: micrometres and seconds.
    const step = (name: string, unit: string) =>
      calibrated(Number(attributes[name] ?? NaN), attributes[`${name}Unit`] ?? unit);
    return {
      channelNames: children(pixels, "Channel").map((channel) => channel.attributes["Name"] ?? null),
      calibrations: {
        X: step("PhysicalSizeX", "um"),
        Y: step("PhysicalSizeY", "um"),
        Z: step("PhysicalSizeZ", "um"),
        T: step("TimeIncrement", "s"),
      },
      acquisitionDate: child(image, "AcquisitionDate")?.text ?? null,
    };
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    warnings.push(`The OME metadata cannot be read: ${error.message}`);
    return null;
  }
}
