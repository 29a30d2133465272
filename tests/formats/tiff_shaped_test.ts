/** The arrays that tifffile describes, one or several in a file. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { type LoadedAcquisition, loadHere } from "../load_here.ts";
import { codesOf } from "../warning_codes.ts";
import { sizesIn } from "../planes.ts";

async function load(bytes: Uint8Array, channelIndices: number[] | null = null): Promise<LoadedAcquisition> {
  const path = await Deno.makeTempFile({ suffix: ".tif" });
  try {
    await Deno.writeFile(path, bytes);
    return await loadHere(path, { channelIndices });
  } finally {
    await Deno.remove(path);
  }
}

const fixture = (name: string) =>
  Deno.readFileSync(fileURLToPath(new URL(`../fixtures/tiff/${name}`, import.meta.url)));

/** The file with the first `from` replaced by as many characters. */
function changed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  equal(to.length, from.length);
  const copy = Buffer.from(bytes);
  copy.write(to, copy.indexOf(from));
  return copy;
}

const sizes = ({ summary }: LoadedAcquisition) => sizesIn(summary);

/** Layout of the pages that are written here. */
const PAGE = grayLayout(5, 4, 8);

/** A plane filled with each value, described by the text of the same place. A directory follows each plane. */
const described = (values: readonly number[], texts: readonly string[]) =>
  tiffOf(PAGE, values.map((value) => [new Uint8Array(20).fill(value)]), (page) => [[270, 2, texts[page]!]]);

Deno.test(`an array without "truncated" keeps the planes after its directory`, async () => {
  const bytes = fixture("shaped_two_truncated.tif");
  const whole = await load(bytes);
  const damaged = await load(changed(bytes, `"truncated": true`, `"truncxxxx": true`));
  equal(sizes(damaged), "C3");
  deepEqual(damaged.planes, whole.planes);
});

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

Deno.test("reads planes with their own directories wherever they lie", async () => {
  const head = Uint8Array.from({ length: 60 }, (_, i) => Math.floor(i / 20) + 1);
  const text = `{"shape": [3, 4, 5], "axes": "CYX"}`;
  const file = tiffOf(
    PAGE,
    [[], [], []],
    (page) => [[270, 2, page === 0 ? text : ""], [273, 4, [[8, 48, 28][page]!]], [279, 4, [20]]],
    head,
  );
  deepEqual((await load(file)).planes.map((plane) => plane[0]), [1, 3, 2]);
});

Deno.test("surplus pages are slices, unless another array follows", async () => {
  const three = `{"shape": [3, 4, 5]}`;
  const cases: [string[], string][] = [
    [[three, "", ""], "Z3"],
    [[three, "", "", `{"shape": [2, 4, 5]}`, ""], "Z3"],
    [[three, "", "", "", ""], "Z5"],
    [[three, "", "", "", `{"shape": [4, 5]}`], "Z5"],
  ];
  for (const [texts, expected] of cases) {
    const loaded = await load(described(texts.map((_, i) => i + 1), texts));
    equal(sizes(loaded), expected);
    deepEqual(codesOf(loaded.summary.warnings), expected === "Z3" ? [] : ["axes_assumed"]);
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

Deno.test("pages with another shape are not planes of the first array", async () => {
  const three = `{"shape": [3, 4, 5], "axes": "CYX"}`;
  const one = `{"shape": [4, 5], "axes": "YX"}`;
  const bytes = described([1, 2, 3, 4], [three, one, one, one]);
  await rejects(load(bytes), /plane 1 is missing: the file holds 1 planes, 2 are needed/);
  const first = await load(bytes, [0]);
  deepEqual([first.planes[0]![0], first.summary.channels.length], [1, 3]);
  deepEqual(codesOf(first.summary.warnings), ["planes_missing"]);
  // The same shape in each page says the same of all of them.
  const repeated = await load(described([1, 2, 3], [three, three, three]));
  deepEqual(repeated.planes.map((plane) => plane[0]), [1, 2, 3]);
  deepEqual(codesOf(repeated.summary.warnings), []);
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
