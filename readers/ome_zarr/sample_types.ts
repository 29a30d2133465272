/** Data types of Zarr 2 (NumPy type strings) and Zarr 3 (names), and the fill values of both. */
import { DecodeFailed } from "../errors.ts";
import type { SampleType } from "../reader.ts";
import { int64ToFloat32, SAMPLE_BYTES, uint64ToFloat32 } from "../samples/to_float32.ts";

/** Sample types by NumPy kind and number of bytes (Zarr 2, "Data type encoding"). */
const NUMPY = new Map<string, SampleType>(Object.entries({
  b1: "bool",
  u1: "uint8",
  u2: "uint16",
  u4: "uint32",
  u8: "uint64",
  i1: "int8",
  i2: "int16",
  i4: "int32",
  i8: "int64",
  f2: "float16",
  f4: "float32",
  f8: "float64",
}));

/** Sample type and byte order of a NumPy type string. @throws {DecodeFailed} the type is not numeric */
export function numpyType(dtype: unknown, what: string): { type: SampleType; endian: "little" | "big" } {
  const [, order, name] = typeof dtype === "string" ? /^([<>|=])([a-zA-Z]\d+)$/.exec(dtype) ?? [] : [];
  const type = name === undefined ? undefined : NUMPY.get(name);
  if (!type) throw new DecodeFailed(`${what} has the unknown data type ${JSON.stringify(dtype)}`);
  return { type, endian: order === ">" ? "big" : "little" };
}

const WORDS = ["NaN", "Infinity", "-Infinity"];

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
    const number = typeof value === "string" ? floatOf(value, type) : value;
    if (typeof number !== "number") throw bad();
    return type === "float16" ? Math.f16round(number) : Math.fround(number);
  }
  const integer = typeof value === "string" && /^-?\d{1,40}$/.test(value) ? Number(value) : value;
  if (typeof integer !== "number" || !Number.isInteger(integer)) throw bad();
  const bits = 8 * SAMPLE_BYTES[type];
  const exact = BigInt(typeof value === "string" ? value : integer);
  const least = type.startsWith("int") ? -(1n << BigInt(bits - 1)) : 0n;
  if (exact < least || exact >= least + (1n << BigInt(bits))) throw bad();
  if (bits < 64) return Math.fround(Number(exact));
  const word = BigInt.asUintN(64, exact);
  const [low, high] = [Number(word & 0xffffffffn), Number(word >> 32n)];
  return type === "int64" ? int64ToFloat32(low, high) : uint64ToFloat32(low, high);
}

function floatOf(text: string, type: SampleType): number | null {
  if (WORDS.includes(text)) return Number(text);
  if (/^-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const bytes = SAMPLE_BYTES[type];
  if (!new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(text)) return null;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(text) << BigInt(64 - 8 * bytes));
  return bytes === 2 ? view.getFloat16(0) : bytes === 4 ? view.getFloat32(0) : view.getFloat64(0);
}
