/** Decodes a plane of 2048 x 2048 samples by each codec on one thread, in turns with imagecodecs, which encodes the streams. */
import { join } from "node:path";
import { decodeBlosc } from "../readers/codecs/blosc.ts";
import { jpeg } from "../readers/codecs/jpeg.ts";
import { jpeg2000 } from "../readers/codecs/jpeg2000.ts";
import { jpegXr } from "../readers/codecs/jpegxr.ts";
import { lerc } from "../readers/codecs/lerc.ts";
import { lzw } from "../readers/codecs/lzw.ts";
import { packBits } from "../readers/codecs/packbits.ts";
import type { Codec } from "../readers/codecs/segment.ts";
import { webp } from "../readers/codecs/webp.ts";
import { deflate, zstd } from "../readers/codecs/zlib.ts";
import { strip } from "../tests/fixtures/strip.ts";
import { PythonPeer } from "./python.ts";
import type { BenchRow } from "./report.ts";
import { withFolder } from "./setting.ts";
import { picture } from "./tiff_pages.ts";
import { comparedTo, inTurns, timed } from "./timing.ts";

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

/** By the names of `codec_peers.py`: what is decoded, and how. */
const CODECS: Readonly<Record<string, readonly [name: string, decode: Decode]>> = {
  lzw: ["LZW, strips of 64 rows", inStrips(lzw)],
  deflate: ["deflate, strips of 64 rows", inStrips(deflate)],
  zstd: ["zstd, strips of 64 rows", inStrips(zstd)],
  packbits: ["PackBits of 8 bits, strips of 64 rows", inStrips(packBits, 8)],
  blosc_lz4: ["Blosc, lz4, shuffle, chunks of 512 x 512", blosc],
  blosc_lz4_bits: ["Blosc, lz4, bit shuffle, chunks of 512 x 512", blosc],
  blosc_blosclz: ["Blosc, blosclz, shuffle, chunks of 512 x 512", blosc],
  blosc_zstd: ["Blosc, zstd, shuffle, chunks of 512 x 512", blosc],
  jpeg: ["JPEG of 8 bits, tiles of 512 x 512", inTiles(jpeg, 8)],
  jpeg_rgb: ["JPEG of 8 bits, RGB 4:2:0, tiles of 512 x 512", inTiles(jpeg, 8, 3)],
  ljpeg: ["lossless JPEG of 8 bits, tiles of 512 x 512", inTiles(jpeg, 8)],
  jpeg2000: ["JPEG 2000, 4 tiles of 512 x 512", inTiles(jpeg2000)],
  jpegxr: ["JPEG XR, tiles of 512 x 512", inTiles(jpegXr)],
  lerc: ["LERC, tiles of 512 x 512", inTiles(lerc)],
  webp: ["WebP, RGB, 4 tiles of 512 x 512", inTiles(webp, 8, 3)],
};

/** Measures all codecs; without imagecodecs there are no rows. */
export const run = (): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const plane = join(folder, "plane");
    Deno.writeFileSync(plane, picture(SIDE, SIDE));
    await using python = new PythonPeer("codec_peers.py", plane, folder);
    if (await python.times({ do: "write" }) === null) {
      console.error("The part codecs needs a Python with imagecodecs: --python=PROGRAM");
      return [];
    }
    const rows: BenchRow[] = [];
    for (const [codec, [name, decode]] of Object.entries(CODECS)) {
      const files = [...Deno.readDirSync(folder)].filter((file) => file.name.startsWith(`${codec}.`));
      const streams = files.map((file) => Deno.readFileSync(join(folder, file.name)));
      const work = async () => {
        for (const stream of streams) await decode(stream);
      };
      const { ours, theirs } = await inTurns(ROUNDS, {
        ours: () => timed(work),
        theirs: () => python.times({ do: codec }),
      });
      rows.push({
        ...{ group: "codecs, one thread", name, milliseconds: ours.least.clock },
        ratios: comparedTo("imagecodecs", ours, theirs),
      });
    }
    return rows;
  });
