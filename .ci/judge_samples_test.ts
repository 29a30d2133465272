import assert from "node:assert/strict";
import { type Comparison, judge, withChecks } from "./judge_samples.ts";

const comparison: Comparison = {
  bad: [["a/x.tif", "pixels", "SHA-256 differs"], ["b/y.tif", "metadata", "2 channels"], [
    "b/y.tif",
    "metadata",
    "no date",
  ]],
  rows: { a: { "pixels ok": 3, "pixels bad": 1 }, b: { "metadata ok": 4, "metadata bad": 2 } },
};

Deno.test("a shortfall that is not expected fails, by file and kind", () => {
  const { passed, failed, lines } = judge(
    comparison,
    "# until they are read\na/x.tif pixels\n\n# b/y.tif metadata\n",
  );
  assert.deepEqual([passed, failed], [7, 2]);
  assert.deepEqual(lines, [
    "FAIL b/y.tif [metadata] 2 channels",
    "FAIL b/y.tif [metadata] no date",
    "1 expected failures",
  ]);
});

Deno.test("counts expected failures neither as passed nor as failed", () => {
  const { passed, failed, lines } = judge(comparison, "a/x.tif pixels\nb/y.tif metadata\n");
  assert.deepEqual([passed, failed, lines], [7, 0, ["3 expected failures"]]);
});

Deno.test("an expected failure that passes fails", () => {
  const { failed, lines } = judge({ ...comparison, bad: [] }, "a/x.tif pixels");
  assert.equal(failed, 1);
  assert.match(lines[0]!, /^FAIL a\/x\.tif pixels passes/);
});

Deno.test("a comparison of nothing fails", () => {
  assert.equal(judge({ bad: [], rows: {} }, "").failed, 1);
});

Deno.test("counts each further check by file and fault", () => {
  const checks =
    "ok   A a/x.tif \nFAIL U b/y.xml date is 1; times are 2\nTraceback (most recent call last):\n";
  const { passed, failed, lines } = judge(withChecks({ bad: [], rows: {} }, checks), "");
  assert.deepEqual([passed, failed], [1, 1]);
  assert.equal(lines[0], "FAIL b/y.xml [U] date is 1; times are 2");
});
