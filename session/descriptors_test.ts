import { equal } from "node:assert/strict";
import { freeDescriptors } from "./descriptors.ts";

Deno.test("descriptors are counted up to the number that is asked for, time and again", () => {
  for (let i = 0; i < 20; i += 1) equal(freeDescriptors(8), 8);
  equal(freeDescriptors(0), 0);
});
