/** Every fixture of tests/fixtures/tiff against what tifffile, Pillow or the bytes that were laid out say. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import expected from "../fixtures/tiff/expected.json" with { type: "json" };
import { entryAt, grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { textsOf } from "../warning_texts.ts";

interface Fixture {
  readonly file: string;
  readonly rows: number;
  readonly columns: number;
  readonly dtype: string;
  readonly sha256?: readonly string[];
  readonly sizes?: Readonly<Record<string, number>>;
  readonly names?: readonly string[];
  readonly axes?: Readonly<Record<string, readonly [number, string]>>;
  readonly date?: string;
  readonly time?: string;
  /** A part of the only warning; without it there is none. */
  readonly warning?: string;
}

for (const fixture of expected as unknown as readonly Fixture[]) {
  Deno.test(`TIFF fixture ${fixture.file}`, async () => {
    const path = fileURLToPath(new URL(`../fixtures/tiff/${fixture.file}`, import.meta.url));
    const { summary, planes } = await loadHere(path);
    equal(summary.format, "tif");
    deepEqual([summary.rows, summary.columns], [fixture.rows, fixture.columns]);
    equal(summary.channels[0]!.sampleType, fixture.dtype);
    equal(planes.length, fixture.sha256!.length);
    planes.forEach((plane, i) => {
      equal(
        createHash("sha256").update(canonical(plane)).digest("hex"),
        fixture.sha256![i],
        `channel ${i}`,
      );
    });
    const sizes = Object.fromEntries(summary.axes.slice(0, -2).map(({ name, size }) => [name, size]));
    const samples = planes.length > 1 ? { C: planes.length } : {};
    deepEqual(sizes, fixture.sizes ?? samples);
    if (fixture.names) deepEqual(summary.channels.map(({ name }) => name), fixture.names);
    for (const [name, [step, unit]] of Object.entries(fixture.axes ?? {})) {
      const axis = summary.axes.find((a) => a.name === name)!;
      ok(Math.abs(axis.step - step) < 1e-6 * step, `step of ${name} is ${axis.step}, not ${step}`);
      equal(axis.unit, unit);
    }
    equal(summary.date, fixture.date ?? summary.date);
    equal(summary.time, fixture.time ?? summary.time);
    equal(summary.warnings.length, fixture.warning === undefined ? 0 : 1, textsOf(summary.warnings).join());
    ok(textsOf(summary.warnings).join().includes(fixture.warning ?? ""), textsOf(summary.warnings).join());
  });
}

/** NaN has many bit patterns; the fixtures hold the one that NumPy writes. */
function canonical(plane: Float32Array<ArrayBuffer>): Uint8Array {
  const words = new Uint32Array(plane.buffer);
  for (let i = 0; i < words.length; i += 1) if (Number.isNaN(plane[i])) words[i] = 0x7fc00000;
  return new Uint8Array(plane.buffer);
}

Deno.test("tables of JPEG may stand in JPEGTables, apart from the strip", async () => {
  const path = fileURLToPath(new URL("../fixtures/tiff/jpeg_restart.tif", import.meta.url));
  const bytes = Deno.readFileSync(path);
  const view = new DataView(bytes.buffer);
  const valueOf = (tag: number) => view.getUint32(entryAt(bytes, tag) + 8, true);
  const stream = bytes.subarray(valueOf(273), valueOf(273) + valueOf(279));
  // Marker segments up to the scan (ITU-T T.81, B.1.1.4): DQT (ffdb) and DHT (ffc4) are tables (TIFF Technical Note 2).
  const tables = [0xff, 0xd8];
  const strip = [0xff, 0xd8];
  let at = 2;
  while (stream[at + 1] !== 0xda) {
    const end = at + 2 + stream[at + 2]! * 256 + stream[at + 3]!;
    const isTable = stream[at + 1] === 0xdb || stream[at + 1] === 0xc4;
    (isTable ? tables : strip).push(...stream.subarray(at, end));
    at = end;
  }
  const parts = Uint8Array.from([...strip, ...stream.subarray(at)]);
  ok(parts.length < stream.length);
  const file = tiffOf(grayLayout(51, 45, 8), [[parts]], [[259, 3, [7]], [347, 7, [...tables, 0xff, 0xd9]]]);
  const apart = await Deno.makeTempFile({ suffix: ".tif" });
  try {
    Deno.writeFileSync(apart, file);
    deepEqual((await loadHere(apart)).planes, (await loadHere(path)).planes);
  } finally {
    Deno.removeSync(apart);
  }
});
