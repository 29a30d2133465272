/** Compressed strips and tiles, and the codec for each value of Compression. Heavy codecs are loaded on first use. */
import { type Codec, type LargestSegment, requireBounded, type StreamSettings } from "../codecs/segment.ts";
import { DecodeFailed } from "../errors.ts";
import { MAX_READ_STEP } from "../io/limits.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { PlanePlan } from "../reader.ts";
import { type PageLayout, PHOTOMETRIC } from "./page.ts";
import { placeRows, reverseBits, withoutPredictor } from "./samples.ts";
import { countRowBytes, type SegmentTable } from "./segment_table.ts";
import { TAG, tagName } from "./tags.ts";

/** How to decode the wanted samples. @throws {DecodeFailed} a strip is too large for the decoder, or its bits do not suit it */
export function planCompressed(
  table: SegmentTable,
  codec: Codec,
  stop: StopFlag,
): Required<Pick<PlanePlan, "working" | "decode">> {
  const { page, tiff } = table;
  if (codec.image && page.bits.some((width) => width !== page.bits[0] || width === 1)) {
    const bits = `${tagName(TAG.BitsPerSample)} is ${page.bits.join(", ")}`;
    throw new DecodeFailed(`${bits}; samples of ${codec.title} have one width above 1`);
  }
  const settings = readStreamSettings(page);
  return {
    working: {
      bytes: codec.workingBytes(findLargestSegment(table, codec)),
      endsWithWorker: codec.endsWithWorker ?? false,
    },
    decode: async (planes) => {
      let room: Uint8Array | null = null;
      for (const index of table.holding()) {
        stop.check();
        const bits = countDecodedBits(table, codec, index);
        const row = countRowBytes(page.segmentWidth, bits);
        const rows = table.rows(index);
        const input = tiff.file.read(table.offsets[index]!, table.lengths[index]!, table.name(index));
        if (page.reversedBits && codec.bitOrder) reverseBits(input);
        const decoded: Uint8Array = await codec.decode(input, {
          width: page.segmentWidth,
          rows,
          samples: bits.length,
          fullRows: page.segmentHeight,
          bytes: row * rows,
          mostBytes: row * page.segmentHeight,
          settings: { ...settings, bits: table.bits(index) },
          what: `${table.name(index)} at ${table.offsets[index]!} + ${table.lengths[index]!}`,
          stop,
          room,
        });
        room = codec.refills ? decoded : null;
        // Typed views need an aligned start.
        const output = decoded.byteOffset % 8 === 0 ? decoded : decoded.slice();
        const { start, end } = table.wantedRows(index, rows);
        // In steps, so that decoding a plane of a single strip can be stopped.
        const atOnce = Math.max(1, Math.floor(MAX_READ_STEP / row));
        for (let first = start; first < end; first += atOnce) {
          stop.check();
          const count = Math.min(atOnce, end - first);
          const bytes = output.subarray(first * row, (first + count) * row);
          const littleEndian = codec.image || tiff.encoding.littleEndian;
          const some = { index, first, count, bytes, bits, littleEndian };
          placeRows(table, codec.image ? some : withoutPredictor(page, some), planes);
        }
      }
    },
  };
}

/** Bits of each interleaved sample after decoding: image codecs widen samples to the next machine type. */
function countDecodedBits(table: SegmentTable, { image }: Codec, index: number): readonly number[] {
  const bits = table.bits(index);
  return image ? bits.map((b) => b <= 8 ? 8 : b <= 16 ? 16 : b <= 32 ? 32 : 64) : bits;
}

function findLargestSegment(table: SegmentTable, codec: Codec): LargestSegment {
  const { segmentWidth: width, segmentHeight: rows } = table.page;
  let [stored, rowLength, samples] = [0, 0, 0];
  for (const index of table.holding()) {
    const bits = countDecodedBits(table, codec, index);
    stored = Math.max(stored, table.lengths[index]!);
    rowLength = Math.max(rowLength, countRowBytes(width, bits));
    samples = Math.max(samples, bits.length);
  }
  const extent = { stored, width, rows, samples, bytes: rowLength * rows };
  requireBounded(codec, extent, `a ${table.page.tiled ? "tile" : "strip"}`);
  return extent;
}

const loadJpeg2000 = async () => (await import("../codecs/jpeg2000.ts")).jpeg2000;
const loadJpeg = async () => (await import("../codecs/jpeg.ts")).jpeg;
const deflate = async () => (await import("../codecs/zlib.ts")).deflate;
const loadWebp = async () => (await import("../codecs/webp.ts")).webp;
const loadZstd = async () => (await import("../codecs/zlib.ts")).zstd;

const CODECS: Readonly<Record<number, () => Promise<Codec>>> = {
  5: async () => (await import("../codecs/lzw.ts")).lzw,
  7: loadJpeg,
  8: deflate,
  32773: async () => (await import("../codecs/packbits.ts")).packBits,
  32946: deflate,
  33003: loadJpeg2000,
  33004: loadJpeg2000,
  33005: loadJpeg2000,
  33007: loadJpeg,
  34712: loadJpeg2000,
  34887: async () => (await import("../codecs/lerc.ts")).lerc,
  34926: loadZstd,
  34927: loadWebp,
  50000: loadZstd,
  50001: loadWebp,
};

/**
 * Compression of Aperio for JPEG 2000 in YCbCr without a colour transform in the stream. Bio-Formats and SCIFIO write it for any
 * samples.
 */
const JPEG2000_YCBCR = 33003;

/** Compressions that no microscope writes. */
const NOT_READ: Readonly<Record<number, string>> = {
  2: "CCITT RLE",
  3: "CCITT Group 3",
  4: "CCITT Group 4",
  34925: "LZMA",
};

/** The codec of a compressed page. @throws {DecodeFailed} Compression is unknown, or may mean that samples are YCbCr */
export function requireCodec(
  { compression, samples }: Pick<PageLayout, "compression" | "samples">,
): Promise<Codec> {
  const load = CODECS[compression];
  const mayBeYCbCr = compression === JPEG2000_YCBCR && samples > 1;
  if (load && !mayBeYCbCr) return load();
  const name = NOT_READ[compression];
  const value = `${tagName(TAG.Compression)} is ${compression}${name ? ` (${name})` : ""}${
    mayBeYCbCr ? ` with ${samples} samples` : ""
  }`;
  throw new DecodeFailed(`${value}, which is not read (docs/formats/tiff.md#what-is-refused)`);
}

/** Largest JPEG tables of a page in bytes; most have a kilobyte. */
const MAX_TABLE_BYTES = 1 << 20;

function readStreamSettings(page: PageLayout): Omit<StreamSettings, "bits"> {
  const { directory, kind, photometric } = page;
  return {
    kind,
    jpegTables: directory.bytes(TAG.JPEGTables, MAX_TABLE_BYTES) ?? null,
    colours: photometric === PHOTOMETRIC.ycbcr ? "ycbcr" : photometric === PHOTOMETRIC.rgb ? "rgb" : null,
    lercPacking: directory.numbers(TAG.LercParameters, 16)[1] ?? 0,
  };
}
