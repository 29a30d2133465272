/** Data types of Zarr 2 (NumPy type strings) and Zarr 3 (names), and the fill values of both. */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { ARRAYS, convertSamples, isSampleType, SAMPLE_BYTES } from "../samples/to_float32.ts";

/** Sample type and byte order of a NumPy type string: order, kind, bytes (Zarr 2, "Data type encoding"). @throws {DecodeFailed} */
export function parseNumpyType(dtype: unknown, what: string): { type: SampleType; endian: "little" | "big" } {
  const text = typeof dtype === "string" ? dtype : "";
  const [, order, kind = "", bytes] = /^([<>|=])([uif])([1248])$/.exec(text) ?? [];
  const type = /^[<>|=]b1$/.test(text) ? "bool" : `${KINDS[kind]}${8 * Number(bytes)}`;
  if (!isSampleType(type)) {
    throw new DecodeFailed(`${what} has the unknown data type ${JSON.stringify(dtype)}`);
  }
  return { type, endian: order === ">" ? "big" : "little" };
}

const KINDS: Readonly<Record<string, string>> = { u: "uint", i: "int", f: "float" };

/**
 * The float32 value of samples in absent chunks; `null` if the array does not define it.
 *
 * @param value `fill_value` of the metadata: a number (quoted if it is beyond 2^53), `NaN`, `Infinity`, a Boolean, or `0x` with
 * the bits of a float
 * @throws {DecodeFailed} it is not a value of the type
 */
export function fillValue(value: unknown, type: SampleType, what: string): number | null {
  if (value === null || value === undefined) return null;
  const bad = () =>
    new DecodeFailed(`${what} has the fill value ${JSON.stringify(value)}, which does not fit ${type}`);
  if (type === "bool") {
    if (typeof value === "boolean" || value === 0 || value === 1) return Number(value);
    throw bad();
  }
  if (type.startsWith("float")) {
    const number = typeof value === "string" ? parseFloatText(value, type) : value;
    if (typeof number !== "number") throw bad();
    return type === "float16" ? Math.f16round(number) : Math.fround(number);
  }
  const integer = typeof value === "string" && /^-?\d{1,40}$/.test(value) ? Number(value) : value;
  if (typeof integer !== "number" || !Number.isInteger(integer)) throw bad();
  const exact = BigInt(typeof value === "string" ? value : integer);
  const stored = new ARRAYS[type](1);
  stored[0] = stored instanceof BigInt64Array || stored instanceof BigUint64Array ? exact : Number(exact);
  if (BigInt(stored[0]!) !== exact) throw bad();
  const target = new Float32Array(1);
  convertSamples({ bytes: new Uint8Array(stored.buffer), sampleType: type, littleEndian: true }, target, 0);
  return target[0]!;
}

function parseFloatText(text: string, type: SampleType): number | null {
  if (/^(?:NaN|-?Infinity|-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)$/.test(text)) return Number(text);
  const bytes = SAMPLE_BYTES[type];
  if (!new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(text)) return null;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(text) << BigInt(64 - 8 * bytes));
  return bytes === 2 ? view.getFloat16(0) : bytes === 4 ? view.getFloat32(0) : view.getFloat64(0);
}
