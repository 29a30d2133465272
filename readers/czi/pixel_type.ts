/** Pixel types. Colours are stored as blue, green, red, alpha and served as red, green, blue, alpha. */
import { COLOURS } from "../metadata/channels.ts";
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";

/** A pixel type. */
export interface PixelType {
  /** Name in the documentation of the format. */
  readonly name: string;
  /** Type of each sample. */
  readonly sampleType: SampleType;
  /** Samples of a pixel: 1, 3 or 4. */
  readonly samples: number;
  /** Bytes of a pixel. */
  readonly bytes: number;
}

const TYPES: Readonly<Record<number, PixelType>> = {
  0: { name: "Gray8", sampleType: "uint8", samples: 1, bytes: 1 },
  1: { name: "Gray16", sampleType: "uint16", samples: 1, bytes: 2 },
  2: { name: "Gray32Float", sampleType: "float32", samples: 1, bytes: 4 },
  3: { name: "Bgr24", sampleType: "uint8", samples: 3, bytes: 3 },
  4: { name: "Bgr48", sampleType: "uint16", samples: 3, bytes: 6 },
  8: { name: "Bgr96Float", sampleType: "float32", samples: 3, bytes: 12 },
  9: { name: "Bgra32", sampleType: "uint8", samples: 4, bytes: 4 },
  12: { name: "Gray32", sampleType: "int32", samples: 1, bytes: 4 },
  13: { name: "Gray64Float", sampleType: "float64", samples: 1, bytes: 8 },
};

const REFUSED: Readonly<Record<number, string>> = {
  10: "Gray64ComplexFloat",
  11: "Bgr192ComplexFloat",
};

/** From narrow to wide. */
const WIDTHS: readonly SampleType[] = ["uint8", "uint16", "int32", "float32", "float64"];

/** The pixel type of a code. @throws {DecodeFailed} it is unknown or complex */
export function pixelTypeOf(code: number): PixelType {
  const type = TYPES[code];
  if (type) return type;
  const name = REFUSED[code];
  throw new DecodeFailed(
    name ? `pixels of type ${name} (complex numbers) are not supported` : `pixel type ${code} is unknown`,
  );
}

/** The wider of two sample types. */
export const wider = (a: SampleType, b: SampleType): SampleType =>
  WIDTHS.indexOf(a) >= WIDTHS.indexOf(b) ? a : b;

/** Names of the samples of a colour pixel, in the served order. */
export const SAMPLE_NAMES: readonly string[] = [...COLOURS, "Alpha"];
