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

/** First number of tags that anybody may register for private use (TIFF 6.0, section 2). */
const FIRST_PRIVATE = 32768;

/** True for a number below the private ones that TIFF 6.0 and its supplements name. */
function isNamed(tag: number): boolean {
  return tag >= 254 && tag <= 347 || tag >= 512 && tag <= 532 || tag === 559 || tag === 700;
}

/**
 * The first of these tags that is most likely another one with a wrong number: it has no name and does not stand in
 * ascending order, as all shall (TIFF 6.0, section 2).
 */
export function strayTag(tags: readonly number[]): number | undefined {
  return tags.find((tag, i) =>
    !isNamed(tag) &&
    ((tags[i + 1] ?? FIRST_PRIVATE) < Math.min(tag, FIRST_PRIVATE) ||
      tag < FIRST_PRIVATE && (tags[i - 1] ?? 0) > tag)
  );
}
