/** One file of each format with the hashes of its planes, from the fixtures that other implementations judged. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { FORMATS } from "../../readers/formats.ts";
import { writeCollection } from "../collection_tree.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";
import { TINY_SAMPLES, tinyTiff } from "../fixtures/tiff_writer.ts";
import type { ServerProcess } from "./server_process.ts";

export interface FormatSample {
  /** `source.format` */
  readonly format: string;
  readonly path: string;
  /** SHA-256 of each plane as float32, little-endian, or its start. */
  readonly sha256: readonly string[];
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const float32From = (first: number, count: number) =>
  new Uint8Array(Float32Array.from({ length: count }, (_, i) => first + i).buffer);

function fixture(format: string, folder: string, file: string): FormatSample {
  const { own, scenes } = expectedFile(folder, file);
  const planes = firstPlanes(scenes.find(({ index }) => index === own)!);
  return { format, path: join(FIXTURES, folder, file), sha256: planes };
}

/** Samples of all formats; those without a fixture are written into `folder`. */
export function formatSamples(folder: string): FormatSample[] {
  const tiff = join(folder, "tiny.tif");
  Deno.writeFileSync(tiff, tinyTiff());
  const collection = join(folder, "collection");
  writeCollection(collection);
  const samples = [
    { format: "tif", path: tiff, sha256: [sha256(new Uint8Array(new Float32Array(TINY_SAMPLES).buffer))] },
    fixture("lsm", "lsm", "series_tzc.lsm"),
    fixture("oir", "oir", "line_scan.oir"),
    fixture("czi", "czi", "jpegxr_gray8.czi"),
    fixture("oif", "oif", "line_scan.oif"),
    fixture("oib", "oif", "series_v3.oib"),
    fixture("nd2", "nd2", "series.nd2"),
    fixture("prairie", "prairie", "LineScan-03142018-1454-2042/LineScan-03142018-1454-2042.xml"),
    fixture("lif", "lif", "orders.lif"),
    fixture("ims", "hdf5", "padded.ims"),
    fixture("mesc", "hdf5", "units.mesc"),
    fixture("nwb", "hdf5", "series.nwb"),
    fixture("lof", "lif", "object.lof"),
    fixture("ome.zarr", "ome_zarr", "v3_shard.ome.zarr"),
    fixture("ome.zarr.zip", "ome_zarr", "v3_blosc_lz4.ome.zarr.zip"),
    // Two channels of 4 rows and 6 columns with the samples 0 to 47.
    {
      format: "collection",
      path: collection,
      sha256: [0, 24].map((first) => sha256(float32From(first, 24))),
    },
  ];
  const missing = FORMATS.map(({ name }) => name).filter((name) => !samples.some((s) => s.format === name));
  assert.deepEqual(missing, [], "formats without a sample");
  return samples;
}

/** Opens a sample through a server and compares every plane, reference planes by their size. */
export async function openSample(server: ServerProcess, sample: FormatSample): Promise<void> {
  const { status, body } = await server.post("/api/v2/open", { path: sample.path });
  assert.equal(status, 200, JSON.stringify(body));
  const { source, channels, reference, sessionId } = body as unknown as {
    sessionId: string;
    source: { format: string };
    channels: { dataUrl: string; byteLength: number }[];
    reference: { channels: { dataUrl: string; byteLength: number }[] } | null;
  };
  assert.equal(source.format, sample.format);
  const fetchPlane = async ({ dataUrl, byteLength }: { dataUrl: string; byteLength: number }) => {
    const bytes = new Uint8Array(await (await fetch(server.baseUrl + dataUrl)).arrayBuffer());
    assert.equal(bytes.length, byteLength);
    return sha256(bytes);
  };
  const hashes = await Promise.all(channels.map(fetchPlane));
  assert.deepEqual(hashes.map((hash, i) => hash.slice(0, sample.sha256[i]?.length)), sample.sha256);
  for (const channel of reference?.channels ?? []) await fetchPlane(channel);
  const deleted = await server.json(`/api/v2/sessions/${sessionId}`, { method: "DELETE" });
  assert.equal(deleted.status, 200);
}
