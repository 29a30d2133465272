/** What OME-XML (schemas 2003 to 2016) says of one image, in every format that carries such a document. */
import { type Calibration, calibrationsOf } from "./axes.ts";
import { firstMoment, type Moment, momentOf } from "./moment.ts";
import { numberOf } from "./numbers.ts";
import type { AxisLetter } from "./reader.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** Calibration, names and date of an `Image` element. */
export interface OmeXmlImage {
  /** Axes that have a unit; those of the schema, micrometres and seconds, where none is written. */
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  /** Per `Channel` or `LogicalChannel`; `null` where it has none. */
  readonly names: readonly (string | null)[];
  /** When the image was acquired. */
  readonly moment: Moment;
}

/** Reads an `Image` element whose `pixels` is a `Pixels` element. */
export function omeXmlImage(image: XmlElement, pixels: XmlElement): OmeXmlImage {
  const { attributes } = pixels;
  const length = (name: string) => [numberOf(attributes[name]), attributes[`${name}Unit`] ?? "um"] as const;
  const dates = ["AcquisitionDate", "AcquiredDate", "CreationDate"].map((name) => child(image, name)?.text);
  return {
    calibrations: calibrationsOf({
      X: length("PhysicalSizeX"),
      Y: length("PhysicalSizeY"),
      Z: length("PhysicalSizeZ"),
      T: [numberOf(attributes.TimeIncrement), attributes.TimeIncrementUnit ?? "s"],
    }),
    names: channelElements(image, pixels).map((channel) => channel.attributes.Name ?? null),
    moment: firstMoment(...dates.map(momentOf)),
  };
}

/** The channels of an image; old schemas have them beside the pixels. */
export function channelElements(image: XmlElement, pixels: XmlElement): XmlElement[] {
  const channels = children(pixels, "Channel");
  return channels.length > 0 ? channels : children(image, "LogicalChannel");
}
