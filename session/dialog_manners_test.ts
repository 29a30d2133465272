import assert from "node:assert/strict";
import { DialogManners } from "./dialog_manners.ts";
import { DialogBusy } from "./errors.ts";

function mannersAt() {
  const clock = { seconds: 0 };
  const manners = new DialogManners(() => clock.seconds * 1000);
  const refused = (origin: string | null) => {
    try {
      manners.check(origin);
      return null;
    } catch (error) {
      assert(error instanceof DialogBusy);
      return error.retryAfter;
    }
  };
  return { clock, manners, refused };
}

Deno.test("two cancelled dialogs of one origin within 60 s make it wait 30 s", () => {
  const { clock, manners, refused } = mannersAt();
  manners.cancelled("https://a.example");
  assert.equal(refused("https://a.example"), null);
  clock.seconds = 59.9;
  manners.cancelled("https://a.example");
  assert.equal(refused("https://a.example"), 30);
  assert.equal(refused("https://b.example"), null);
  clock.seconds = 89.8;
  assert.equal(refused("https://a.example"), 30);
  clock.seconds = 89.9;
  assert.equal(refused("https://a.example"), null);
});

Deno.test("cancelled dialogs a minute apart do not count together", () => {
  const { clock, manners, refused } = mannersAt();
  for (let n = 0; n < 5; n += 1) {
    manners.cancelled("null");
    assert.equal(refused("null"), null);
    clock.seconds += 60;
  }
});

Deno.test("the server's own pages and scripts are never refused", () => {
  const { manners, refused } = mannersAt();
  for (let n = 0; n < 5; n += 1) manners.cancelled(null);
  assert.equal(refused(null), null);
});
