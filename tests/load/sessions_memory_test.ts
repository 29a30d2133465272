/** Memory of many sessions beside their planes. */
import { equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { type FormatSample, formatSamples } from "../binary/format_samples.ts";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { residentOf } from "../child_process.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { temporaryFolder } from "../temporary_files.ts";

const SESSIONS = 60;

/** Most MiB of so many sessions beside their planes. */
const MOST = 40;

/** What an open answers that the memory of its planes follows from. */
interface Opened {
  readonly sessionId: string;
  readonly channels: readonly { readonly byteLength: number }[];
  readonly reference: { readonly channels: readonly { readonly byteLength: number }[] } | null;
}

/** Opens sessions of one file; MiB that the process grows by beside the planes. */
async function growthOf(path: string): Promise<number> {
  await using server = await ServerProcess.start(FROM_SOURCE);
  const open = async () => {
    const { status, body } = await server.post("/api/v2/open", { path });
    equal(status, 200, JSON.stringify(body).slice(0, 1000));
    return body as unknown as Opened;
  };
  // Workers that have loaded their reader.
  for (let i = 0; i < 4; i += 1) await open();
  const before = residentOf(server.pid);
  let planes = 0;
  for (let i = 0; i < SESSIONS; i += 1) {
    const { channels, reference } = await open();
    for (const { byteLength } of [...channels, ...reference?.channels ?? []]) planes += byteLength ?? 0;
  }
  return residentOf(server.pid) - before - planes / 2 ** 20;
}

/** The HDF5 formats by the fixtures with most structures, and the others by their samples. */
function recordings(folder: string): readonly Pick<FormatSample, "format" | "path">[] {
  const hdf5 = ["padded.ims", "units.mesc", "series.nwb", "structures_new.nwb"].map((name) => ({
    format: `HDF5 (${name})`,
    path: join(FIXTURES, "hdf5", name),
  }));
  const others = formatSamples(folder).filter(({ path }) => !/\.(ims|mesc|nwb)$/.test(path));
  return [...hdf5, ...others];
}

Deno.test({
  name: "sixty sessions of each format take less than 40 MiB beside their planes",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    using temporary = temporaryFolder();
    const found: Record<string, number> = {};
    for (const { format, path } of recordings(temporary.path)) {
      found[format] = Math.round(await growthOf(path));
    }
    ok(Object.values(found).every((grown) => grown < MOST), JSON.stringify(found));
  },
});
