/** What a document says of an image, as it is written; `image_layout.ts` judges it. */
import { numberOf } from "../metadata/numbers.ts";
import { child, children, descendants, type XmlElement } from "../metadata/xml.ts";

/** A channel. */
export interface DescribedChannel {
  /** 0 for unsigned integers, 1 for floats. */
  readonly dataType: number | null;
  /** Significant bits. */
  readonly bits: number | null;
  /** 0 gray, 1 red, 2 green, 3 blue. */
  readonly tag: number | null;
  /** Bytes from the start of the block to its first sample. */
  readonly bytesInc: number | null;
  /** Bits beside them. */
  readonly bitInc: number;
  /** The table of colours in which it is shown, `""` where that is unknown or inverted. */
  readonly lut: string;
}

/** A dimension. */
export interface DescribedDimension {
  /** What runs along it. */
  readonly id: number | null;
  /** Samples. */
  readonly count: number | null;
  /** From the first sample to the last, in `unit`. */
  readonly length: number | null;
  /** `m`, `s`, or none. */
  readonly unit: string;
  /** Bytes from a sample to the next. */
  readonly bytesInc: number | null;
  /** Bits beside them. */
  readonly bitInc: number;
}

/** How the laser scanned. */
export interface ScanSettings {
  /** Axes in their order, such as `xt`. */
  readonly mode: string;
  /** Seconds of a line. */
  readonly lineTime: number | null;
  /** Lines that were put together into one. */
  readonly averaging: number;
  /** Seconds that the laser stays on a pixel. */
  readonly pixelTime: number | null;
  /** `Unidirectional` or `Bidirectional`. */
  readonly direction: string | null;
}

/** All that is read of an image. */
export interface ImageDescription {
  /** In the order of the document. */
  readonly channels: readonly DescribedChannel[];
  /** In the order of the document. */
  readonly dimensions: readonly DescribedDimension[];
  /** Names that the user gave to the channels of a camera. */
  readonly names: readonly string[];
  /** Time stamps, hexadecimal, with blanks between. */
  readonly stamps: string;
  /** Of a confocal microscope. */
  readonly scan: ScanSettings | null;
}

/** An attachment of an image, by its name. */
export const attachment = (image: XmlElement, name: string): XmlElement | undefined =>
  children(image, "Attachment").find(({ attributes }) => attributes["Name"] === name);

/** Takes from the element of an image what is read of it. */
export function describe(image: XmlElement): ImageDescription {
  const description = child(image, "ImageDescription");
  const hardware = attachment(image, "HardwareSetting");
  return {
    channels: children(child(description, "Channels"), "ChannelDescription").map(describedChannel),
    dimensions: children(child(description, "Dimensions"), "DimensionDescription").map(describedDimension),
    names: descendants(hardware, "WideFieldChannelInfo").map(({ attributes }) =>
      attributes["UserDefName"] ?? ""
    ),
    stamps: stampsOf(child(image, "TimeStampList")),
    scan: scanOf(child(hardware, "ATLConfocalSettingDefinition")),
  };
}

function describedChannel({ attributes }: XmlElement): DescribedChannel {
  return {
    dataType: numberOf(attributes["DataType"]),
    bits: numberOf(attributes["Resolution"]),
    tag: numberOf(attributes["ChannelTag"]),
    bytesInc: numberOf(attributes["BytesInc"]),
    bitInc: numberOf(attributes["BitInc"]) ?? 0,
    lut: attributes["IsLUTInverted"] === "1" ? "" : attributes["LUTName"] ?? "",
  };
}

function describedDimension({ attributes }: XmlElement): DescribedDimension {
  return {
    id: numberOf(attributes["DimID"]),
    count: numberOf(attributes["NumberOfElements"]),
    length: numberOf(attributes["Length"]),
    unit: attributes["Unit"] ?? "",
    bytesInc: numberOf(attributes["BytesInc"]),
    bitInc: numberOf(attributes["BitInc"]) ?? 0,
  };
}

/** The list as newer programs write it; those before LAS 3.1 write an element with two numbers for each. */
function stampsOf(list: XmlElement | undefined): string {
  const elements = children(list, "TimeStamp");
  return elements.length > 0 ? elements.map(stampOf).join(" ") : list?.text ?? "";
}

/** The hexadecimal text of a stamp in two numbers of 32 bits; `0` stands for none. */
export function stampOf({ attributes }: XmlElement): string {
  const [high, low] = [attributes["HighInteger"], attributes["LowInteger"]].map((text) => {
    const value = numberOf(text);
    return value !== null && Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : null;
  });
  return high == null || low == null ? "0" : high.toString(16) + low.toString(16).padStart(8, "0");
}

function scanOf(setting: XmlElement | undefined): ScanSettings | null {
  if (!setting) return null;
  const { ScanMode, LineTime, LineAverage, Line_Accumulation, PixelDwellTime, ScanDirectionXName } =
    setting.attributes;
  return {
    mode: ScanMode ?? "",
    lineTime: numberOf(LineTime),
    averaging: (numberOf(LineAverage) ?? 1) * (numberOf(Line_Accumulation) ?? 1),
    pixelTime: numberOf(PixelDwellTime),
    direction: ScanDirectionXName ?? null,
  };
}
