import assert from "node:assert/strict";
import { DialogManners, dialogTitle } from "./manners.ts";
import { DialogBusy } from "../errors.ts";

function mannersAt() {
  const clock = { seconds: 0 };
  const manners = new DialogManners(() => clock.seconds * 1000);
  const refused = (isForeign: boolean) => {
    try {
      manners.check(isForeign);
      return null;
    } catch (error) {
      assert(error instanceof DialogBusy);
      return error.retryAfter;
    }
  };
  return { clock, manners, refused };
}

Deno.test("three cancelled dialogs of foreign pages within 60 s make all of them wait 30 s", () => {
  const { clock, manners, refused } = mannersAt();
  manners.cancelled(true);
  manners.cancelled(true);
  assert.equal(refused(true), null);
  clock.seconds = 59.9;
  manners.cancelled(true);
  assert.equal(refused(true), 30);
  assert.equal(refused(false), null);
  clock.seconds = 89.8;
  assert.equal(refused(true), 30);
  clock.seconds = 89.9;
  assert.equal(refused(true), null);
  // The one at 59.9 s counts until 119.9 s.
  manners.cancelled(true);
  assert.equal(refused(true), null);
  clock.seconds = 119.8;
  manners.cancelled(true);
  assert.equal(refused(true), 30);
});

Deno.test("cancelled dialogs 30 s apart do not count as three", () => {
  const { clock, manners, refused } = mannersAt();
  for (let n = 0; n < 9; n += 1) {
    manners.cancelled(true);
    assert.equal(refused(true), null);
    clock.seconds += 30;
  }
});

Deno.test("the server's own pages and scripts are never refused and do not count", () => {
  const { manners, refused } = mannersAt();
  for (let n = 0; n < 5; n += 1) manners.cancelled(false);
  assert.equal(refused(false), null);
  assert.equal(refused(true), null);
});

Deno.test("the title names who asks", () => {
  const rows: [string | null, string][] = [
    [null, "Open an acquisition"],
    ["null", "Open an acquisition for a page without an address"],
    ["", "Open an acquisition for a page without an address"],
    ["https://plots.example:8443", "Open an acquisition for https://plots.example:8443"],
  ];
  for (const [origin, title] of rows) assert.equal(dialogTitle(origin), title);
});

Deno.test("a long origin shows its scheme and its end, 60 characters in all", () => {
  const origin = `https://www.university.example.${"x".repeat(100)}.evil.example:8443`;
  const title = dialogTitle(origin);
  assert.match(title, /^Open an acquisition for https:\/\/…x{33}\.evil\.example:8443$/);
  assert.equal(title.length, "Open an acquisition for ".length + 60);
  assert.equal(dialogTitle("y".repeat(61)), `Open an acquisition for …${"y".repeat(59)}`);
});
