/** The page, "Measure all" and the shell give the same rows of one recording, to the last digit. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../child_process.ts";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { measuredScan } from "./measured_scan.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";
import { type SavedTable, tableOf } from "./saved_table.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const BANDS = [[2, 28], [30, 50]] as const;

/** How each measurement is made, in fields of the page and in the same settings for the shell. */
type Case = Readonly<
  Record<string, { channel: number; fields: Readonly<Record<string, string>>; settings: object }>
>;

const CASES: Readonly<Record<string, { isChange: boolean; measured: Case }>> = {
  "by default": {
    isChange: false,
    measured: {
      velocity: { channel: 1, fields: {}, settings: {} },
      events: { channel: 1, fields: {}, settings: { chosen: "by noise" } },
      sparks: { channel: 1, fields: {}, settings: {} },
    },
  },
  "as chosen": {
    isChange: true,
    measured: {
      velocity: {
        channel: 0,
        fields: { chosen: "by hand", window: "80", step: "40" },
        settings: { method: "agreeing", chosen: "by hand", window: 80, step: 40, pixelTime: 0 },
      },
      events: { channel: 0, fields: { chosen: "automatically" }, settings: { chosen: "automatically" } },
      diameter: {
        channel: 0,
        fields: { window: "20" },
        settings: { window: 20, lumen: "automatic", average: "median" },
      },
      flux: { channel: 0, fields: { window: "150" }, settings: { window: 150 } },
      sparks: { channel: 0, fields: { threshold: "4" }, settings: { threshold: 4, rest: "running" } },
    },
  },
};

Deno.test("the same rows are asked of each measurement", () => {
  const compared = Object.values(CASES).flatMap(({ measured }) => Object.keys(measured));
  assert.deepEqual(MEASUREMENTS.map(({ key }) => key).filter((key) => !compared.includes(key)), []);
});

for (const [name, { isChange, measured }] of Object.entries(CASES)) {
  test(`same rows in page, "Measure all" and shell: ${name}`, async (viewer, page) => {
    const folder = join(viewer.server.folder, crypto.randomUUID());
    Deno.mkdirSync(folder);
    for (const file of ["a.oir", "b.oir"]) Deno.writeFileSync(join(folder, file), measuredScan());
    // Bytes after the end make the contents differ, and so their kept work.
    Deno.writeFileSync(join(folder, "b.oir"), new Uint8Array(7), { append: true });
    await viewer.openPath(join(folder, "a.oir"));
    for (const [from, to] of BANDS) await viewer.drawBand(from, to);
    await page.click("#tool-zoom");
    await page.setChecked("#trace-change", isChange);
    for (const [key, { channel, fields }] of Object.entries(measured)) {
      await viewer.unfold(key);
      await page.selectOption(`#${key}-band`, { label: "all bands" });
      await page.selectOption(`#${key}-channel`, String(channel));
      for (const [field, value] of Object.entries(fields)) {
        const selector = `#${key}-${field}`;
        const isChoice = await page.locator(selector).evaluate((one) => one.nodeName === "SELECT");
        if (isChoice) await page.selectOption(selector, value);
        else await viewer.enter(selector, value);
      }
      await page.click(`#${key}-start`);
      await page.locator(`#drawer-${key} table`).first().waitFor();
      await page.locator(`#${key}-start`, { hasText: "Measure" }).waitFor();
    }
    await viewer.kept();
    const names = ["traces", ...Object.keys(measured)];
    const saved: Record<string, SavedTable> = {};
    for (const name of names) saved[name] = tableOf((await viewer.saved(`#csv-${name}`)).text);
    await viewer.unfold("many");
    for (const { key } of MEASUREMENTS) {
      await page.setChecked(`#many-${key}`, key in measured);
    }
    await page.click("#many-start");
    await page.locator("#measure-many .result", { hasText: "2 of 2 measured" }).waitFor();
    const { all: { head, rows } } = await viewer.table("#many-csv");
    // The row of the open recording has the results of its page; that of the other was measured now.
    assert.deepEqual(rows.map((row) => row[head.indexOf("Regions")]), [
      "its own",
      "its own",
      "of a.oir",
      "of a.oir",
    ]);
    const first = ["Scene", "Time point", "Focus plane", "Wavelength", "Band"];
    const measuredAt = head.slice(head.indexOf("First column"));
    const common = [...first, ...measuredAt].filter((column) => !["Note", "Error"].includes(column));
    const valuesOf = (heads: readonly string[], row: readonly string[]) =>
      Object.fromEntries(common.map((column) => [column, row[heads.indexOf(column)] ?? "not there"]));
    const [one, two, three, four] = rows.map((row) => valuesOf(head, row));
    assert.deepEqual([three, four], [one, two]);
    const file = join(folder, "settings.json");
    const bands = BANDS.map(([from, to], i) => ({ name: `Band ${i + 1}`, from, to }));
    const settings = Object.entries(measured).map(([key, one]) => [key, one.settings]);
    const [channel] = Object.values(measured).map((one) => one.channel);
    const traces = { isChange, kind: "automatic" };
    Deno.writeTextFileSync(
      file,
      JSON.stringify({ channel, bands, traces, ...Object.fromEntries(settings) }),
    );
    const args = [...FROM_SOURCE.args, "measure", join(folder, "b.oir"), "--settings", file];
    const shell = await run(FROM_SOURCE.program, { args, cwd: ROOT });
    assert.equal(shell.code, 0, new TextDecoder().decode(shell.stderr));
    const table = tableOf(new TextDecoder().decode(shell.stdout));
    assert.deepEqual(table.all.rows.map((row) => valuesOf(table.all.head, row)), [one, two]);
    const zip = await run(FROM_SOURCE.program, { args: [...args, "--write", names.join()], cwd: ROOT });
    assert.equal(zip.code, 0, new TextDecoder().decode(zip.stderr));
    for (const { name, read } of await listZipEntries(new Blob([zip.stdout]))) {
      const table = saved[name.replace(/\.csv$/, "")];
      if (table === undefined) continue;
      const found = tableOf(await read());
      assert.deepEqual(found.all.head, table.all.head, name);
      // The page has traces of all channels.
      const own = new Set(found.column("Channel"));
      const at = table.all.head.indexOf("Channel");
      const rows = table.all.rows.filter((row) => own.has(row[at]!));
      assert.equal(found.all.rows.length, rows.length, name);
      found.all.rows.forEach((row, i) =>
        row.forEach((cell, j) => {
          const head = `${name}, row ${i}, ${found.all.head[j]}: ${cell}, not ${rows[i]![j]}`;
          assert(j === 0 || isSame(cell, rows[i]![j]!), head);
        })
      );
    }
  });
}

/** Whether cells are equal; programs differ in the last digits of `Math.exp`, and so of fits. */
const isSame = (one: string, other: string) =>
  one === other || one !== "" && other !== "" && Math.abs(Number(one) / Number(other) - 1) < 1e-9;
