/** The client module over every format: planes of the fixtures, and of the samples beside the checkout where they are. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Acquisition, connect, type Plane } from "../../static/client/v2/acq-client.ts";
import { formatSamples } from "../binary/format_samples.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import {
  checkPlanes,
  hasSharedSamples,
  type Planes,
  type Question,
  sharedCases,
} from "../clients/shared_samples.ts";

type Server = Awaited<ReturnType<typeof connect>>;

async function withClient(work: (client: Server) => Promise<void>): Promise<void> {
  const process = await ServerProcess.start(FROM_SOURCE);
  try {
    await work(await connect(process.baseUrl));
  } finally {
    await process.stop();
  }
}

const hashes = (planes: readonly Plane[]) =>
  planes.map(({ samples }) => createHash("sha256").update(new Uint8Array(samples.buffer)).digest("hex"));

const mean = ({ samples }: Plane) => samples.reduce((sum, value) => sum + value, 0) / samples.length;

async function planesOf(opened: Acquisition, at: Question["at"] = {}): Promise<Planes> {
  const planes = await opened.planes(null, at);
  const { reference } = opened;
  const overview = reference &&
    await Promise.all(reference.channels.map(({ index }) => reference.plane(index)));
  return {
    sha256: hashes(planes),
    mean: planes.map(mean),
    reference: overview && { sha256: hashes(overview) },
  };
}

Deno.test("client module: reads the planes of the fixtures of every format", () =>
  withClient(async (client) => {
    using temporary = temporaryFolder();
    for (const { format, path, sha256 } of formatSamples(temporary.path)) {
      await using opened = await client.open(path);
      const given = (await planesOf(opened)).sha256.map((hash, i) => hash.slice(0, sha256[i]?.length));
      assert.deepEqual(given, sha256, format);
    }
  }));

Deno.test({
  name: "client module: reads planes, positions, scenes and references of the shared samples",
  ignore: !hasSharedSamples,
  fn: () =>
    withClient(async (client) => {
      for (const one of sharedCases()) {
        const { path, scene, at } = one.question;
        await using opened = await client.open(path);
        await using other = scene === undefined ? null : await opened.reopen({ scene });
        checkPlanes(one, await planesOf(other ?? opened, at));
      }
    }),
});
