/** Numbers typed and pasted with a decimal comma. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { viewerSuite } from "./suite.ts";
import { ACTIVE, measuredScan } from "./measured_scan.ts";

const { test } = viewerSuite();

/** Inputs of numbers that the user sees, each with its note. */
const NUMBERS = 'input[inputmode="decimal"]:visible:not(:disabled)';

/** Types a text as paste does, in one piece, and leaves the field; gives its note and whether it is marked. */
async function paste(page: Page, index: number, text: string) {
  const input = page.locator(NUMBERS).nth(index);
  await input.fill("");
  await input.focus();
  await page.keyboard.insertText(text);
  await input.blur();
  return {
    id: await input.getAttribute("id") ?? await input.getAttribute("aria-label"),
    value: await input.inputValue(),
    isMarked: await input.getAttribute("aria-invalid") === "true",
    note: await input.locator("xpath=..").locator(".typed-note").first().textContent(),
  };
}

test(
  "a decimal comma is read in the calibration of a line scan, and the value stands beside it",
  async (viewer, page) => {
    await viewer.openPlain("plain", { planes: [new Uint16Array(600)], rows: 30, columns: 20 });
    assert.equal(await page.locator('input[type="number"]').count(), 0);
    await viewer.unfold("typed");
    for (const [field, text, note] of [["#typed-line", "2,5", "= 2.5"], ["#typed-pixel", "0,25", "= 0.25"]]) {
      await viewer.enter(field!, text!);
      assert.equal(await page.locator(`.entry:has(${field}) .typed-note`).textContent(), note);
    }
    await viewer.enter("#typed-pixel-time", "1,000.5");
    assert.equal(await page.getAttribute("#typed-pixel-time", "aria-invalid"), "true");
    await page.click("#typed-treat");
    assert.equal(
      await page.locator("#source h2").first().textContent(),
      "Image",
      "a marked field is not used",
    );
    await viewer.enter("#typed-pixel-time", "0");
    await page.click("#typed-treat");
    await page.locator("#source h2", { hasText: "Line scan" }).waitFor();
    await page.locator("#facts, #source", { hasText: "calibration typed" }).first().waitFor();
    assert.equal(await page.inputValue("#typed-line"), "2,5");
  },
);

test("no number field takes a pasted comma for another number", async (viewer, page) => {
  await viewer.openBytes("measured.oir", measuredScan());
  await viewer.drawBand(...ACTIVE);
  await viewer.unfold("velocity", "events");
  const count = await page.locator(NUMBERS).count();
  assert.ok(count >= 12, `${count} fields`);
  for (let i = 0; i < count; i += 1) {
    const { id, value, isMarked, note } = await paste(page, i, "0,25");
    // Places of a drawing become those of pixels; the visible time has a least length.
    const isRead = id === "To" || note === "= 0.25" || Math.abs(Number(value) - 0.25) < 0.3;
    assert.ok(isMarked ? note !== "" : isRead, `${id}: ${value}, ${note}`);
  }
});
