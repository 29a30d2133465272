/** Any rows of a plane that are decoded alone are those of the whole plane. */
import { deepEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { FileAccess } from "../../readers/io/random_access.ts";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import type { Acquisition, AxisLetter, Position, RowRange } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { openHere } from "../load_here.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Planes of all channels, of some rows or of all, and the rows that they have. */
async function rowsOf(acquisition: Acquisition, position: Position, rows?: RowRange) {
  const channels = acquisition.channels.map(({ index }) => index);
  const plan = await acquisition.plan(channels, position, rows);
  const filled = plan.filled ?? { start: 0, end: plan.rows };
  const planes = channels.map(() => new Float32Array((filled.end - filled.start) * plan.columns));
  await plan.decode(planes);
  return { plan, filled, planes };
}

/** Compares NaN too. */
const sameBytes = (a: Float32Array, b: Float32Array) =>
  Buffer.from(a.slice().buffer).equals(Buffer.from(b.slice().buffer));

/** Tries random positions and rows of an acquisition. */
async function checkRows(acquisition: Acquisition, name: string): Promise<void> {
  const size = (letter: AxisLetter) => acquisition.axes.find((axis) => axis.name === letter)?.size ?? 1;
  const ranges = fc.record({
    ...{ t: fc.nat(size("T") - 1), z: fc.nat(size("Z") - 1), l: fc.nat(size("L") - 1) },
    ends: fc.tuple(fc.nat(size("Y") - 1), fc.nat(size("Y") - 1)),
  });
  await fc.assert(
    fc.asyncProperty(ranges, async ({ ends, ...position }) => {
      const wanted = { start: Math.min(...ends), end: Math.max(...ends) + 1 };
      const whole = await rowsOf(acquisition, position);
      const { filled, planes, plan } = await rowsOf(acquisition, position, wanted);
      ok(filled.start <= wanted.start && filled.end >= wanted.end, name);
      deepEqual([plan.rows, plan.columns], [whole.plan.rows, whole.plan.columns]);
      const part = (plane: Float32Array) =>
        plane.subarray(filled.start * plan.columns, filled.end * plan.columns);
      planes.forEach((plane, i) => ok(sameBytes(plane, part(whole.planes[i]!)), `${name} ${i}`));
    }),
    { numRuns: 6, seed: 14 },
  );
}

Deno.test("any rows of a plane of OME-Zarr, of every codec and layout", async () => {
  const folder = join(FIXTURES, "ome_zarr");
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.includes("zarr"));
  for (const name of names.sort()) {
    await openHere(join(folder, name), (acquisition) => checkRows(acquisition, name));
  }
});

Deno.test("any rows of a plane of OIR, of frames and line scans", async () => {
  const folder = join(FIXTURES, "oir");
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.endsWith(".oir")) {
      await openHere(join(folder, name), (acquisition) => checkRows(acquisition, name));
    }
  }
});

Deno.test("any rows of a plane of OIF and OIB", async () => {
  const folder = join(FIXTURES, "oif");
  for (const { name } of Deno.readDirSync(folder)) {
    // One of them lacks planes, which its own test knows.
    if (/^(?!interrupted).*\.oi[fb]$/.test(name)) {
      await openHere(join(folder, name), (acquisition) => checkRows(acquisition, name));
    }
  }
});

Deno.test("of chunks and shards that do not hold the wanted rows nothing is read", async () => {
  const read = async (name: string, rows?: RowRange) => {
    const files = new FileAccess();
    try {
      const chosen = chooseFormat(join(FIXTURES, "ome_zarr", name), SUPPORTED_EXTENSIONS, files);
      const { acquisition } = await openChosen(chosen, files, null);
      const { opens, bytes } = files.counts;
      await rowsOf(acquisition, { t: 0, z: 0, l: 0 }, rows);
      return { opens: files.counts.opens - opens, bytes: files.counts.bytes - bytes };
    } finally {
      files.close();
    }
  };
  for (const name of ["v2_dot_gzip.zarr", "v3_shard.ome.zarr"]) {
    const [whole, one] = [await read(name), await read(name, { start: 0, end: 1 })];
    ok(one.bytes < whole.bytes && one.opens <= whole.opens, `${name} ${JSON.stringify([whole, one])}`);
  }
});

Deno.test("any rows of a plane of CZI, of mosaics, line scans and every codec", async () => {
  const folder = join(FIXTURES, "czi");
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.endsWith(".czi")) {
      await openHere(join(folder, name), (acquisition) => checkRows(acquisition, name));
    }
  }
});
