/** What people type at `measure` and `plane`: settings files, channels, and parts that do not fit. */
import assert from "node:assert/strict";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { measuredStack } from "../browser/measured_stack.ts";
import { measuredScan } from "../browser/measured_scan.ts";
import { tableOf } from "../browser/saved_table.ts";
import { run } from "../child_process.ts";
import { writePlainStore } from "../fixtures/plain_store.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { STORED_FIELDS } from "../../static/measure/stored_fields.ts";

interface Given {
  readonly at: (name: string) => string;
  /** A line scan of 600 lines and 100 columns in the channels CH1 and CH2. */
  readonly scan: string;
  /** An image series over time. */
  readonly stack: string;
  /** An image of 40 lines and 60 columns, which states lengths, in the channels "1" and "Green". */
  readonly plain: string;
}

const inFolder = (name: string, work: (given: Given) => Promise<void>) =>
  Deno.test(`measure: ${name}`, async () => {
    using temporary = temporaryFolder();
    const [scan, stack, plain] = ["scan.oir", "stack.ome.tif", "plain.ome.zarr"].map(temporary.at) as [
      string,
      string,
      string,
    ];
    Deno.writeFileSync(scan, measuredScan());
    Deno.writeFileSync(stack, measuredStack());
    writePlainStore(plain, {
      planes: [5, 9].map((value) => new Uint16Array(40 * 60).fill(value)),
      rows: 40,
      columns: 60,
      y: { step: 0.5, unit: "micrometer" },
      x: { step: 0.5, unit: "micrometer" },
      names: ["1", "Green"],
    });
    await work({ at: temporary.at, scan, stack, plain });
  });

async function shell(command: string, args: readonly string[]) {
  const options = { args: [...FROM_SOURCE.args, command, ...args], cwd: ROOT };
  const { code, stdout, stderr } = await run(FROM_SOURCE.program, options);
  return { code, bytes: stdout, err: new TextDecoder().decode(stderr) };
}

/** Runs `measure` with settings, text or bytes of a file; gives its rows. */
async function measured(
  given: Given,
  settings: object | Uint8Array | null,
  ...args: readonly string[]
): Promise<{ code: number; rows: Record<string, string>[]; err: string }> {
  const file = given.at("settings.json");
  const bytes = settings instanceof Uint8Array
    ? settings
    : new TextEncoder().encode(JSON.stringify(settings));
  Deno.writeFileSync(file, bytes);
  const { code, bytes: out, err } = await shell("measure", [
    ...settings === null ? [] : ["--settings", file],
    ...args,
  ]);
  if (out.length === 0) return { code, rows: [], err };
  const { head, rows } = tableOf(new TextDecoder().decode(out)).all;
  return {
    code,
    rows: rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""]))),
    err,
  };
}

/** Quick work. */
const QUICK = { velocity: null, events: null };

inFolder("refuses names that neither the shell reads nor the page stores", async (given) => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ band: [] }, /"band" is not a setting$/],
    [{ velocity: { windows: 40 } }, /"windows" in velocity is not a setting$/],
    [{ traces: { isChanged: true } }, /"isChanged" in traces is not a setting$/],
    [{ bands: [{ name: "a", start: 2, from: 1, to: 5 }] }, /"start" in bands\.0 is not a setting$/],
    [{ kymograph: { points: [{ x: 0, y: 0 }, { x: 1, y: 1, z: 2 }] } }, /"z" in kymograph\.points\.1 is no/],
    [{ event: {}, sparc: {}, velocity: null }, /"event", "sparc" are not settings$/],
  ];
  for (const [settings, words] of wrong) {
    const { code, err } = await measured(given, settings, given.scan);
    assert.equal(code, 2, err);
    assert.match(err.trimEnd(), /^Cannot follow the settings: /);
    assert.match(err.trimEnd(), words);
  }
  const stored = Object.fromEntries(STORED_FIELDS.settings.map((name) => [name, {}]));
  const bands = [{ id: "b", color: "#fff", name: "soma", from: 2, to: 10 }];
  const events = { chosen: "by noise", trace: {} };
  const { code, err } = await measured(given, { ...stored, bands, events, velocity: null }, given.scan);
  assert.deepEqual([code, err], [0, ""]);
});

inFolder(
  "reads settings in UTF-8 with a mark and in UTF-16, and refuses other bytes by name",
  async (given) => {
    const text = JSON.stringify({ ...QUICK, bands: [{ name: "Größe", from: 2, to: 10 }] });
    const units = Uint16Array.from(`\ufeff${text}`, (letter) => letter.charCodeAt(0));
    const little = new Uint8Array(units.buffer);
    const big = little.map((_, i) => little[i ^ 1]!);
    for (const bytes of [new TextEncoder().encode(`\ufeff${text}`), little, big]) {
      const { code, rows, err } = await measured(given, bytes, given.scan);
      assert.deepEqual([code, rows[0]?.["Band"], err], [0, "Größe", ""]);
    }
    const { code, err } = await measured(given, Uint8Array.of(0x7b, 0xff, 0x7d), given.scan);
    assert.deepEqual([code, err], [
      2,
      "Cannot follow the settings: it is not text in UTF-8; save it as UTF-8\n",
    ]);
  },
);

inFolder(
  "uses a typed calibration for plain images alone, unless it replaces the file's own",
  async (given) => {
    const lineScan = { time: "rows", secondsPerLine: 0.01, micrometresPerPixel: 0.1 };
    const facts = ({ rows: [row] }: Awaited<ReturnType<typeof measured>>) =>
      ["Calibration", "Time per line (s)", "Distance per column (um)"].map((name) => row![name]);
    const own = await measured(given, { ...QUICK, lineScan }, given.scan);
    assert.equal(own.code, 0);
    assert.equal(facts(own)[0], "by the file");
    assert.notEqual(facts(own)[1], "0.01");
    assert.match(own.err, /^"scan\.oir": the file's own calibration counts, not "lineScan"[^\n]*\n$/);
    const replaced = await measured(
      given,
      { ...QUICK, lineScan: { ...lineScan, replace: true } },
      given.scan,
    );
    assert.deepEqual([facts(replaced), replaced.err], [["typed", "0.01", "0.1"], ""]);
    // Also a plain image that states lengths.
    const plain = await measured(given, { ...QUICK, lineScan }, given.plain);
    assert.deepEqual([facts(plain), plain.err], [["typed", "0.01", "0.1"], ""]);
  },
);

inFolder("measures the parts that fit, and names the others", async (given) => {
  const bands = [{ name: "in", from: 20, to: 2 }, { name: "out", from: 90, to: 5000 }];
  const lines = await measured(given, { ...QUICK, bands }, given.scan, given.plain);
  assert.equal(lines.code, 1);
  const [inside, outside] = lines.rows;
  // Swapped ends are the same band.
  assert.deepEqual([inside!["Band"], inside!["First column"], inside!["Last column"]], ["in", "2", "19"]);
  assert.notEqual(inside!["Mean"], "");
  assert.deepEqual([outside!["Band"], outside!["Mean"]], ["out", ""]);
  assert.match(outside!["Not measured"]!, /Band "out" has columns 90 up to 5000; the recording has \d+/);
  const traces = await measured(given, { bands }, given.scan, "--write", "traces");
  assert.equal(traces.code, 1);
  assert.deepEqual([...new Set(traces.rows.map((row) => row["Band"]))], ["in"]);
  assert.match(traces.err, /^"scan\.oir": Band "out"/);
  const regions = [{ name: "in", start: [12, 10], stop: [2, 3] }, {
    name: "out",
    start: [0, 0],
    stop: [9999, 3],
  }];
  const images = await measured(given, { regions }, given.stack, "--over", "t");
  assert.equal(images.code, 1);
  const named = images.rows.map((
    row,
  ) => [row["Region"], row["First column"], row["Last row"], row["Not measured"]]);
  assert.deepEqual(named.slice(0, 2), [["whole image", "", "", ""], ["in", "2", "9", ""]]);
  assert.match(named[2]!.join(), /^out,.*Rectangle "out" reaches from column 0, row 0 to column 9999/);
});

inFolder("tells parts of one name and those without a name apart in every table", async (given) => {
  const bands = [2, 12, 22, 32].map((from, i) => ({ ...i < 2 && { name: "cell" }, from, to: from + 8 }));
  const ofBands = ["cell", "cell (2)", "Band 1", "Band 2"];
  const places = [2, 12, 22, 32].map((left) => ({ start: [left, 2], stop: [left + 6, 8] }));
  const regions = places.map((place, i) => ({ ...i < 2 && { name: "cell" }, ...place }));
  const ofRegions = ["cell", "cell (2)", "Rectangle 1", "Rectangle 2"];
  for (const table of ["summary", "traces"]) {
    const lines = await measured(given, { ...QUICK, bands }, given.scan, "--write", table);
    assert.deepEqual([...new Set(lines.rows.map((row) => row["Band"]))], ofBands, table);
  }
  for (const table of ["summary", "traces", "means"]) {
    const images = await measured(given, { regions }, given.stack, "--over", "t", "--write", table);
    const found = [...new Set(images.rows.map((row) => row["Region"]))];
    assert.deepEqual(found.filter((name) => name !== "whole image"), ofRegions, table);
  }
});

inFolder("chooses channels by name, index and all", async (given) => {
  const lineScan = { time: "rows", secondsPerLine: 0.01, micrometresPerPixel: 0.1 };
  const channels = async (named: string) => {
    const { code, rows, err } = await measured(
      given,
      { ...QUICK, lineScan },
      "--channel",
      named,
      given.plain,
    );
    return {
      code,
      found: rows.map((row) => [row["Channel"], row["Mean"]]),
      failure: rows[0]?.["Failure"] ?? err,
    };
  };
  assert.deepEqual((await channels("Green")).found, [["Green", "9"]]);
  assert.deepEqual((await channels("0")).found, [["1", "5"]]);
  assert.deepEqual((await channels("index:1")).found, [["Green", "9"]]);
  assert.deepEqual((await channels("all")).found, [["1", "5"], ["Green", "9"]]);
  // "1" is the name of channel 0 and the index of channel 1.
  const both = await channels("1");
  assert.equal(both.code, 1);
  assert.match(
    both.failure,
    /"1" is the name of channel 0 and the index of channel 1, "Green".*index:0 or index:1/,
  );
  const none = await channels("green");
  assert.match(
    none.failure,
    /Channel "green" does not exist: "plain\.ome\.zarr" has channels 0 "1" and 1 "Green"/,
  );
  const plane = async (named: string) => await shell("plane", ["--channel", named, given.plain]);
  const first = ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }) =>
    new Float32Array(bytes.slice(0, 4).buffer)[0];
  assert.equal(first(await plane("Green")), 9);
  assert.equal(first(await plane("index:0")), 5);
  const failed = await plane("1");
  assert.equal(failed.code, 1);
  assert.match(failed.err, /^channel_out_of_range: "1" is the name of channel 0/);
});

inFolder("says that a table has no row, names scenes, and prints no code for wrong usage", async (given) => {
  const empty = await measured(
    given,
    { events: { chosen: "by hand", height: 1e9, prominence: 1e9 } },
    given.scan,
    "--write",
    "events",
  );
  assert.equal(empty.code, 0);
  assert.match(
    empty.err,
    /^The table "events" has no row; --channel measures another channel than the first\n$/,
  );
  const usage = await shell("measure", ["--write", "nothing", given.scan]);
  assert.equal(usage.code, 2);
  assert.match(usage.err, /^--write takes summary/);
  const missing = await shell("plane", []);
  assert.match(missing.err, /^Missing path: /);
});

inFolder("takes the only axis for a projection, and rounds times", async (given) => {
  const { code, rows } = await measured(given, {}, given.stack, "--projection", "max");
  assert.equal(code, 0);
  assert.match(rows[0]!["Projection"]!, /max|maximum/i);
  const tiff = await shell("measure", ["--projection", "mean", "--write", "projection", given.stack]);
  assert.equal(tiff.code, 0, tiff.err);
  const none = await shell("measure", ["--projection", "mean", "--write", "projection", given.plain]);
  assert.equal(none.code, 1);
  assert.match(none.err, /It has one image: nothing to project/);
  const means = await measured(given, {}, given.stack, "--over", "t", "--write", "means");
  const times = means.rows.map((row) => Object.entries(row).find(([name]) => name.startsWith("Time ("))![1]);
  for (const time of times) assert.ok(time.length <= 8, time);
});
