/** How the samples of a frame are laid out. */
import { DecodeFailed } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { type Warning, warning } from "../warning.ts";
import { numberIn, type VariantObject } from "./variant.ts";

/** Rows, columns, components. */
const MAX_SIDE = 1 << 20;
/** Components of a pixel; spectral detectors have 32 channels. */
const MAX_COMPONENTS = 1024;

/** Bytes of a frame with all its components: what a plane of float32 may have. */
const MAX_FRAME_BYTES = 4 * MAX_PLANE_SAMPLES;

/** Samples of a frame: rows of pixels, in each pixel all components one after the other. */
export interface FrameLayout {
  /** Columns. */
  readonly columns: number;
  /** Rows. */
  readonly rows: number;
  /** Samples of a pixel: channels, and the colours of each. */
  readonly components: number;
  /** Type of the samples. */
  readonly sampleType: SampleType;
  /** Bytes from one row to the next; writers pad rows to four bytes. */
  readonly rowBytes: number;
  /** Bytes of a row that hold samples. */
  readonly usedRowBytes: number;
  /** Bytes of a frame with the padding of its last row. */
  readonly bytes: number;
  /** Bytes of a frame up to the last sample. */
  readonly neededBytes: number;
  /** Whether the file says that frames are zlib streams. */
  readonly zlib: boolean;
  /** What is unusual. */
  readonly warnings: readonly Warning[];
}

/** Writers pad rows to multiples of this. */
const ROW_ALIGNMENT = 4;

const COMPRESSION = { zlib: 0, lossy: 1 } as const;

/** What the pixel type names; files without it hold unsigned integers, or floats of 32 bits. */
const PIXEL_TYPE = { signed: 0, real: 2 } as const;

/** The layout that the attributes state. @throws {DecodeFailed} one is missing, impossible or not read */
export function frameLayout(attributes: VariantObject): FrameLayout {
  const columns = size(attributes, "uiWidth", MAX_SIDE);
  const rows = size(attributes, "uiHeight", MAX_SIDE);
  const components = size(attributes, "uiComp", MAX_COMPONENTS);
  const sampleType = sampleTypeOf(attributes);
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`frames have ${rows} x ${columns} pixels, more than ${MAX_PLANE_SAMPLES}`);
  }
  const usedRowBytes = columns * components * SAMPLE_BYTES[sampleType];
  // 0 stands for a size that the program left open, as it does for tiles.
  const stated = numberIn(attributes, "uiWidthBytes") || null;
  const rowBytes = stated ?? Math.ceil(usedRowBytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  if (!Number.isSafeInteger(rowBytes) || rowBytes < usedRowBytes || rows * rowBytes > MAX_FRAME_BYTES) {
    throw new DecodeFailed(
      `the rows of ${columns} pixels of ${components} x ${
        SAMPLE_BYTES[sampleType]
      } bytes have ${rowBytes} bytes`,
    );
  }
  const compression = numberIn(attributes, "eCompression");
  if (compression === COMPRESSION.lossy) {
    throw new DecodeFailed("the frames are compressed with losses, which is not read");
  }
  return {
    columns,
    rows,
    components,
    sampleType,
    rowBytes,
    usedRowBytes,
    bytes: rows * rowBytes,
    neededBytes: (rows - 1) * rowBytes + usedRowBytes,
    zlib: compression === COMPRESSION.zlib,
    warnings: [
      ...(stated === null
        ? [
          warning(
            "metadata_missing",
            "The file does not state the distance between rows; they are read as padded",
          ),
        ]
        : []),
      ...(rowBytes - usedRowBytes >= ROW_ALIGNMENT
        ? [
          warning(
            "metadata_disagree",
            `Rows have ${rowBytes} bytes, but ${columns} pixels of ${components} x ${
              SAMPLE_BYTES[sampleType]
            } bytes have ${usedRowBytes}; the rest is not served`,
          ),
        ]
        : []),
      ...(sampleType.startsWith("int")
        ? [warning("samples_doubtful", "The file declares signed samples, which microscopes do not write")]
        : []),
    ],
  };
}

function size(attributes: VariantObject, name: string, most: number): number {
  const value = numberIn(attributes, name);
  if (value === null || !Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new DecodeFailed(`${name} is ${value ?? "missing"}, and has to be between 1 and ${most}`);
  }
  return value;
}

const TYPES: Readonly<Record<number, Partial<Record<"int" | "uint" | "float", SampleType>>>> = {
  8: { int: "int8", uint: "uint8" },
  16: { int: "int16", uint: "uint16", float: "float16" },
  32: { int: "int32", uint: "uint32", float: "float32" },
  64: { float: "float64" },
};

/** The type of the samples: in 32 bits that are all significant, programs write floats whatever they state. */
function sampleTypeOf(attributes: VariantObject): SampleType {
  const bits = numberIn(attributes, "uiBpcInMemory");
  const significant = numberIn(attributes, "uiBpcSignificant") ?? bits;
  const stated = numberIn(attributes, "ePixelType");
  const kind = stated === PIXEL_TYPE.real || bits === 32 && significant === 32
    ? "float"
    : stated === PIXEL_TYPE.signed
    ? "int"
    : "uint";
  const type = TYPES[bits ?? 0]?.[kind];
  if (type === undefined) {
    throw new DecodeFailed(
      `samples have ${bits ?? "an unknown number of"} bits and are of pixel type ${stated}`,
    );
  }
  return type;
}
