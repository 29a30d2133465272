/** Tags and field types of TIFF 6.0, its supplements and BigTIFF, and of the vendors whose metadata is read. */

/** Numbers of the tags. */
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
  T4Options: 292,
  T6Options: 293,
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

/** Name and number of a tag for messages: `StripOffsets (273)`. */
export function tagName(tag: number): string {
  const name = NAMES.get(tag);
  return name ? `${name} (${tag})` : `tag ${tag}`;
}

/** Bytes of one value by field type; entries of other types are skipped (TIFF 6.0, section 2). */
export const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};

/** Field type of texts. */
export const ASCII = 2;

/** One value of a known field type; a rational is divided. */
export function valueOf(view: DataView, at: number, type: number, little: boolean): number {
  switch (type) {
    case 3:
      return view.getUint16(at, little);
    case 4:
    case 13:
      return view.getUint32(at, little);
    case 5:
      return view.getUint32(at, little) / view.getUint32(at + 4, little);
    case 6:
      return view.getInt8(at);
    case 8:
      return view.getInt16(at, little);
    case 9:
      return view.getInt32(at, little);
    case 10:
      return view.getInt32(at, little) / view.getInt32(at + 4, little);
    case 11:
      return view.getFloat32(at, little);
    case 12:
      return view.getFloat64(at, little);
    case 16:
    case 18:
      return Number(view.getBigUint64(at, little));
    case 17:
      return Number(view.getBigInt64(at, little));
    default:
      return view.getUint8(at);
  }
}
