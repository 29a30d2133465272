/** Metadata of arrays (Zarr 2 and Zarr 3 core), each field with values on both sides of its limits. */
import { deepEqual, doesNotThrow, equal, throws } from "node:assert/strict";
import { readArrayLayout } from "./array_layout.ts";
import { divideByChunks, estimateWorkingMemory, listWantedChunks } from "./array_planes.ts";
import type { PlaneSelection } from "./plane_sink.ts";

type Fields = Record<string, unknown>;

const LITTLE = { name: "bytes", configuration: { endian: "little" } };
const ZSTD = { name: "zstd" };
const FIELDS = {
  shape: [2, 8, 10],
  data_type: "uint16",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 4, 5] } },
  chunk_key_encoding: { name: "default" },
  codecs: [LITTLE],
  fill_value: 3,
};
const OLD_FIELDS = {
  shape: [2, 8, 10],
  chunks: [1, 4, 5],
  dtype: "<u2",
  compressor: null,
  filters: null,
  order: "C",
  fill_value: 3,
};

function layout(change: Fields = {}, zarrFormat: 2 | 3 = 3, attributes: Fields = {}) {
  const fields = { ...zarrFormat === 3 ? FIELDS : OLD_FIELDS, ...change };
  return readArrayLayout({ zarrFormat, kind: "array", metadata: { key: "0", fields }, attributes }, "0");
}

const old = (change: Fields = {}, attributes: Fields = {}) => layout(change, 2, attributes);
const grid = (...chunk_shape: unknown[]) => ({
  chunk_grid: { name: "regular", configuration: { chunk_shape } },
});
const keyed = (chunk_key_encoding: unknown) => ({ chunk_key_encoding });
const configured = (data_type: Fields) => ({ data_type });

const READ: readonly Fields[] = [
  { shape: new Array(16).fill(1), ...grid(...new Array(16).fill(1)) },
  configured({ name: "uint16" }),
  configured({ name: "uint16", configuration: {} }),
  { storage_transformers: [] },
  { other: { must_understand: false } },
  { shape: [1, 1, 2 ** 29], ...grid(1, 1, 2 ** 29) },
  { codecs: [LITTLE, ...new Array(31).fill(ZSTD)] },
  { codecs: [LITTLE, "zstd"] },
  { data_type: "uint8", codecs: ["bytes"] },
  { data_type: "uint8", codecs: [{ name: "bytes", configuration: { endian: null } }] },
];

const shards = (change: Fields = {}) => ({
  codecs: [{
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [1, 2, 5],
      codecs: [LITTLE, ZSTD],
      index_codecs: [LITTLE, "crc32c"],
      ...change,
    },
  }],
});

const REFUSED: readonly (readonly [Fields, RegExp])[] = [
  [{ shape: [] }, /has the shape \[\]/],
  [{ shape: new Array(17).fill(1) }, /has the shape/],
  [{ shape: 4 }, /has the shape 4/],
  [{ shape: [0, 8, 10] }, /not 3 positive sizes/],
  [{ shape: [0.5, 8, 10] }, /not 3 positive sizes/],
  [{ shape: ["2", 8, 10] }, /not 3 positive sizes/],
  [grid(4, 5), /the chunk shape of array "0" is \[4,5\], not 3/],
  [grid(1, 1, 4, 5), /not 3 positive sizes/],
  [{ data_type: "uint12" }, /data type "uint12"/],
  [configured({ name: "uint16", configuration: { unit: "s" } }), /unknown data type \{/],
  [{ chunk_grid: { name: "rectangular" } }, /an irregular chunk grid/],
  [{ chunk_grid: undefined }, /an irregular chunk grid/],
  [{ storage_transformers: [{}] }, /storage transformers/],
  [{ other: 1 }, /metadata field "other"/],
  [{ other: { must_understand: true } }, /metadata field "other"/],
  [keyed({ name: "v3" }), /key encoding "v3"/],
  [keyed({ name: "v2", configuration: { separator: "-" } }), /chunk keys by "-"/],
  [keyed({ name: "v2", other: 1 }), /field "other"/],
  [keyed({ name: "v2", configuration: { other: 1 } }), /field "other"/],
  [{ shape: [1, 1, 2 ** 30], ...grid(1, 1, 2 ** 29 + 1) }, /chunks of 1073741826 bytes/],
  [{ codecs: [LITTLE, ...new Array(32).fill(ZSTD)] }, /not a list of at most 32 codecs/],
  [{ codecs: LITTLE }, /not a list of at most 32/],
  [{ codecs: [LITTLE, {}] }, /entry without a name/],
  [{ codecs: [LITTLE, null] }, /entry without a name/],
  [{ codecs: [{ name: "bytes", configuration: 1 }] }, /no configuration object/],
  [{ codecs: [LITTLE, "lzf"] }, /unknown codec "lzf"/],
  [{ codecs: [ZSTD] }, /no codec that turns samples into bytes/],
  [{ codecs: [LITTLE, LITTLE] }, /"bytes" at an unsupported place/],
  [{ codecs: [LITTLE, ...shards().codecs] }, /"sharding_indexed" at an unsupported place/],
  [
    { codecs: [LITTLE, { name: "transpose", configuration: { order: "C" } }] },
    /"transpose" at an unsupported place/,
  ],
  [
    { codecs: [LITTLE, { name: "numcodecs.delta", configuration: { dtype: "<u2" } }] },
    /delta" at an unsupported place/,
  ],
  [
    { codecs: [{ name: "numcodecs.delta", configuration: { dtype: "<u2" } }, ...shards().codecs] },
    /delta" at an unsupported place/,
  ],
  [{ codecs: [{ name: "bytes", configuration: { endian: "middle" } }] }, /byte order "middle"/],
  [{ codecs: ["bytes"] }, /no byte order for uint16/],
  [shards({ chunk_shape: [1, 3, 5] }), /do not divide into 1 x 3 x 5/],
  [shards({ index_codecs: [LITTLE, ZSTD] }), /no fixed length/],
  [
    shards({ index_codecs: [{ name: "transpose", configuration: { order: "F" } }, LITTLE] }),
    /no fixed length/,
  ],
  [
    shards({ index_codecs: [{ name: "numcodecs.delta", configuration: { dtype: "<u8" } }, LITTLE] }),
    /no fixed length/,
  ],
  [
    shards({
      index_codecs: [{
        name: "sharding_indexed",
        configuration: { chunk_shape: [1, 2, 1, 2], codecs: [LITTLE], index_codecs: [LITTLE] },
      }],
    }),
    /no fixed length/,
  ],
  [shards({ index_location: "middle" }), /indexes at "middle"/],
  [shards({ other: 1 }), /field "other"/],
];

const OLD_REFUSED: typeof REFUSED = [
  [{ compressor: undefined }, /has no "compressor"/],
  [{ filters: undefined }, /has no "filters"/],
  [{ order: undefined }, /has no "order"/],
  [{ order: "A" }, /order "A"/],
  [{ dimension_separator: "-" }, /chunk keys by "-"/],
  [{ filters: {} }, /filters that are not a list/],
  [{ compressor: {} }, /without a name/],
];

Deno.test("reads or rejects array metadata", () => {
  for (const change of READ) doesNotThrow(() => layout(change), JSON.stringify(change));
  for (const [change, message] of REFUSED) throws(() => layout(change), message, JSON.stringify(change));
  for (const [change, message] of OLD_REFUSED) throws(() => old(change), message, JSON.stringify(change));
});

Deno.test("requires each axis once in the transposition of an array", () => {
  const order = (value: unknown) =>
    layout({ codecs: [{ name: "transpose", configuration: { order: value } }, LITTLE] }).chain;
  deepEqual(order("C").axes, [0, 1, 2]);
  deepEqual(order("F").axes, [2, 1, 0]);
  deepEqual(order([1, 2, 0]).axes, [1, 2, 0]);
  deepEqual(order([1, 2, 0]).shape, [4, 5, 1]);
  for (const wrong of [[0, 1], [0, 1, 2, 3], [0, 1, 1], [0, 1, "2"], [1, 2, 3], [0, 1, 2, "3"], "A", null]) {
    throws(() => order(wrong), /has the transposition/, JSON.stringify(wrong));
  }
});

Deno.test("reads the axes of an array and gives the keys of its chunks", () => {
  deepEqual(layout().dimensionNames, null);
  deepEqual(layout({ dimension_names: ["c", null, 7] }).dimensionNames, ["c", null, null]);
  deepEqual(old({}, { _ARRAY_DIMENSIONS: ["c", null, "x"] }).dimensionNames, ["c", null, "x"]);
  deepEqual(old({}, { _ARRAY_DIMENSIONS: "c" }).dimensionNames, null);
  const keys = (encoding: unknown) => layout(keyed(encoding)).chunkKeys([1, 2, 3]);
  deepEqual(keys("default"), ["0/c/1/2/3"]);
  deepEqual(keys({ name: "default", configuration: { separator: "." } }), ["0/c.1.2.3"]);
  deepEqual(keys({ name: "v2" }), ["0/1.2.3"]);
  deepEqual(keys({ name: "v2", configuration: { separator: "/" } }), ["0/1/2/3"]);
  deepEqual(old().chunkKeys([1, 2, 3]), ["0/1.2.3", "0/1/2/3"]);
  deepEqual(old({ dimension_separator: "/" }).chunkKeys([1, 2, 3]), ["0/1/2/3"]);
  equal(layout().fill, 3);
  equal(old({ fill_value: null }).fill, null);
});

Deno.test("reads length, byte order and place of the index of a shard", () => {
  const read = (change: Fields = {}) => {
    const { serializer } = layout(shards(change)).chain;
    if (serializer.kind !== "sharding") throw new Error("no shards");
    return serializer;
  };
  // 1 x 2 x 1 inner chunks of 16 bytes, and a checksum of 4.
  const { indexSize, grid: chunks, indexAtStart, indexLittleEndian } = read();
  deepEqual([indexSize, chunks, indexAtStart, indexLittleEndian], [36, [1, 2, 1], false, true]);
  equal(read({ index_location: "start" }).indexAtStart, true);
  equal(
    read({ index_codecs: [{ name: "bytes", configuration: { endian: "big" } }] }).indexLittleEndian,
    false,
  );
});

Deno.test("divides a load between encoded chunks, including inner chunks of shards", () => {
  const divided = (change: Fields, axes: Partial<PlaneSelection> = {}) =>
    divideByChunks(layout(change), selection(axes));
  deepEqual(divided({ codecs: [LITTLE, ZSTD] }), { channels: 1, rows: 4 });
  deepEqual(divided({ codecs: [LITTLE, ZSTD] }, { channelAxis: null }), { channels: 1, rows: 4 });
  deepEqual(divided({ codecs: [LITTLE, ZSTD] }, { channelAxis: 1, rowAxis: 2 }), { channels: 4, rows: 5 });
  equal(divided({}), undefined);
  deepEqual(divided({ ...grid(2, 4, 5), codecs: [LITTLE, ZSTD] }), { channels: 2, rows: 4 });
  deepEqual(divided(shards()), { channels: 1, rows: 2 });
  deepEqual(divided({ ...grid(2, 4, 5), ...shards() }), { channels: 1, rows: 2 });
  const coded = { ...grid(2, 4, 5), codecs: [...shards().codecs, ZSTD] };
  deepEqual(divided(coded), { channels: 2, rows: 4 });
  equal(divided(shards({ codecs: [LITTLE] })), undefined);
  // Stored order x, c, y: the channel is the second axis of a chunk.
  const transpose = { name: "transpose", configuration: { order: [2, 0, 1] } };
  const transposed = { ...grid(1, 4, 5), codecs: [transpose, LITTLE, ZSTD] };
  deepEqual(divided(transposed), { channels: 1, rows: 4 });
  deepEqual(divided(transposed, { channelAxis: 1, rowAxis: 2 }), { channels: 4, rows: 5 });
});

const selection = (change: Partial<PlaneSelection> = {}): PlaneSelection => ({
  ...{ rowAxis: 1, columnAxis: 2, channelAxis: 0, columns: 10, channels: [0], fixed: [0, 0, 0] },
  rows: { start: 0, end: 8 },
  ...change,
});

Deno.test("lists the chunks of some planes along each axis", () => {
  deepEqual(listWantedChunks(layout(), selection()), [[0], [0, 1], [0, 1]]);
  deepEqual(listWantedChunks(layout(grid(2, 3, 9)), selection({ channels: [1, 0] })), [[0], [0, 1, 2], [
    0,
    1,
  ]]);
  deepEqual(listWantedChunks(layout(), selection({ channels: [1, 0] })), [[1, 0], [0, 1], [0, 1]]);
  const second = selection({ channelAxis: null, fixed: [1, 0, 0] });
  deepEqual(listWantedChunks(layout(), second), [[1], [0, 1], [0, 1]]);
  deepEqual(listWantedChunks(layout(grid(2, 8, 10)), second), [[0], [0], [0]]);
  // Chunks have 4 rows.
  const rowChunks = (start: number, end: number) =>
    listWantedChunks(layout(), selection({ rows: { start, end } }))[1];
  deepEqual([rowChunks(0, 4), rowChunks(3, 5), rowChunks(4, 8), rowChunks(7, 8)], [[0], [0, 1], [1], [1]]);
  // A plane of 1024 x 1024 chunks of one sample, and one row more; a row of 2^20 and of one more.
  const ones = (rows: number, columns: number) =>
    listWantedChunks(
      layout({ shape: [1, rows, columns], ...grid(1, 1, 1) }),
      selection({ rows: { start: 0, end: rows }, columns }),
    );
  equal(ones(1024, 1024)[1]!.length, 1024);
  throws(() => ones(1025, 1024), /the planes lie in 1049600 chunks of array "0", more than 1048576/);
  equal(ones(1, 1 << 20)[2]!.length, 1 << 20);
  throws(() => ones(1, (1 << 20) + 1), /1048577 chunks along one axis are more than 1048576/);
});

Deno.test("states the memory that a chunk takes beside the planes", () => {
  const store = { open: () => null, has: () => false, indexBytes: 0 };
  const bytes = (change: Fields, holdsWhole = false, wanted = selection()) =>
    estimateWorkingMemory({ store: { ...store, holdsWhole }, array: layout(change), selection: wanted })
      .bytes;
  // 1 x 4 x 5 samples of 2 bytes are 40; their encoded form has at most an eighth and 64 KiB more.
  const bound = 40 + 5 + 65_536;
  equal(bytes({}), 0);
  equal(bytes({}, true), bound + 40);
  equal(bytes({}, false, selection({ rowAxis: 0 })), 40);
  equal(bytes({}, false, selection({ columnAxis: 0 })), 40);
  equal(bytes({ codecs: [{ name: "transpose", configuration: { order: "F" } }, LITTLE] }), 40);
  equal(bytes({ codecs: [LITTLE, ZSTD] }), bound + 80);
  equal(bytes({ codecs: [LITTLE, ZSTD] }, true), 2 * bound + 80);
  const delta = { name: "numcodecs.delta", configuration: { dtype: "<u2" } };
  equal(bytes({ codecs: [delta, LITTLE] }), 40 + 80);
  equal(bytes({ codecs: [delta, LITTLE, ZSTD] }), bound + 80 + 80);
  // A shard reads its index of 2 x 16 bytes and 4, decoded and not, and one inner chunk of 20 bytes.
  const inner = 20 + 2 + 65_536;
  equal(bytes(shards()), 2 * 36 + inner + 40);
  equal(bytes(shards({ codecs: [LITTLE] })), 2 * 36);
  // 40 bytes, the index, 1 KiB for each of two inner chunks, an eighth and 64 KiB more.
  const shard = Math.floor((40 + 36 + 2048) * 1.125) + 65_536;
  equal(bytes(shards({ codecs: [LITTLE] }), true), shard + 2 * 36 + inner + 20);
  equal(bytes({ codecs: [...shards().codecs, ZSTD] }), 2 * shard + 2 * 36 + inner + inner + 40);
});
