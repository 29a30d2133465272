/** Damaged and hostile TIFF: each is refused with what and where, in little time and memory, or served exactly. */
import { deepEqual, match, ok, rejects } from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { directoryAt, type Field, grayLayout, linkAt, tiffBytes } from "../fixtures/tiff_writer.ts";
import { type TiffLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import {
  checkCuts,
  type DamageTable,
  loadBytes,
  openBytes,
  refused as refusedAs,
  testDamage,
} from "../damage.ts";

const GRAY: TiffLayout = { ...grayLayout(20, 10, 16), rowsPerStrip: 4 };

const value = (x: number, y: number, s: number, page: number) => BigInt(x + 20 * y + 200 * s + 1000 * page);

async function planesOf(bytes: Uint8Array): Promise<Float32Array[]> {
  const { planes, plan } = await loadBytes("case.tif", bytes);
  ok(plan.bytes <= 64 << 20, `${plan.bytes} bytes were reserved`);
  return planes;
}

const refused = (bytes: Uint8Array, message: RegExp) => refusedAs("case.tif", bytes, message);

/** Fields that the writer gives a page of strips. */
const OWN_FIELDS = 13;

/** A file whose fields differ from what its strips hold. */
const altered = (...fields: Field[]) => tiffBytes(GRAY, value, 1, fields);

/** A file of one strip, which declares 400 bytes of a codec, by its value of Compression. */
const compressed = (compression: number, strip: Uint8Array) =>
  tiffOf({ ...GRAY, rowsPerStrip: 10 }, [[strip]], [[259, 3, [compression]]]);

const DEFLATE = 8;

const fixture = (name: string) => Deno.readFileSync(new URL(`../fixtures/tiff/${name}.tif`, import.meta.url));

const notRead = (what: string) =>
  new RegExp(`${what}, which is not read \\(docs/formats/tiff\\.md#what-is-refused\\)$`);

const DAMAGE: DamageTable = {
  "a plane that the strips cannot hold": [
    () => altered([256, 4, [20_000]]),
    /strip 0 at 8 holds 160 bytes, 160000 are/,
  ],
  "a strip beyond the end": [
    () => altered([273, 4, [8, 1e9, 16]]),
    /strip 1 at 1000000000 \+ 160 ends after the file/,
  ],
  "complex samples": [() => altered([339, 3, [6]]), /SampleFormat \(339\) is 6/],
  "an unknown codec": [() => altered([259, 3, [6]]), /Compression \(259\) is 6/],
  "an unknown predictor": [
    () => tiffBytes({ ...GRAY, codec: "zstd" }, value, 1, [[317, 3, [9]]]),
    /Predictor \(317\) is 9/,
  ],
  "image depth": [() => altered([32997, 4, [5]]), /ImageDepth \(32997\) is 5/],
  "tiles of 2^20 by 2^20": [
    () => {
      const fields: Field[] = [[322, 4, [2 ** 20]], [323, 4, [2 ** 20]]];
      return tiffBytes({ ...GRAY, tile: [32, 16], codec: "deflate" }, value, 1, fields);
    },
    /tile 0 at 8 \+ \d+ is too short for 2199023255552 bytes of deflate/,
  ],
  "a bomb of deflate": [
    () => compressed(DEFLATE, deflateSync(new Uint8Array(64 << 20))),
    /it holds more than the 400 bytes that are declared/,
  ],
  "a cut strip of deflate": [
    () => compressed(DEFLATE, deflateSync(new Uint8Array(400).map((_, i) => i * i)).subarray(0, 90)),
    /is damaged deflate: the stream of 90 bytes ends early/,
  ],
  "deflate without its checksum": [
    () => compressed(DEFLATE, deflateSync(new Uint8Array(400)).subarray(0, -4)),
    /is damaged deflate: the stream of \d+ bytes ends early/,
  ],
  "JPEG of samples of different widths": [
    () => altered([258, 3, [8, 24, 8]], [259, 3, [7]], [277, 3, [3]]),
    /BitsPerSample \(258\) is 8, 24, 8; samples of JPEG have one width/,
  ],
  "no value of BitsPerSample": [() => altered([258, 3, []]), /no number for BitsPerSample \(258\)/],
  "JPEG 2000 of four components": [
    () => fixture("refused_jpeg2000_four"),
    /strip 0 at \d+ \+ \d+ is JPEG 2000 of 4 components; 1 and 3 are supported$/,
  ],
  "JPEG 2000 that would keep its decoder busy for too long": [
    () => fixture("jpeg2000_bomb"),
    /a strip has 144000000 samples of JPEG 2000 in 589 bytes; .*so at most 33554432 in 50331648 are/,
  ],
  "LERC that would keep its decoder busy for too long": [
    () => fixture("lerc_bomb"),
    /a strip has 144000000 samples of LERC in 70 bytes; .*so at most 67108864 in 536870912 are/,
  ],
  "WebP that would keep its decoder busy for too long": [
    () => fixture("webp_bomb"),
    /a strip has 432000000 samples of WebP in 5558 bytes; .*so at most 134217728 in 268435456 are/,
  ],
  "LZMA": [() => fixture("codec_lzma"), notRead("Compression \\(259\\) is 34925 \\(LZMA\\)")],
  "CCITT RLE": [() => fixture("ccitt_rle"), notRead("Compression \\(259\\) is 2 \\(CCITT RLE\\)")],
  "CCITT Group 3": [() => fixture("ccitt_g3"), notRead("Compression \\(259\\) is 3 \\(CCITT Group 3\\)")],
  "CCITT Group 4": [() => fixture("ccitt_g4"), notRead("Compression \\(259\\) is 4 \\(CCITT Group 4\\)")],
  "JPEG of 12 bits": [() => fixture("jpeg_12"), notRead("strip 0 at .* is JPEG of 12 bits a sample")],
  "lossless JPEG of 16 bits": [
    () => fixture("jpeg_lossless_16_1"),
    notRead("strip 0 at .* is JPEG of 16 bits a sample"),
  ],
  "a predictor that is not read": [
    () => fixture("refused_predictor"),
    /Predictor \(317\) is 34892; 1, 2 and 3 are read$/,
  ],
};

testDamage("case.tif", DAMAGE, altered);

Deno.test("serves the pages before a circle of directories, with a warning", async () => {
  const bytes = tiffBytes(GRAY, value, 3);
  new DataView(bytes.buffer).setUint32(linkAt(bytes, 2), directoryAt(bytes), true);
  const { summary } = await loadBytes("case.tif", bytes);
  deepEqual(summary.axes.map(({ name, size }) => `${name}${size}`), ["Z2", "Y10", "X20"]);
  match(
    summary.warnings[0]!.text,
    /ends early, after 2 pages: directory 2 at \d+ was read before: the chain is a circle/,
  );
});

Deno.test("reads a directory of 4,096 entries, and rejects a larger one", async () => {
  const filled = (count: number) =>
    altered(...Array.from({ length: count - OWN_FIELDS }, (_, i): Field => [40_000 + i, 3, [0]]));
  deepEqual(await planesOf(filled(4096)), await planesOf(altered()));
  await refused(filled(4097), /has 4097 entries, not 1 to 4096/);
});

Deno.test("rejects a truncated file or serves it exactly", async () => {
  for (const codec of ["none", "deflate", "LZW", "PackBits", "zstd"] as const) {
    await checkCuts("case.tif", tiffBytes({ ...GRAY, codec }, value, 2), 7);
  }
});

Deno.test("rejects a predictor over samples of different widths", async () => {
  // 16 and 8 bits: two bytes too few for the second sample to be taken as 16 bits.
  const layout: TiffLayout = { ...GRAY, width: 4, height: 2, samples: 2, rowsPerStrip: 2, predictor: 2 };
  for (const codec of ["deflate", "none"] as const) {
    const strip = new Uint8Array(4 * 2 * 3);
    const bytes = tiffOf({ ...layout, codec }, [[codec === "none" ? strip : deflateSync(strip)]], [
      [258, 3, [16, 8]],
    ]);
    await refused(bytes, /Predictor \(317\) is 2 with samples of 16, 8 bits, which differ/);
  }
});

Deno.test("serves no bytes of the header for a strip or tile that is not stored", async (t) => {
  const layouts: Record<string, Partial<TiffLayout>> = {
    "strips": { rowsPerStrip: 2 },
    "one strip": {},
    "BigTIFF": { bigTiff: true, rowsPerStrip: 2 },
    "compressed strips": { codec: "deflate", rowsPerStrip: 2 },
    "LZW": { codec: "LZW", rowsPerStrip: 2 },
    "tiles": { tile: [16, 16] },
    "compressed tiles": { tile: [16, 16], codec: "zstd" },
    "planar samples": { samples: 3, planar: true },
  };
  for (const [name, change] of Object.entries(layouts)) {
    await t.step(name, async () => {
      const layout = { ...grayLayout(20, 8, 16), ...change };
      const tag = layout.tile ? 324 : 273;
      const kind = layout.tile ? "tile" : "strip";
      const count = layout.tile ? 2 : layout.planar ? 3 : layout.rowsPerStrip < 8 ? 4 : 1;
      const written = (offset: number, page: number) =>
        tiffBytes(layout, (x, y) => BigInt(x + y), 2, (own) => {
          const offsets = Array<number>(count).fill(offset);
          return own === page ? [[tag, layout.bigTiff ? 16 : 4, offsets]] : [];
        });
      await rejects(
        loadBytes("a.tif", written(0, 0)),
        new RegExp(`${kind} 0 is not stored: its offset is 0`),
      );
      await rejects(loadBytes("a.tif", written(7, 0)), new RegExp(`${kind} 0 at 7 lies in the header`));
      await openBytes("a.tif", written(0, 1), async (acquisition) => {
        await acquisition.plan([0], { t: 0, z: 0, l: 0 });
        await rejects(acquisition.plan([0], { t: 0, z: 1, l: 0 }), { tag: "plane_not_found" });
      });
    });
  }
});

Deno.test("counts no planes in a row from a strip that is not stored", () => {
  const text = "ImageJ=1.53t\nimages=3\nslices=3\n";
  const bytes = tiffBytes(grayLayout(5, 4, 16), () => 7n, 1, [[270, 2, text], [273, 4, [0]]]);
  return rejects(loadBytes("a.tif", bytes), /strip 0 is not stored/);
});
