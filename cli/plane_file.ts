/** A plane as a file for other programs. */
import type { SampleType } from "../readers/reader.ts";

/** Names of the formats. */
export const PLANE_FORMATS = ["f32", "npy", "pgm"] as const;

/** `f32`: the samples alone. `npy`: the format of `numpy.load`. `pgm`: a grey picture of 8 or 16 bits. */
export type PlaneFormat = (typeof PLANE_FORMATS)[number];

/** A plane to write. */
export interface PlaneToWrite {
  /** Number of planes that follow each other; `null` for a single plane, whose array has two axes. */
  readonly count: number | null;
  readonly rows: number;
  readonly columns: number;
  readonly sampleType: SampleType;
  /** The row-major little-endian float32 samples, in parts that split no sample; called once or twice. */
  parts(): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** The bytes of the file, part by part. */
export async function* writePlaneFile(plane: PlaneToWrite, format: PlaneFormat): AsyncGenerator<Uint8Array> {
  if (format === "pgm") return yield* writePgmFile(plane);
  if (format === "npy") yield makeNpyHead(plane);
  yield* plane.parts();
}

/**
 * Head of the NPY format 1.0 (NEP 1): magic, version, length, and a Python literal padded with blanks and a line feed to a
 * multiple of 64 bytes.
 */
function makeNpyHead({ count, rows, columns }: PlaneToWrite): Uint8Array {
  const shape = [...count === null ? [] : [count], rows, columns].join(", ");
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`;
  const total = Math.ceil((10 + text.length + 1) / 64) * 64;
  const head = new Uint8Array(total).fill(0x20);
  head.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  new DataView(head.buffer).setUint16(8, total - 10, true);
  head.set(new TextEncoder().encode(text), 10);
  head[total - 1] = 0x0a;
  return head;
}

/** The samples shown as level 0 and as the greatest level, which viewers show as white. */
interface Levels {
  readonly low: number;
  readonly high: number;
  /** The greatest level, 1 to 65535. */
  readonly maximum: number;
}

/** Sample types whose values are used as levels. */
const LEVEL_TYPES: readonly SampleType[] = ["bool", "uint8", "uint16"];

const MAX_LEVEL = 65535;

/**
 * Writes a PGM file. Unsigned samples of up to 16 bits are unchanged, with the greatest as white. Other samples are scaled from
 * their least and greatest finite values, which a comment records, to 65536 levels; NaN is black.
 */
async function* writePgmFile(plane: PlaneToWrite): AsyncGenerator<Uint8Array> {
  const [least, greatest] = await findFiniteRange(plane);
  const isExact = LEVEL_TYPES.includes(plane.sampleType);
  const levels: Levels = isExact
    ? { low: 0, high: Math.max(1, greatest), maximum: Math.max(1, greatest) }
    : { low: least, high: greatest, maximum: MAX_LEVEL };
  const comment = isExact ? "" : `# 0 is ${least}, ${MAX_LEVEL} is ${greatest}\n`;
  const size = `${plane.columns} ${plane.rows}\n${levels.maximum}\n`;
  yield new TextEncoder().encode(`P5\n${comment}${size}`);
  for await (const part of plane.parts()) yield quantizeLevels(viewSamples(part), levels);
}

/** Levels in one byte per sample up to 255, else in two bytes, big-endian. */
function quantizeLevels(samples: Float32Array, { low, high, maximum }: Levels): Uint8Array {
  const scale = high > low ? maximum / (high - low) : 0;
  const level = (sample: number) => {
    const value = Math.round((sample - low) * scale);
    return Number.isNaN(value) ? 0 : Math.min(maximum, Math.max(0, value));
  };
  if (maximum < 256) return Uint8Array.from(samples, level);
  const view = new DataView(new ArrayBuffer(2 * samples.length));
  samples.forEach((sample, i) => view.setUint16(2 * i, level(sample)));
  return new Uint8Array(view.buffer);
}

/** The least and the greatest finite sample, or `[0, 0]`. */
async function findFiniteRange(plane: PlaneToWrite): Promise<[number, number]> {
  let [least, greatest] = [Infinity, -Infinity];
  for await (const part of plane.parts()) {
    for (const sample of viewSamples(part)) {
      if (!Number.isFinite(sample)) continue;
      if (sample < least) least = sample;
      if (sample > greatest) greatest = sample;
    }
  }
  return least > greatest ? [0, 0] : [least, greatest];
}

const viewSamples = (part: Uint8Array<ArrayBuffer>) =>
  new Float32Array(part.buffer, part.byteOffset, part.byteLength / 4);
