/** Damaged, hostile and unusual OME-Zarr stores: each refusal names what is wrong and where. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { DecodeFailed, UnsupportedFormat } from "../../readers/errors.ts";
import { OVERVIEW, writeImage } from "../collection_tree.ts";
import { write } from "../fixtures/plain_store.ts";
import { entriesBelow, zipOf } from "../fixtures/zip_writer.ts";
import { loadHere } from "../load_here.ts";
import { inFolder } from "../temporary_files.ts";
import { NO_LINKS } from "../no_links.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/ome_zarr/", import.meta.url));
const CHUNK = "0/c/0/0";

// deno-lint-ignore no-explicit-any -- metadata are changed at will here
type Json = any;

const open = (path: string, roots: string[] | null = null) => loadHere(path, { roots });

/** Runs with a store of 8 x 10 samples in one raw chunk. */
function inStore(run: (store: string, folder: string) => Promise<void>): () => Promise<void> {
  return () =>
    inFolder(async (_, parent) => {
      // Deep enough that the search for a collection does not read the temporary folders of other tests.
      const folder = join(parent, "1/2/3/4/5/6");
      const store = join(folder, "a.ome.zarr");
      writeImage(store, OVERVIEW);
      await run(store, folder);
    });
}

function change(path: string, edit: (value: Json) => void): void {
  const value = JSON.parse(Deno.readTextFileSync(path));
  edit(value);
  write(path, value);
}

const array = (edit: (value: Json) => void) => (store: string) => change(join(store, "0/zarr.json"), edit);
const ome = (edit: (value: Json) => void) => (store: string) =>
  change(join(store, "zarr.json"), (value) => edit(value.attributes.ome));
const codecs = (...list: Json[]) =>
  array((value) => value.codecs = [{ name: "bytes", configuration: { endian: "little" } }, ...list]);
const chunk = (bytes: Uint8Array) => (store: string) => write(join(store, CHUNK), bytes);
const both = (...steps: ((store: string) => void)[]) => (store: string) =>
  steps.forEach((step) => step(store));
const bytes = (length: number, ...start: number[]) => {
  const made = new Uint8Array(length).fill(1);
  made.set(start);
  return made;
};

const shard = (index: [bigint, bigint], location = "end") =>
  both(
    array((value) => {
      const inner = [{ name: "bytes", configuration: { endian: "little" } }];
      const configuration = {
        chunk_shape: [8, 10],
        codecs: inner,
        index_codecs: inner,
        index_location: location,
      };
      value.codecs = [{ name: "sharding_indexed", configuration }];
    }),
    (store) => {
      const made = bytes(176);
      const at = location === "end" ? 160 : 0;
      new DataView(made.buffer).setBigUint64(at, index[0], true);
      new DataView(made.buffer).setBigUint64(at + 8, index[1], true);
      write(join(store, CHUNK), made);
    },
  );

const SCALED = { scale: 2, offset: 1, dtype: "<u2", astype: "<u2" };

const REFUSED: [string, (store: string) => void, RegExp][] = [
  ["short raw chunk", chunk(bytes(159)), /chunk "0\/c\/0\/0" has 159 bytes instead of 160/],
  ["empty chunk", chunk(bytes(0)), /chunk "0\/c\/0\/0" is empty/],
  [
    "zlib chunk with bytes left over",
    both(codecs({ name: "numcodecs.zlib" }), (store) => {
      write(join(store, CHUNK), new Uint8Array([...deflateSync(bytes(160)), 0, 0]));
    }),
    /chunk "0\/c\/0\/0" cannot be decoded by "numcodecs.zlib": 2 of \d+ bytes are left over/,
  ],
  [
    "zstd chunk cut off",
    both(codecs({ name: "zstd" }), (store) => {
      write(join(store, CHUNK), new Uint8Array(zstdCompressSync(bytes(160)).subarray(0, -3)));
    }),
    /chunk "0\/c\/0\/0" cannot be decoded by "zstd": the stream of \d+ bytes ends early/,
  ],
  [
    "gzip chunk in a file of 1 GiB",
    both(codecs({ name: "gzip" }), (store) => Deno.truncateSync(join(store, CHUNK), 1 << 30)),
    // 160 bytes, an eighth and 64 KiB more.
    /chunk "0\/c\/0\/0" has 1073741824 bytes, more than 65716/,
  ],
  [
    "gzip chunk of too much",
    both(codecs({ name: "gzip" }), (store) => {
      write(join(store, CHUNK), new Uint8Array(gzipSync(bytes(161))));
    }),
    /cannot be decoded by "gzip": it decodes to more than 160 bytes/,
  ],
  ["zstd chunk of other bytes", codecs({ name: "zstd" }), /chunk "0\/c\/0\/0" cannot be decoded by "zstd"/],
  [
    "fixedscaleoffset of another type",
    array((v) =>
      v.codecs.unshift({ name: "numcodecs.fixedscaleoffset", configuration: { ...SCALED, dtype: "<f4" } })
    ),
    /"numcodecs.fixedscaleoffset" on "<f4", but its samples are uint16/,
  ],
  [
    "fixedscaleoffset beyond the type",
    array((v) => v.codecs.unshift({ name: "fixedscaleoffset", configuration: { ...SCALED, scale: 0.001 } })),
    /chunk "0\/c\/0\/0" cannot be decoded by "fixedscaleoffset": sample 0 of 1000001 does not fit uint16/,
  ],
  [
    "no fill value for an absent chunk",
    both(array((v) => v.fill_value = null), (store) => Deno.removeSync(join(store, CHUNK))),
    /no chunk at 0, 0 and defines no fill value/,
  ],
  ["inner chunk outside of its shard", shard([100n, 77n]), /at 100 \+ 77 ends after the shard \(176 bytes\)/],
  ["inner chunk too short", shard([0n, 100n]), /chunk "0\/c\/0\/0 \(0, 0\)" has 100 bytes instead of 160/],
  [
    "shard shorter than its index",
    both(shard([0n, 160n]), chunk(bytes(15))),
    /has 15 bytes, but its index takes 16/,
  ],
  ["no image metadata", ome((v) => delete v.multiscales), /without OME-Zarr image metadata/],
  ["metadata cut off", (store) => write(join(store, "0/zarr.json"), "{"), /"0\/zarr.json" is not JSON/],
  ["chunk that is a folder", (store) => {
    Deno.removeSync(join(store, CHUNK));
    Deno.mkdirSync(join(store, CHUNK));
  }, /"0\/c\/0\/0" is not a regular file/],
  ["chunk that leads out of the store", (store) => {
    Deno.renameSync(join(store, CHUNK), join(store, "../outside"));
    Deno.symlinkSync("../../../../outside", join(store, CHUNK));
  }, /"0\/c\/0\/0" is a link that leaves the store/],
  ["folder of chunks that leads out of the store", (store) => {
    Deno.renameSync(join(store, "0/c"), join(store, "../outside"));
    Deno.symlinkSync("../../outside", join(store, "0/c"));
  }, /is a link that leaves the store/],
  ["chunk that leads nowhere", (store) => {
    Deno.removeSync(join(store, CHUNK));
    Deno.symlinkSync("none", join(store, CHUNK));
  }, /"0\/c\/0\/0" exists but leads nowhere/],
  ["folder of chunks that leads nowhere", (store) => {
    Deno.removeSync(join(store, "0/c"), { recursive: true });
    Deno.symlinkSync("none", join(store, "0/c"));
  }, /exists but leads nowhere/],
];

for (const [name, damage, message] of REFUSED) {
  Deno.test(
    `OME-Zarr: rejects ${name}`,
    { ignore: NO_LINKS && /\bleads\b/.test(name) },
    inStore(async (store) => {
      assert.equal((await open(store)).planes[0]![79], 1079);
      damage(store);
      await assert.rejects(open(store), (error) => {
        assert.ok(error instanceof DecodeFailed, String(error));
        assert.match(error.message, message);
        assert.match(error.message, /^Cannot read "a\.ome\.zarr": [^.]*/);
        return true;
      });
    }),
  );
}

/** Some bytes with their CRC-32C after them, bit by bit (RFC 3720, section 12.1). */
function checked(data: Uint8Array): Uint8Array<ArrayBuffer> {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc >>> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return new Uint8Array([...data, ...new Uint8Array(Uint32Array.of(~crc).buffer)]);
}

/** Makes the chunk a shard of one inner chunk, encoded by a codec, with a checked index of its place. */
const checkedShard =
  (codec: string, encode: (samples: Uint8Array) => Uint8Array, offset = 0n) => (store: string) => {
    const plain = { name: "bytes", configuration: { endian: "little" } };
    array((value) => {
      const index_codecs = [plain, { name: "crc32c" }];
      const configuration = { chunk_shape: [8, 10], codecs: [plain, { name: codec }], index_codecs };
      value.codecs = [{ name: "sharding_indexed", configuration }];
    })(store);
    const inner = encode(Deno.readFileSync(join(store, CHUNK)));
    const index = checked(new Uint8Array(BigUint64Array.of(offset, BigInt(inner.length)).buffer));
    chunk(new Uint8Array([...inner, ...index]))(store);
  };

const checkedChunk = both(
  codecs({ name: "crc32c" }),
  (store) => write(join(store, CHUNK), checked(Deno.readFileSync(join(store, CHUNK)))),
);

/** Flips a bit of the chunk; a negative place counts from the end. */
const flip = (place: number) => (store: string) => {
  const stored = Deno.readFileSync(join(store, CHUNK));
  stored[(place + stored.length) % stored.length]! ^= 1;
  write(join(store, CHUNK), stored);
};

const chunkShape = (...shape: number[]) => array((v) => v.chunk_grid.configuration.chunk_shape = shape);

type Step = (store: string) => void;

const DAMAGED: [string, intact: Step, damage: Step, RegExp][] = [
  [
    "a flipped bit in a chunk of a shard",
    checkedShard("gzip", gzipSync),
    flip(50),
    /chunk "0\/c\/0\/0 \(0, 0\)" cannot be decoded by "gzip"/,
  ],
  [
    "a flipped bit behind a checksum in a shard",
    checkedShard("crc32c", checked),
    flip(50),
    /chunk "0\/c\/0\/0 \(0, 0\)" cannot be decoded by "crc32c": the CRC-32C checksum is/,
  ],
  [
    "a flipped bit behind a checksum",
    checkedChunk,
    flip(50),
    /chunk "0\/c\/0\/0" cannot be decoded by "crc32c": the CRC-32C checksum is/,
  ],
  [
    "a flipped bit in the index of a shard",
    checkedShard("crc32c", checked),
    // The length of the inner chunk stands before the checksum.
    flip(-12),
    /chunk "0\/c\/0\/0" cannot be decoded by "crc32c": the CRC-32C checksum is/,
  ],
  [
    "an intact index that points beyond the file",
    checkedShard("crc32c", checked),
    checkedShard("crc32c", (stored) => stored.subarray(0, 164), 1n << 40n),
    /inner chunk \(0, 0\) of shard "0\/c\/0\/0" at 1099511627776 \+ 164 ends after the shard \(184 bytes\)/,
  ],
  [
    "a chunk shape of 2^31",
    checkedChunk,
    chunkShape(2 ** 31, 10),
    /array "0" has chunks of 42949672960 bytes, more than 1073741824/,
  ],
  [
    "a shard shape of 2^31",
    checkedShard("crc32c", checked),
    chunkShape(2 ** 31, 10),
    // An offset and a length for every 8 rows.
    /the shard index of array "0" has chunks of 4294967296 bytes, more than 1073741824/,
  ],
];

for (const [name, intact, damage, message] of DAMAGED) {
  Deno.test(
    `OME-Zarr: rejects ${name}, in a directory and in a ZIP file`,
    inStore(async (store, folder) => {
      const zips = (["deflated", "stored"] as const).map((method) => {
        const path = join(folder, `${method}.ome.zarr.zip`);
        return { path, pack: () => write(path, zipOf(entriesBelow(store), method)) };
      });
      const forms = [{ path: store, pack: () => {} }, ...zips];
      intact(store);
      for (const { path, pack } of forms) {
        pack();
        assert.equal((await open(path)).planes[0]![79], 1079, path);
      }
      damage(store);
      for (const { path, pack } of forms) {
        pack();
        await assert.rejects(open(path), (error) => {
          assert.ok(error instanceof DecodeFailed, String(error));
          assert.match(error.message, message);
          return true;
        });
      }
    }),
  );
}

Deno.test(
  "does not reveal what lies in a folder that leads out of the roots",
  { ignore: NO_LINKS },
  inStore(async (store, folder) => {
    const outside = join(folder, "outside");
    Deno.renameSync(join(store, "0"), outside);
    Deno.symlinkSync("../outside", join(store, "0"));
    const message = /Cannot read "a\.ome\.zarr": "0\/zarr\.json" exists but leads nowhere/;
    await assert.rejects(open(store, [store]), { message });
    Deno.removeSync(join(outside, "zarr.json"));
    await assert.rejects(open(store, [store]), { message });
  }),
);

Deno.test(
  "reads chunks between many absent ones, in existing and absent folders",
  { ignore: NO_LINKS },
  inStore(async (store) => {
    array((v) => {
      v.shape = [24, 400];
      v.fill_value = 3;
    })(store);
    Deno.copyFileSync(join(store, CHUNK), join(store, "0/c/0/30"));
    Deno.mkdirSync(join(store, "0/c/2"));
    Deno.symlinkSync("../0/30", join(store, "0/c/2/39"));
    const [plane] = (await open(store)).planes;
    const places: [row: number, column: number][] = [[7, 9], [7, 10], [7, 309], [8, 0], [16, 0], [23, 399]];
    assert.deepEqual(places.map(([row, column]) => plane![400 * row + column]), [1079, 3, 1079, 3, 3, 1079]);
    Deno.symlinkSync("none", join(store, "0/c/0/35"));
    await assert.rejects(open(store), /"0\/c\/0\/35" exists but leads nowhere/);
  }),
);

Deno.test(
  "reads a shard with its index at the start",
  inStore(async (store) => {
    shard([16n, 160n], "start")(store);
    assert.equal((await open(store)).planes[0]![79], 0x0101);
  }),
);

Deno.test(
  "reads a shard with transposed axes, compressed as a whole",
  inStore(async (store) => {
    const plain = [{ name: "bytes", configuration: { endian: "little" } }];
    array((value) => {
      // Along x and y.
      const configuration = { chunk_shape: [5, 4], codecs: plain, index_codecs: plain };
      value.codecs = [
        { name: "transpose", configuration: { order: [1, 0] } },
        { name: "sharding_indexed", configuration },
        { name: "gzip", configuration: { level: 1 } },
      ];
    })(store);
    const inner = (x: number, y: number) =>
      Array.from({ length: 20 }, (_, i) => 1000 + 10 * (y + i % 4) + x + Math.floor(i / 4));
    const samples = Uint16Array.from([...inner(0, 0), ...inner(0, 4), ...inner(5, 0), ...inner(5, 4)]);
    const index = BigUint64Array.of(0n, 40n, 40n, 40n, 80n, 40n, 120n, 40n);
    const shard = [...new Uint8Array(samples.buffer), ...new Uint8Array(index.buffer)];
    chunk(new Uint8Array(gzipSync(new Uint8Array(shard))))(store);
    assert.deepEqual([...(await open(store)).planes[0]!], Array.from({ length: 80 }, (_, i) => 1000 + i));
  }),
);

Deno.test(
  "recognises a store by its metadata, also from a marker file",
  inStore(async (store, folder) => {
    const plain = join(folder, "0001");
    Deno.renameSync(store, plain);
    for (const path of [plain, join(plain, "zarr.json")]) {
      const { summary } = await open(path);
      assert.deepEqual([summary.path, summary.format], [plain, "ome.zarr"]);
    }
    ome((value) => delete value.multiscales)(plain);
    await assert.rejects(open(plain), UnsupportedFormat);
    await assert.rejects(open(join(plain, "0")), (error: Error) => {
      assert.ok(error instanceof UnsupportedFormat);
      assert.match(error.message, /0001.{1,2}0" is an array, not an image/);
      return true;
    });
  }),
);

Deno.test(
  "a well names one of its fields",
  inStore(async (store, folder) => {
    const well = join(folder, "plate.zarr/B/2");
    const attributes = { ome: { version: "0.5", well: { images: [{ path: "6" }, { path: "7" }] } } };
    write(join(well, "zarr.json"), { zarr_format: 3, node_type: "group", attributes });
    Deno.renameSync(store, join(well, "7"));
    const message = `"${well}" is a well of a plate; open one of its fields, for example "${
      join(well, "7")
    }"`;
    await assert.rejects(open(well), { tag: "unsupported_format", message });
  }),
);

const OME_XML = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">
<Image ID="Image:0"><AcquisitionDate>2019-03-04T05:06:07.89</AcquisitionDate><Pixels PhysicalSizeX="0.65"
PhysicalSizeY="650" PhysicalSizeYUnit="nm"><Channel Name="DAPI"/></Pixels></Image>
<Image ID="Image:1"><Pixels><Channel Name="GFP"/></Pixels></Image></OME>`;

Deno.test(
  "uses the OME-XML beside an image at the root, for nested series and for fields of a plate",
  inStore(async (store, folder) => {
    const group = (ome: Json) => ({ zarr_format: 3, node_type: "group", attributes: { ome } });
    write(join(store, "OME/METADATA.ome.xml"), OME_XML);
    const unscaled = ome((value) => delete value.multiscales[0].datasets[0].coordinateTransformations);
    unscaled(store);
    const root = (await open(store)).summary;
    assert.deepEqual([root.date, root.channels[0]!.name, root.axes[1]!.step], ["20190304", "DAPI", 0.65]);
    const plate = join(folder, "plate.zarr");
    const wells = [{ path: "A/1" }];
    write(join(plate, "zarr.json"), group({ version: "0.5", "bioformats2raw.layout": 3, plate: { wells } }));
    write(join(plate, "A/zarr.json"), group({}));
    write(join(plate, "A/1/zarr.json"), group({ well: { images: [{ path: "0" }, { path: "1" }] } }));
    write(join(plate, "OME/zarr.json"), group({ series: ["A/1/0", "A/1/1"] }));
    write(join(plate, "OME/METADATA.ome.xml"), OME_XML);
    for (const [field, date, name] of [["0", "20190304", "DAPI"], ["1", "", "GFP"], ["2", "", "CH1"]]) {
      writeImage(join(plate, "A/1", field!), OVERVIEW);
      const { summary } = await open(join(plate, "A/1", field!));
      assert.deepEqual([summary.date, summary.channels[0]!.name], [date, name], field);
    }
  }),
);

Deno.test(
  "rejects a ZIP file with an unreachable name",
  inStore(async (store, folder) => {
    const entries = entriesBelow(store);
    const bent = (change: (name: string) => string) =>
      zipOf(entries.map(([name, content]) => [change(name), content]));
    const changes: ((name: string) => string)[] = [
      (name) => name.replaceAll("/", "\\"),
      (name) => `./${name}`,
      (name) => name.replace("0/c/", "0/x/../c/"),
      (name) => name === CHUNK ? name.replaceAll("/", "\\") : name,
    ];
    for (const name of ["a.ome.zarr.zip", "b.zip"]) {
      const path = join(folder, name);
      write(path, bent((name) => name));
      const { planes } = await open(path);
      assert.equal(planes[0]![0], 1000);
      for (const change of changes) {
        write(path, bent(change));
        await assert.rejects(open(path), /ZIP entry ".*" has ".*" in its name/, change("0/c/0/0"));
      }
    }
  }),
);

Deno.test(
  "a path leads into a ZIP file: a field of a plate, a group, a marker file",
  inStore(async (store, folder) => {
    const plate = join(folder, "plate");
    const group = (ome: Json) => ({ zarr_format: 3, node_type: "group", attributes: { ome } });
    write(join(plate, "zarr.json"), group({ version: "0.5", plate: { wells: [{ path: "B/2" }] } }));
    write(join(plate, "B/zarr.json"), group({}));
    write(join(plate, "B/2/zarr.json"), group({ version: "0.5", well: { images: [{ path: "7" }] } }));
    Deno.renameSync(store, join(plate, "B/2/7"));
    const path = join(folder, "p.ome.zarr.zip");
    write(path, zipOf(entriesBelow(plate)));
    const field = join(path, "B/2/7");
    for (const place of [field, join(field, "zarr.json")]) {
      const { summary, planes } = await open(place, [folder]);
      assert.deepEqual([summary.path, summary.format, planes[0]![79]], [field, "ome.zarr.zip", 1079]);
    }
    assert.deepEqual((await open(path)).summary.scenes, [{ name: "B/2/7", sizes: { Y: 8, X: 10 } }]);
    await assert.rejects(open(join(path, "B/3")), { tag: "path_not_found" });
    await assert.rejects(open(join(field, "0")), /is an array, not an image/);
    await assert.rejects(open(field, [join(folder, "other")]), { tag: "path_not_found" });
    write(join(folder, "no.ome.zarr.zip"), "text");
    await assert.rejects(
      open(join(folder, "no.ome.zarr.zip/B")),
      /the content is not OME-Zarr in a ZIP file/,
    );
  }),
);

Deno.test(
  "bounds an inflated entry by its chunk or shard",
  inStore(async (store, folder) => {
    const path = join(folder, "a.ome.zarr.zip");
    const zipped = () => write(path, zipOf(entriesBelow(store)));
    zipped();
    assert.equal((await open(path)).planes[0]![79], 1079);
    chunk(bytes(1 << 20))(store);
    zipped();
    // 160 bytes, an eighth more, and 64 KiB.
    await assert.rejects(
      open(path),
      /ZIP entry "0\/c\/0\/0" declares 1048576 inflated bytes, more than 65716/,
    );
    shard([0n, 160n])(store);
    zipped();
    assert.equal((await open(path)).planes[0]![79], 0x0101);
    chunk(bytes(1 << 20))(store);
    zipped();
    // 160 bytes, an index of 16, 1 KiB for the inner chunk, an eighth more, and 64 KiB.
    await assert.rejects(open(path), /declares 1048576 inflated bytes, more than 66886/);
  }),
);

Deno.test(
  "recognises an image in a ZIP file by its content, and rejects other archives",
  inStore(async (_, folder) => {
    const zip = Deno.readFileSync(FIXTURES + "v3_u2.ome.zarr.zip");
    for (const name of ["a.ome.zarr", "b.zarr", "c.zip", "d"]) {
      write(join(folder, "zips", name), zip);
      assert.equal((await open(join(folder, "zips", name))).summary.format, "ome.zarr.zip", name);
    }
    const empty = bytes(22, 0x50, 0x4b, 5, 6).fill(0, 4);
    write(join(folder, "e.zip"), empty);
    await assert.rejects(open(join(folder, "e.zip")), UnsupportedFormat);
    write(join(folder, "e.ome.zarr.zip"), empty);
    await assert.rejects(open(join(folder, "e.ome.zarr.zip")), /holds no Zarr group/);
  }),
);
