/** Tags of TIFF 6.0, its supplements and the vendors whose metadata is read. */
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
  SubIFDs: 330,
  ExtraSamples: 338,
  SampleFormat: 339,
  JPEGTables: 347,
  YCbCrSubSampling: 530,
  ImageDepth: 32997,
  UIC1: 33628,
  UIC2: 33629,
  UIC3: 33630,
  FluoViewHeader: 34361,
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
