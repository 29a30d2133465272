/** Damaged and hostile LSM files: each is refused with what and where, in little time and memory, or served exactly. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { checkCuts, type DamageTable, openBytes, testDamage } from "../damage.ts";
import { loadLsm, LsmBytes } from "../fixtures/lsm_files.ts";
import { codesOf } from "../warning_codes.ts";

const series = () => new LsmBytes("series_tzc.lsm");
const lines = () => new LsmBytes("line_scan.lsm");

const DAMAGE: DamageTable = {
  "a record of another kind": [() => series().field(0, 7), /at \d+ starts with the unknown 0x7/],
  "a record of 95 bytes": [() => series().field(4, 95), /has 95 bytes instead of at least 96/],
  "no columns": [() => series().field(8, 0), /declares 0 along X/],
  "time that goes back": [() => series().field(24, 0xffff_fffe), /declares -2 along T/],
  "2^40 planes": [() => series().field(16, 2 ** 20).field(24, 2 ** 20), /declares 1099511627776 planes/],
  "other columns": [
    () => series().field(8, 14),
    /declares 2 x 14 x 9 channels, columns and rows, but the first page has 2 x 13 x 9/,
  ],
  "other channels": [() => series().field(20, 3), /declares 3 x 13 x 9 channels, columns and rows, but/],
  "deflate": [() => series().set(0, 259, 8), /Compression \(259\) is 8; LSM uses only 1 and 5/],
  "three strips for two channels": [() => {
    const file = series();
    file.view.setUint32(file.entry(0, 273) + 4, 3, true);
    return file;
  }, /StripOffsets \(273\) has 3 values for 2 channels/],
  "a strip beyond the end": [() => series().set(0, 273, 1e9, 1), /strip 0 at 1000000000 \+ 234 ends after/],
  "a strip that is too short": [() => series().set(0, 279, 233, 0), /holds 233 bytes, 234 are needed/],
  "LZW that is too short": [() => new LsmBytes("lzw_stack.lsm").set(0, 273, 1, 0), /strip 0 at 1/],
  "a first page without bits per sample": [() => series().remove(0, 258), /lacks BitsPerSample \(258\)/],
  "a first page without strips": [() => series().remove(0, 273), /lacks StripOffsets \(273\)/],
  "a circle of pages": [() => series().link(3, series().directory(0)), [
    "file_damaged",
    "planes_missing",
    "step_uneven",
  ]],
  "strips that were never written": [
    () => series().set(0, 273, 0, 0).set(0, 273, 0, 1),
    /plane 0 was never written/,
  ],
  "colours beyond the end": [() => series().field(108, 1e9), ["metadata_damaged", "step_uneven"]],
  "10,001 colours": [() => series().inPart(108, 4, 10_001), ["metadata_damaged", "step_uneven"]],
  "stamps of another size": [() => series().inPart(132, 4, 4), ["metadata_damaged"]],
  "no recording": [() => series().inPart(124, 0, 5), ["metadata_damaged", "step_uneven"]],
  "an entry of 4 GB": [() => series().inPart(124, 20, 2 ** 32 - 1), ["metadata_damaged", "step_uneven"]],
};

testDamage("scan.lsm", DAMAGE, series);

Deno.test("reads a record of 96 bytes, which holds the scan type", async () => {
  deepEqual((await loadLsm(series().field(4, 96).bytes)).planes, (await loadLsm(series().bytes)).planes);
});

Deno.test("a record may declare 2^31 planes", async () => {
  const { planes, summary } = await loadLsm(series().field(16, 2 ** 16).field(24, 2 ** 15).bytes);
  deepEqual(planes, (await loadLsm(series().bytes)).planes);
  deepEqual(codesOf(summary.warnings), ["planes_missing", "metadata_disagree", "step_uneven"]);
});

Deno.test("rejects a page of another layout, not its neighbours", () =>
  openBytes("a.lsm", series().set(4, 256, 12).bytes, async (acquisition) => {
    await rejects(acquisition.plan([0], { t: 1, z: 0, l: 0 }), {
      tag: "decode_failed",
      message: /^plane 2 in the directory at \d+ differs from the first plane$/,
    });
    equal((await acquisition.plan([0], { t: 1, z: 1, l: 0 })).rows, 9);
  }));

Deno.test("serves the lines of a line scan that all requested channels have", async () => {
  const whole = await loadLsm(lines().bytes);
  const file = lines();
  // The last strip of the page is that of channel 1: 37 lines of 64 samples of 2 bytes. It keeps 20 lines and a half.
  const [first, second] = [0, 1].map((i) => file.view.getUint32(file.values(0, 273) + 4 * i, true)) as [
    number,
    number,
  ];
  equal(second - first, 37 * 64 * 2);
  const cut = new Uint8Array(file.bytes.length + (20 * 64 + 32) * 2);
  cut.set(file.bytes);
  cut.set(file.bytes.subarray(second, second + (20 * 64 + 32) * 2), file.bytes.length);
  new DataView(cut.buffer).setUint32(file.values(0, 273) + 4, file.bytes.length, true);
  const both = await loadLsm(cut);
  deepEqual([both.summary.rows, both.summary.loaded.map(({ rows }) => rows)], [20, [37, 37]]);
  deepEqual(
    both.planes.map((plane) => [...plane]),
    whole.planes.map((plane) => [...plane.subarray(0, 20 * 64)]),
  );
  deepEqual(codesOf(both.summary.warnings), [...codesOf(whole.summary.warnings), "lines_missing"]);
  // The rows of the acquisition are those of the channel that has most.
  equal(both.summary.times?.length, 37);
  const alone = await loadLsm(cut, [0]);
  deepEqual([alone.summary.rows, [...alone.planes[0]!]], [37, [...whole.planes[0]!]]);
  deepEqual(codesOf(alone.summary.warnings), codesOf(whole.summary.warnings));
});

Deno.test("rejects a truncated file or serves it exactly", async () => {
  for (const name of ["series_tzc.lsm", "lzw_stack.lsm"]) await checkCuts(name, new LsmBytes(name).bytes, 61);
});
