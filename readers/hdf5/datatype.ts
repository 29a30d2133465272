/** Datatypes and dataspaces (sections IV.A.2.b and d). */
import type { SampleType } from "../reader.ts";
import type { Fields } from "./fields.ts";

/** Classes of datatypes. */
export const CLASS = { integer: 0, float: 1, string: 3, enumeration: 8, vlen: 9 } as const;

/** Where bits of a number are. */
export interface BitField {
  readonly offset: number;
  readonly bits: number;
}

/** The type of an element. */
export interface Datatype {
  readonly class: number;
  /** Bytes of an element. */
  readonly size: number;
  readonly littleEndian: boolean;
  readonly signed: boolean;
  /** Significant bits of an integer. */
  readonly bits: BitField;
  /** Whether a float is one of IEEE 754, of half, single or double precision. */
  readonly isIeee: boolean;
  /** Whether an element of variable length is a text. */
  readonly isText: boolean;
  /** Whether zeros fill a text of fixed length; else what follows the first one may be anything. */
  readonly isPadded: boolean;
  /** Its kind, for messages. */
  readonly name: string;
}

/** Names of the other classes. */
const NAMES = [
  "",
  "",
  "times",
  "texts",
  "bit fields",
  "opaque bytes",
  "compounds",
  "references",
  "enumerated values",
  "sequences",
  "arrays",
  "complex numbers",
];

/** Sign, exponent and mantissa of floats of IEEE 754, by their size: place and width of exponent and mantissa, and bias. */
const IEEE: Readonly<Record<number, readonly number[]>> = {
  2: [15, 10, 5, 0, 10, 15],
  4: [31, 23, 8, 0, 23, 127],
  8: [63, 52, 11, 0, 52, 1023],
};

/** Reads a datatype. @throws {DamagedStructure} */
export function readDatatype(fields: Fields): Datatype {
  const first = fields.u8();
  const [version, own] = [first >> 4, first & 15];
  if (version < 1 || version > 5 || own >= NAMES.length) {
    fields.fail(`it has a type ${own} of version ${version}`);
  }
  const flags = fields.u8() | fields.u8() << 8 | fields.u8() << 16;
  const size = fields.u32();
  if (size === 0) fields.fail("its elements have no bytes");
  const type = {
    class: own,
    size,
    littleEndian: (flags & 1) === 0,
    signed: (flags & 8) !== 0,
    bits: { offset: 0, bits: 8 * size },
    isIeee: false,
    isText: own === CLASS.vlen && (flags & 15) === 1,
    isPadded: own === CLASS.string && (flags & 15) === 1,
    name: NAMES[own]!,
  };
  if (own === CLASS.integer) {
    const bits = { offset: fields.u16(), bits: fields.u16() };
    if (bits.bits === 0 || bits.offset + bits.bits > 8 * size) {
      fields.fail(`an integer of ${size} bytes has ${bits.bits} bits from bit ${bits.offset} on`);
    }
    return { ...type, bits, name: `integers of ${bits.bits} bits in ${size} bytes` };
  }
  if (own !== CLASS.float) return type;
  const [offset, bits] = [fields.u16(), fields.u16()];
  const layout = [flags >> 8 & 255, fields.u8(), fields.u8(), fields.u8(), fields.u8(), fields.u32()];
  // Bit 6 tells the mixed order of VAX; bits 4 and 5 that the first bit of the mantissa is not stored.
  const isIeee = (flags & 0x40) === 0 && (flags >> 4 & 3) === 2 && offset === 0 && bits === 8 * size &&
    layout.join() === IEEE[size]?.join();
  const [, , exponent, , mantissa] = layout;
  return {
    ...type,
    bits: { offset, bits },
    isIeee,
    name: isIeee
      ? `floats of ${bits} bits`
      : `floats of ${bits} bits with ${exponent} bits of exponent and ${mantissa} of mantissa`,
  };
}

/** The type of the samples that {@linkcode convertToWords} gives; `null` if elements are not samples. */
export function findSampleType({ class: own, size, signed, isIeee }: Datatype): SampleType | null {
  if (own === CLASS.float) return isIeee ? `float${8 * size}` as SampleType : null;
  if (own !== CLASS.integer || size > 8) return null;
  return `${signed ? "" : "u"}int${8 * countContainerBytes(size)}` as SampleType;
}

/** Bytes of the smallest word that has room for an integer. */
const countContainerBytes = (size: number) => [1, 2, 4, 8].find((bytes) => bytes >= size)!;

/** Whether elements are words of significant bits only. */
export const isWholeWord = ({ class: own, size, bits, isIeee }: Datatype): boolean =>
  own === CLASS.float
    ? isIeee
    : bits.offset === 0 && bits.bits === 8 * size && countContainerBytes(size) === size;

/** Numbers as little-endian words of their {@linkcode findSampleType}, without unused bits; other elements stay. */
export function convertToWords(type: Datatype, bytes: Uint8Array): Uint8Array {
  const { size, littleEndian, signed, bits: { offset, bits } } = type;
  if (findSampleType(type) === null) return bytes;
  if (isWholeWord(type) && (littleEndian || size === 1)) return bytes;
  const count = Math.floor(bytes.length / size);
  const width = isWholeWord(type) ? size : countContainerBytes(size);
  const target = new Uint8Array(count * width);
  if (isWholeWord(type)) {
    for (let i = 0; i < target.length; i += 1) target[i] = bytes[i - i % size + size - 1 - i % size]!;
    return target;
  }
  const view = new DataView(target.buffer);
  for (let i = 0; i < count; i += 1) {
    let value = 0n;
    for (let j = 0; j < size; j += 1) {
      value = value << 8n | BigInt(bytes[i * size + (littleEndian ? size - 1 - j : j)]!);
    }
    value >>= BigInt(offset);
    value = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
    if (width === 8) view.setBigInt64(8 * i, value, true);
    else if (width === 4) view.setInt32(4 * i, Number(value), true);
    else if (width === 2) view.setInt16(2 * i, Number(value), true);
    else view.setInt8(i, Number(value));
  }
  return target;
}

/** Sizes along the axes. */
export interface Dataspace {
  /** `[]` for one element, `null` for none. */
  readonly shape: readonly number[] | null;
  /** Sizes up to which it may grow. */
  readonly limits: readonly number[];
}

/** Most axes (section IV.A.2.b). */
const MAX_AXES = 32;

/** Reads a dataspace. @throws {DamagedStructure} */
export function readDataspace(fields: Fields): Dataspace {
  const version = fields.version(1, 2);
  const [axes, flags] = [fields.u8(), fields.u8()];
  if (axes > MAX_AXES) fields.fail(`it has ${axes} axes`);
  const kind = version === 2 ? fields.u8() : 1;
  if (version === 1) fields.skip(5);
  if (kind > 2 || kind !== 1 && axes > 0) fields.fail(`a dataspace of kind ${kind} has ${axes} axes`);
  const shape = Array.from({ length: axes }, () => fields.length());
  const limits = flags & 1 ? Array.from({ length: axes }, () => fields.limit(fields.sizes.length)) : shape;
  if (shape.some((length, axis) => length > limits[axis]!)) fields.fail("a length is beyond its limit");
  return { shape: kind === 2 ? null : shape, limits };
}
