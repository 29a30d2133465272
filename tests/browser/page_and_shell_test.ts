/** The numbers of the page are those of `acq-server measure` with the same settings. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { run } from "../child_process.ts";
import { measuredScan } from "./measured_scan.ts";
import { drawBand, saved, tableOf, unfold } from "./measuring_hand.ts";
import { viewerSuite } from "./suite.ts";

const { test } = viewerSuite();

const BAND = { name: "Band 1", from: 30, to: 50 };

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)]! + sorted[Math.ceil(half)]!) / 2;
}

/** Rows of the shell's table, by column. */
async function shellRow(path: string, settings: unknown): Promise<Record<string, string>> {
  const file = `${path}.settings.json`;
  Deno.writeTextFileSync(file, JSON.stringify(settings));
  const args = [...FROM_SOURCE.args, "measure", path, "--settings", file];
  const { code, stdout, stderr } = await run(FROM_SOURCE.program, { args, cwd: ROOT });
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const { head, rows: [row] } = tableOf(new TextDecoder().decode(stdout));
  return Object.fromEntries(head!.map((name, i) => [name, row![i]!]));
}

test("velocities and events of a band are the same in the page and in the shell", async (viewer) => {
  const { page, server } = viewer;
  const path = join(server.folder, "vessel.oir");
  Deno.writeFileSync(path, measuredScan());
  await viewer.openPath(path);
  await drawBand(viewer, BAND.from, BAND.to);

  await unfold(viewer, "velocity");
  await page.selectOption("#velocity-band", { label: BAND.name });
  await page.click("#velocity-start");
  await page.locator("#measure-velocity .result", { hasText: "With a velocity" }).waitFor();
  const velocities = tableOf((await saved(viewer, "#csv-velocity")).text);
  const flow = await shellRow(path, { channel: 0, bands: [BAND] });
  assert.equal(
    Number(flow["Window (lines) of velocity over time"]),
    Number(await page.inputValue("#velocity-window")),
  );
  const found = velocities.rows.map((row) => row[1]!).filter((cell) => cell !== "").map(Number);
  assert.ok(found.length > 10);
  assert.equal(Number(flow["With a velocity"]), found.length);
  assert.equal(Number(flow["Median velocity (um/s)"]), median(found));

  await unfold(viewer, "events");
  await page.click("#events-start");
  const events = tableOf((await saved(viewer, "#csv-events")).text);
  const traced = await shellRow(path, {
    channel: 0,
    bands: [BAND],
  });
  assert.ok(events.rows.length > 2);
  assert.equal(Number(traced["Events"]), events.rows.length);
  const column = events.head!.indexOf("Amplitude");
  const amplitudes = events.rows.map((row) => row[column]!).filter((cell) => cell !== "").map(Number);
  assert.equal(Number(traced["Median amplitude"]), median(amplitudes));
  assert.equal(traced["Threshold of events"], events.about.get("Threshold"));
});
