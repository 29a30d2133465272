/** Layout of the samples of a frame. */
import { DecodeFailed } from "../errors.ts";
import { MAX_PLANE_SAMPLES } from "../io/limits.ts";
import type { SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning } from "../warning.ts";
import { numberIn, type VariantObject } from "./variant.ts";

const MAX_SIDE = 1 << 20;
/** Largest number of components per pixel; spectral detectors have 32 channels. */
const MAX_COMPONENTS = 1024;

/** Largest frame with all components in bytes, the size of the largest float32 plane. */
const MAX_FRAME_BYTES = 4 * MAX_PLANE_SAMPLES;

/** Layout of a frame: rows of pixels, each with all components one after the other. */
export interface FrameLayout {
  readonly columns: number;
  readonly rows: number;
  /** Number of samples per pixel: channels including their colours. */
  readonly components: number;
  readonly sampleType: SampleType;
  /** Bytes from one row to the next; writers pad rows to four bytes. */
  readonly rowBytes: number;
  readonly usedRowBytes: number;
  /** Number of bytes of a frame, including the padding of its last row. */
  readonly bytes: number;
  /** Number of bytes of a frame up to its last sample. */
  readonly neededBytes: number;
  readonly zlib: boolean;
  readonly warnings: readonly Warning[];
}

/** Writers pad rows to multiples of this. */
const ROW_ALIGNMENT = 4;

const COMPRESSION = { zlib: 0, lossy: 1 } as const;

/** Values of the pixel type. Without it, samples are unsigned integers, or floats if they have 32 bits. */
const PIXEL_TYPE = { signed: 0, real: 2 } as const;

/** The layout according to the attributes. @throws {DecodeFailed} an attribute is missing, impossible or not supported */
export function frameLayout(attributes: VariantObject): FrameLayout {
  const columns = size(attributes, "uiWidth", MAX_SIDE);
  const rows = size(attributes, "uiHeight", MAX_SIDE);
  const components = size(attributes, "uiComp", MAX_COMPONENTS);
  const sampleType = sampleTypeOf(attributes);
  if (rows * columns > MAX_PLANE_SAMPLES) {
    throw new DecodeFailed(`frames have ${rows} x ${columns} pixels, more than ${MAX_PLANE_SAMPLES}`);
  }
  const usedRowBytes = columns * components * SAMPLE_BYTES[sampleType];
  // For tiles the program writes 0.
  const stated = numberIn(attributes, "uiWidthBytes") || null;
  const rowBytes = stated ?? Math.ceil(usedRowBytes / ROW_ALIGNMENT) * ROW_ALIGNMENT;
  if (!Number.isSafeInteger(rowBytes) || rowBytes < usedRowBytes || rows * rowBytes > MAX_FRAME_BYTES) {
    throw new DecodeFailed(`rows of ${usedRowBytes} bytes of samples are declared with ${rowBytes} bytes`);
  }
  const compression = numberIn(attributes, "eCompression");
  if (compression === COMPRESSION.lossy) {
    const help = "docs/formats/nd2.md#what-is-refused";
    throw new DecodeFailed(`frames with lossy compression are not supported (${help})`);
  }
  const doubts = stated === null
    ? "The file does not state the distance between rows; they are read as padded"
    : `Rows have ${stated} bytes, but their samples need only ${usedRowBytes}`;
  const signed = "The file declares signed samples, which microscopes do not write";
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
      ...warnIf(stated === null, "metadata_missing", doubts),
      ...warnIf(rowBytes - usedRowBytes >= ROW_ALIGNMENT, "metadata_disagree", doubts),
      ...warnIf(sampleType.startsWith("int"), "samples_doubtful", signed),
    ],
  };
}

function size(attributes: VariantObject, name: string, most: number): number {
  const value = numberIn(attributes, name);
  if (value === null || !Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new DecodeFailed(`${name} is ${value ?? "missing"} instead of 1 to ${most}`);
  }
  return value;
}

const TYPES: Readonly<Record<number, Partial<Record<"int" | "uint" | "float", SampleType>>>> = {
  8: { int: "int8", uint: "uint8" },
  16: { int: "int16", uint: "uint16", float: "float16" },
  32: { int: "int32", uint: "uint32", float: "float32" },
  64: { float: "float64" },
};

/** The sample type: samples with 32 significant bits are floats for any pixel type. */
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
  if (type !== undefined) return type;
  throw new DecodeFailed(
    `samples have ${bits ?? "an unknown number of"} bits and are of pixel type ${stated}`,
  );
}
