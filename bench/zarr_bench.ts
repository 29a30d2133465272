/** One plane of 2048 x 2048 uint16 from chunks of 512 x 512, per codec, as a ratio to raw chunks in the same run. */
import { join } from "node:path";
import { Buffer } from "node:buffer";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { registry } from "zarrita";
import { scenes } from "../readers/ome_zarr/mod.ts";
import { FileAccess } from "../readers/random_access.ts";
import { FIRST_POSITION } from "../readers/reader.ts";
import { type BenchRow, best } from "./report.ts";

const SIDE = 2048;
const CHUNK = 512;
const INNER = 64;
const ROUNDS = 5;

const LITTLE = { name: "bytes", configuration: { endian: "little" } };

type Encode = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** One codec: how arrays name it, and how chunks are made. */
export interface Codec {
  readonly name: string;
  readonly metadata: readonly { readonly name: string; readonly configuration: Record<string, unknown> }[];
  /** Instead of plain samples. */
  readonly serializer?: { readonly name: string; readonly configuration: Record<string, unknown> };
  readonly encode: Encode;
}

/** The encoders of zarrita, which the program itself does not need. */
async function numcodec(name: string, configuration: Record<string, unknown>): Promise<Encode> {
  const codec = (await registry.get(name)!()).fromConfig(configuration, {} as never);
  return (bytes) => (codec as unknown as { encode: Encode }).encode(bytes);
}

/** Shards of 8 x 8 chunks of 64 x 64 with zstd, and an index of offsets and lengths at their end. */
const SHARDED: Codec = {
  name: "shards of 64 x 64, zstd",
  serializer: {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [INNER, INNER],
      codecs: [LITTLE, { name: "zstd", configuration: {} }],
      index_codecs: [LITTLE],
    },
  },
  metadata: [],
  encode(bytes) {
    const samples = new Uint16Array(bytes.buffer);
    const edge = CHUNK / INNER;
    const index = new BigUint64Array(2 * edge * edge);
    const parts: Uint8Array[] = [];
    let at = 0;
    for (let n = 0; n < edge * edge; n += 1) {
      const start = Math.floor(n / edge) * INNER * CHUNK + (n % edge) * INNER;
      const inner = new Uint16Array(INNER * INNER);
      for (let row = 0; row < INNER; row += 1) {
        inner.set(samples.subarray(start + row * CHUNK, start + row * CHUNK + INNER), row * INNER);
      }
      const part = zstdCompressSync(new Uint8Array(inner.buffer));
      index.set([BigInt(at), BigInt(part.length)], 2 * n);
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat([...parts, new Uint8Array(index.buffer)]);
  },
};

/** All codecs of the build. */
export async function codecs(): Promise<Codec[]> {
  const blosc = async (cname: string, shuffle: number): Promise<Codec> => {
    const configuration = { cname, clevel: 5, shuffle, blocksize: 0, typesize: 2 };
    const encode = await numcodec("blosc", configuration);
    const name = `blosc ${cname}${["", ", shuffle", ", bit shuffle"][shuffle]}`;
    const named = { ...configuration, shuffle: ["noshuffle", "shuffle", "bitshuffle"][shuffle] };
    return { name, metadata: [{ name: "blosc", configuration: named }], encode };
  };
  const plain = (name: string, encode: Encode): Codec => ({
    name,
    metadata: [{ name, configuration: {} }],
    encode,
  });
  const named = (name: string, encode: Encode): Codec => ({
    ...plain(name, encode),
    name: name.replace("numcodecs.", ""),
  });
  return [
    { name: "raw", metadata: [], encode: (bytes) => bytes },
    plain("gzip", (bytes) => gzipSync(bytes, { level: 5 })),
    plain("zstd", (bytes) => zstdCompressSync(bytes)),
    named("numcodecs.zlib", (bytes) => deflateSync(bytes, { level: 5 })),
    named(
      "numcodecs.brotli",
      (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ),
    named("numcodecs.lz4", await numcodec("lz4", {})),
    await blosc("lz4", 0),
    await blosc("lz4", 1),
    await blosc("zstd", 1),
    await blosc("zstd", 2),
    await blosc("blosclz", 1),
    await blosc("zlib", 1),
    SHARDED,
  ];
}

/** A smooth surface with noise in the lowest bits, as cameras give it. */
function chunkOf(row: number, column: number): Uint8Array {
  const samples = new Uint16Array(CHUNK * CHUNK);
  let noise = 1 + row * 4 + column;
  for (let i = 0; i < samples.length; i += 1) {
    noise = (Math.imul(noise, 1103515245) + 12345) & 0x7fffffff;
    const [y, x] = [row * CHUNK + Math.floor(i / CHUNK), column * CHUNK + i % CHUNK];
    samples[i] = 1000 + 800 * Math.sin(x / 97) * Math.cos(y / 61) + (noise >> 16) % 16;
  }
  return new Uint8Array(samples.buffer);
}

/** Writes an image of one plane. */
export async function writeStore(
  folder: string,
  { metadata, serializer = LITTLE, encode }: Codec,
): Promise<void> {
  const axes = [{ name: "y", type: "space" }, { name: "x", type: "space" }];
  const ome = { version: "0.5", multiscales: [{ axes, datasets: [{ path: "0" }] }] };
  const array = {
    zarr_format: 3,
    node_type: "array",
    shape: [SIDE, SIDE],
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [CHUNK, CHUNK] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [serializer, ...metadata],
  };
  for (let row = 0; row < SIDE / CHUNK; row += 1) {
    Deno.mkdirSync(join(folder, `0/c/${row}`), { recursive: true });
    for (let column = 0; column < SIDE / CHUNK; column += 1) {
      Deno.writeFileSync(join(folder, `0/c/${row}/${column}`), await encode(chunkOf(row, column)));
    }
  }
  const group = { zarr_format: 3, node_type: "group", attributes: { ome } };
  Deno.writeTextFileSync(join(folder, "zarr.json"), JSON.stringify(group));
  Deno.writeTextFileSync(join(folder, "0/zarr.json"), JSON.stringify(array));
}

/** Measures opening, planning and decoding together. */
export async function run(): Promise<BenchRow[]> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const rows: BenchRow[] = [];
  const plane = new Float32Array(SIDE * SIDE);
  let raw = NaN;
  try {
    for (const codec of await codecs()) {
      const path = join(folder, codec.name.replaceAll(/\W+/g, "_"));
      await writeStore(path, codec);
      const milliseconds = await best(ROUNDS, async () => {
        const files = new FileAccess([folder]);
        try {
          const acquisition = await (await scenes({ path, files })).open(0);
          await (await acquisition.plan([0], FIRST_POSITION)).decode([plane]);
        } finally {
          files.close();
        }
      });
      if (codec.name === "raw") raw = milliseconds;
      rows.push({
        group: "ome-zarr codecs",
        name: codec.name,
        milliseconds,
        ratios: { "to raw": milliseconds / raw },
      });
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  return rows;
}

if (import.meta.main) (await import("./report.ts")).printRows(await run());
