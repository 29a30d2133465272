/**
 * Decoding one plane of 2048 x 2048 samples by each codec, on one thread, to imagecodecs decoding the same streams: needs a
 * Python with it (`--python=PROGRAM`, by default `python3`), which has the encoders too.
 */
import { join } from "node:path";
import { Buffer } from "node:buffer";
import { decodeBlosc } from "../readers/codecs/blosc.ts";
import { jpeg } from "../readers/codecs/jpeg/mod.ts";
import { jpeg2000 } from "../readers/codecs/jpeg2000.ts";
import { jpegXr } from "../readers/codecs/jpegxr.ts";
import { lerc } from "../readers/codecs/lerc.ts";
import { lzma } from "../readers/codecs/lzma.ts";
import { lzw } from "../readers/codecs/lzw.ts";
import { packBits } from "../readers/codecs/packbits.ts";
import type { Codec } from "../readers/codecs/segment.ts";
import { webp } from "../readers/codecs/webp.ts";
import { deflate, zstd } from "../readers/codecs/zlib.ts";
import { strip } from "../tests/fixtures/strip.ts";
import { inTurns, PythonPeer } from "./python_peer.ts";
import type { BenchRow } from "./report.ts";
import { pixels } from "./tiff_samples.ts";

const [ROUNDS, SIDE, ROWS, TILE] = [40, 2048, 64, 512];

type Decode = (stream: Uint8Array) => unknown;

const of = (codec: Codec, width: number, rows: number, bits: number, samples = 1): Decode => {
  const segment = strip(width, rows, {
    samples,
    settings: { bits: new Array(samples).fill(bits), colours: samples === 3 ? "ycbcr" : null },
  });
  let room: Uint8Array | null = null;
  // As readers do.
  return async (stream) => {
    const decoded = await codec.decode(stream, { ...segment, room });
    room = codec.refills ? decoded : null;
  };
};
const inStrips = (codec: Codec, bits = 16) => of(codec, SIDE, ROWS, bits);
const inTiles = (codec: Codec, bits = 16, samples = 1) => of(codec, TILE, TILE, bits, samples);
const chunk = new Uint8Array(2 * TILE * TILE);
const blosc: Decode = (stream) => decodeBlosc(stream, chunk.length, () => chunk);

/** By the names of `codecs_peer.py`: what is decoded, and how. */
const CODECS: Readonly<Record<string, readonly [name: string, decode: Decode]>> = {
  lzw: ["LZW, strips of 64 rows", inStrips(lzw)],
  deflate: ["deflate, strips of 64 rows", inStrips(deflate)],
  zstd: ["zstd, strips of 64 rows", inStrips(zstd)],
  packbits: ["PackBits of 8 bits, strips of 64 rows", inStrips(packBits, 8)],
  lzma: ["LZMA, 4 strips of 64 rows", inStrips(lzma)],
  blosc_lz4: ["Blosc, lz4, shuffle, chunks of 512 x 512", blosc],
  blosc_lz4_bits: ["Blosc, lz4, bit shuffle, chunks of 512 x 512", blosc],
  blosc_blosclz: ["Blosc, blosclz, shuffle, chunks of 512 x 512", blosc],
  blosc_zstd: ["Blosc, zstd, shuffle, chunks of 512 x 512", blosc],
  jpeg: ["JPEG of 8 bits, tiles of 512 x 512", inTiles(jpeg, 8)],
  jpeg_rgb: ["JPEG of 8 bits, RGB 4:2:0, tiles of 512 x 512", inTiles(jpeg, 8, 3)],
  ljpeg: ["lossless JPEG, tiles of 512 x 512", inTiles(jpeg)],
  jpeg2000: ["JPEG 2000, 4 tiles of 512 x 512", inTiles(jpeg2000)],
  jpegxr: ["JPEG XR, tiles of 512 x 512", inTiles(jpegXr)],
  lerc: ["LERC, tiles of 512 x 512", inTiles(lerc)],
  webp: ["WebP, RGB, 4 tiles of 512 x 512", inTiles(webp, 8, 3)],
};

function streamsOf(file: Uint8Array): Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset);
  const count = view.getUint32(0, true);
  let at = 4 * (count + 1);
  return Array.from({ length: count }, (_, i) => file.slice(at, at += view.getUint32(4 * (i + 1), true)));
}

/** Runs all rows; without imagecodecs there are none. */
export async function run(): Promise<BenchRow[]> {
  const folder = await Deno.makeTempDir();
  const rows: BenchRow[] = [];
  try {
    const plane = join(folder, "plane");
    Deno.writeFileSync(plane, Buffer.from(pixels().buffer));
    await using peer = new PythonPeer("codecs_peer.py", plane, folder);
    if (await peer.line() === null) {
      console.error("The part codecs needs a Python with imagecodecs: --python=PROGRAM");
      return [];
    }
    for (const [codec, [name, decode]] of Object.entries(CODECS)) {
      const streams = streamsOf(Deno.readFileSync(join(folder, codec)));
      const work = async () => {
        for (const stream of streams) await decode(stream);
      };
      const compared = await inTurns(ROUNDS, work, peer, { name: "imagecodecs", asked: { codec } });
      rows.push({ group: "codecs, one thread", name, ...compared });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return rows;
}
