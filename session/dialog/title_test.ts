import assert from "node:assert/strict";
import { dialogTitle } from "./title.ts";

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
