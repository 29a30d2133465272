import assert from "node:assert/strict";
import { makeDialogTitle } from "./dialog_limits.ts";

Deno.test("the title shows the scheme and the end of a long origin, 60 characters in all", () => {
  const origin = `https://www.university.example.${"x".repeat(100)}.evil.example:8443`;
  const title = makeDialogTitle(origin);
  assert.match(title, /^Open an acquisition for https:\/\/…x{33}\.evil\.example:8443$/);
  assert.equal(title.length, "Open an acquisition for ".length + 60);
  assert.equal(makeDialogTitle("y".repeat(61)), `Open an acquisition for …${"y".repeat(59)}`);
});
