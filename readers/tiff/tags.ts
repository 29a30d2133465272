/** Tags and field types of TIFF 6.0, its supplements and BigTIFF, and of the vendors whose metadata is read. */

/** Largest number of entries in a directory; a few hundred tags exist. */
export const MAX_ENTRIES = 4096;

/** Largest vendor structure that is read whole, in bytes (Micro-Manager summary, ScanImage header, MetaMorph table). */
export const MAX_VENDOR_BYTES = 16 << 20;

/** Tag numbers. */
export const TAG = {
  NewSubfileType: 254,
  ImageWidth: 256,
  ImageLength: 257,
  BitsPerSample: 258,
  Compression: 259,
  PhotometricInterpretation: 262,
  FillOrder: 266,
  ImageDescription: 270,
  StripOffsets: 273,
  SamplesPerPixel: 277,
  RowsPerStrip: 278,
  StripByteCounts: 279,
  XResolution: 282,
  YResolution: 283,
  PlanarConfiguration: 284,
  ResolutionUnit: 296,
  Software: 305,
  DateTime: 306,
  Predictor: 317,
  TileWidth: 322,
  TileLength: 323,
  TileOffsets: 324,
  TileByteCounts: 325,
  ExtraSamples: 338,
  SampleFormat: 339,
  JPEGTables: 347,
  YCbCrSubSampling: 530,
  ImageDepth: 32997,
  UIC1: 33628,
  UIC2: 33629,
  FluoViewHeader: 34361,
  CZ_LSMINFO: 34412,
  LercParameters: 50674,
  ImageJByteCounts: 50838,
  ImageJMetadata: 50839,
  MicroManagerMetadata: 51123,
} as const;

const NAMES = new Map<number, string>(Object.entries(TAG).map(([name, tag]) => [tag, name]));

/** Name and number of a tag in messages: `StripOffsets (273)`. */
export function tagName(tag: number): string {
  const name = NAMES.get(tag);
  return name ? `${name} (${tag})` : `tag ${tag}`;
}

/** Reads one value. */
export type ReadValue = (view: DataView, at: number, little: boolean) => number;

const uint8: ReadValue = (view, at) => view.getUint8(at);
const uint32: ReadValue = (view, at, little) => view.getUint32(at, little);
const int32: ReadValue = (view, at, little) => view.getInt32(at, little);
const readUint64Value: ReadValue = (view, at, little) => Number(view.getBigUint64(at, little));

/** Bytes and reader of a value, by field type (TIFF 6.0, section 2); a rational is divided. */
export const FIELD_TYPES: Readonly<Record<number, readonly [bytes: number, read: ReadValue]>> = {
  1: [1, uint8],
  2: [1, uint8],
  3: [2, (view, at, little) => view.getUint16(at, little)],
  4: [4, uint32],
  5: [8, (view, at, little) => uint32(view, at, little) / uint32(view, at + 4, little)],
  6: [1, (view, at) => view.getInt8(at)],
  7: [1, uint8],
  8: [2, (view, at, little) => view.getInt16(at, little)],
  9: [4, int32],
  10: [8, (view, at, little) => int32(view, at, little) / int32(view, at + 4, little)],
  11: [4, (view, at, little) => view.getFloat32(at, little)],
  12: [8, (view, at, little) => view.getFloat64(at, little)],
  13: [4, uint32],
  16: [8, readUint64Value],
  17: [8, (view, at, little) => Number(view.getBigInt64(at, little))],
  18: [8, readUint64Value],
};

/** Field type of texts. */
export const ASCII = 2;
