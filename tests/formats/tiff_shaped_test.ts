/** The arrays that tifffile describes, one or several in a file. */
import { deepEqual } from "node:assert/strict";
import { grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";

async function load(bytes: Uint8Array, channelIndices: number[] | null = null): Promise<LoadedAcquisition> {
  const path = await Deno.makeTempFile({ suffix: ".tif" });
  try {
    await Deno.writeFile(path, bytes);
    return await loadHere(path, { channelIndices });
  } finally {
    await Deno.remove(path);
  }
}

/** Layout of the pages that are written here. */
const PAGE = grayLayout(5, 4, 8);

/** A plane filled with each value, described by the text of the same place. A directory follows each plane. */
const described = (values: readonly number[], texts: readonly string[]) =>
  tiffOf(PAGE, values.map((value) => [new Uint8Array(20).fill(value)]), (page) => [[270, 2, texts[page]!]]);

Deno.test("counts the planes that fit before the next part of the file", async () => {
  // The first plane lies at 8; the text that describes it follows the head.
  const cases: [bytes: number, present: number, member: string][] = [[60, 3, ""], [58, 1, ""], [
    58,
    2,
    `, "truncated": true`,
  ], [58, 1, `, "truncated": false`]];
  for (const [bytes, present, member] of cases) {
    const head = Uint8Array.from({ length: bytes }, (_, i) => Math.floor(i / 20) + 1);
    const text = `{"shape": [3, 4, 5], "axes": "CYX"${member}}`;
    const file = tiffOf(PAGE, [[]], [[270, 2, text], [273, 4, [8]], [279, 4, [20]]], head);
    const { summary, planes } = await load(file, [0, 1, 2].slice(0, present));
    deepEqual(planes.map((plane) => plane[0]), [1, 2, 3].slice(0, present));
    deepEqual(codesOf(summary.warnings), present === 3 ? [] : ["planes_missing"]);
  }
});

Deno.test("warns about an invalid shape", async () => {
  const cases = [
    `"3"`,
    `5`,
    `[3, 4.5, 5]`,
    `[-3, 4, 5]`,
    `[0, 4, 5]`,
    `[${"1, ".repeat(30)}3, 4, 5]`,
    `null`,
    `{}`,
  ];
  for (const shape of cases) {
    const { summary } = await load(described([1, 2, 3], [`{"shape": ${shape}, "axes": "ZYX"}`, "", ""]));
    deepEqual(codesOf(summary.warnings), ["metadata_damaged"]);
  }
  // The most axes that are read.
  const { summary } = await load(described([1, 2, 3], [`{"shape": [${"1, ".repeat(29)}3, 4, 5]}`, "", ""]));
  deepEqual(codesOf(summary.warnings), []);
});

Deno.test("an array has fewer than 2^31 planes", async () => {
  for (const [planes, code] of [[2 ** 31 - 1, "planes_missing"], [2 ** 31, "metadata_damaged"]] as const) {
    const { summary } = await load(described([1, 2, 3], [`{"shape": [${planes}, 4, 5]}`, "", ""]));
    deepEqual(codesOf(summary.warnings), [code]);
  }
});

Deno.test("warns about axes that do not fit the shape", async () => {
  const cases = [
    [`"axes": "CYX"`, []],
    [`"name": "a stack"`, []],
    [`"axes": "YX"`, ["metadata_disagree"]],
    [`"axes": 7`, ["metadata_disagree"]],
  ] as const;
  for (const [member, warnings] of cases) {
    const { summary } = await load(described([1, 2, 3], [`{"shape": [3, 4, 5], ${member}}`, "", ""]));
    deepEqual(codesOf(summary.warnings), warnings, member);
  }
});
