import { deepEqual, equal, match } from "node:assert/strict";
import { compare, compareTransplant, incomparable, transplant } from "./comparison.ts";
import type { Reading } from "./peer.ts";

const plane = { rows: 2, columns: 3, name: null };
const reading = (...hashes: string[]): Reading => ({
  planes: hashes.map((sha256) => ({ ...plane, sha256 })),
});
const undamaged = { ...reading("a", "b"), warnings: ["known"] };
const refused = { refused: "no" };

/** Outcome, our reading, that of the peer, what it is. */
const CASES: [string, Parameters<typeof compare>[1], Reading | null, RegExp | "difference" | null][] = [
  ["other / original", reading("a", "c"), reading("a", "b"), /the peer serves the original/],
  ["other / refused", reading("b", "a"), refused, /the peer refuses: no/],
  ["other / refused", { ...reading("a"), warnings: ["known"] }, refused, /refuses/],
  [
    "other with a warning / original",
    { ...reading("a"), warnings: ["known", "new"] },
    reading("a", "b"),
    null,
  ],
  ["same / refused", reading("a", "b"), refused, null],
  ["same / other", reading("a", "b"), reading("a"), null],
  ["refused / original", refused, reading("a", "b"), null],
  ["other / ended", reading("c", "b"), null, null],
  ["other / other alike", reading("c", "b"), reading("c", "b"), null],
  ["other / other", reading("c", "b"), reading("d", "b"), "difference"],
];

Deno.test("reports other samples without a warning if the peer has the original or rejects the file", () => {
  for (const [outcome, ours, peers, found] of CASES) {
    const { finding, difference, ...compared } = compare(undamaged, ours, peers);
    deepEqual(compared, { outcome });
    if (found instanceof RegExp) match(finding!, found);
    else equal(finding, undefined, outcome);
    equal(difference !== undefined, found === "difference", outcome);
  }
});

Deno.test("accepts changed samples of the same pages if the peer rejects the file around them", () => {
  const pagesOf = (...hashes: string[]) => ({ pages: hashes.map((sha256) => ({ ...plane, sha256 })) });
  const before = { ...undamaged, ...pagesOf("a", "x", "b") };
  const peers = { ...refused, ...pagesOf("a", "x", "c") };
  equal(compare(before, reading("a", "c"), peers).outcome, "other / refused, its pages alike");
  for (const moved of [reading("a", "x"), reading("c", "a"), reading("a")]) {
    match(compare(before, moved, peers).finding!, /the peer refuses: no/);
  }
});

Deno.test("skips files whose undamaged form the readers disagree on", () => {
  equal(incomparable(undamaged, reading("a", "b")), null);
  match(incomparable(undamaged, reading("b", "a"))!, /the peer/);
  match(incomparable(undamaged, refused)!, /refused by the peer/);
  match(incomparable(refused, reading("a", "b"))!, /refused by ours/);
  match(incomparable(undamaged, null)!, /ended/);
});

Deno.test("a transplant has the samples of one file and everything else of the other", () => {
  const [whole, changed] = [Uint8Array.of(1, 2, 3, 4, 5, 6), Uint8Array.of(11, 12, 13, 14)];
  deepEqual([...transplant(whole, changed, [[1, 1], [3, 2]])], [1, 12, 3, 14, 5, 6]);
});

Deno.test("accepts a change that the samples alone explain", () => {
  const ours = reading("a", "c");
  const first = compare(undamaged, ours, refused);
  const again = (own: Reading, peers: Reading | null) =>
    compareTransplant(undamaged, ours, first, { ours: own, peers });
  deepEqual(again(ours, ours), { outcome: "other / refused, its samples alike" });
  // Each reads changed samples in its own way.
  const { finding, difference } = again(ours, reading("a", "d"));
  equal(finding, undefined);
  match(difference!, /the peer refuses: no, and serves .* from the samples alone/);
  // The samples are as they were or of no use to the peer, or ours depends on more than them.
  for (
    const [own, peers] of [
      [ours, reading("a", "b")],
      [ours, refused],
      [ours, null],
      [reading("a", "b"), reading("a", "d")],
      [refused, reading("a", "d")],
    ] as const
  ) deepEqual(again(own, peers), first);
  const other = compare(undamaged, ours, reading("a", "d"));
  deepEqual(compareTransplant(undamaged, ours, other, { ours, peers: ours }), {
    outcome: "other / other, its samples alike",
  });
  deepEqual(compareTransplant(undamaged, ours, other, { ours, peers: reading("a", "d") }), other);
});
