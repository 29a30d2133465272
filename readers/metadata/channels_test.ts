import assert from "node:assert/strict";
import { nameChannelsApart } from "./channels.ts";

Deno.test("numbers blank names and makes repeated names unique", () => {
  const cases: [(string | null)[], string[]][] = [
    [[null, "", "  "], ["CH1", "CH2", "CH3"]],
    [["GFP", "GFP", " GFP "], ["GFP", "GFP (2)", "GFP (3)"]],
    [["CH2", null], ["CH2", "CH2 (2)"]],
    [["A (2)", "A", "A"], ["A (2)", "A", "A (3)"]],
  ];
  for (const [given, expected] of cases) assert.deepEqual(nameChannelsApart(given), expected);
});
