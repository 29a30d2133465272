/** The arrays that tifffile describes, one or several in a file. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { grayLayout, tiffOf } from "../fixtures/tiff_writer.ts";
import { loadHere } from "../load_here.ts";
import { seenIn } from "../seen.ts";
import { withFiles } from "../temporary_files.ts";

const load = (bytes: Uint8Array, channelIndices: number[] | null = null) =>
  withFiles({ "a.tif": bytes }, (path) => loadHere(path, { channelIndices }));

const seen = async (...file: Parameters<typeof load>) => seenIn(await load(...file));

/** Layout of the pages that are written here. */
const PAGE = grayLayout(5, 4, 8);

/** A plane filled with each value, described by the text of the same place. A directory follows each plane. */
const described = (values: readonly number[], texts: readonly string[]) =>
  tiffOf(PAGE, values.map((value) => [new Uint8Array(20).fill(value)]), (page) => [[270, 2, texts[page]!]]);

/** Three planes, of which the first is described. */
const three = (text: string) => described([1, 2, 3], [text, "", ""]);

Deno.test(`keeps the planes after the directory of an array without "truncated"`, async () => {
  const name = fileURLToPath(new URL("../fixtures/tiff/shaped_two_truncated.tif", import.meta.url));
  const bytes = Buffer.from(Deno.readFileSync(name));
  const whole = await load(bytes);
  bytes.write(`"truncxxxx": true`, bytes.indexOf(`"truncated": true`));
  const damaged = await load(bytes);
  equal(seenIn(damaged).split("; ")[0], "C3");
  deepEqual(damaged.planes, whole.planes);
});

Deno.test("counts the planes that fit before the next part of the file", async () => {
  // The first plane lies at 8; the text that describes it follows the head.
  const cases: [bytes: number, member: string, expected: string][] = [
    [60, "", "C3; 1 2 3; "],
    [58, "", "C3; 1; planes_missing"],
    [58, `, "truncated": true`, "C3; 1 2; planes_missing"],
    [58, `, "truncated": false`, "C3; 1; planes_missing"],
  ];
  for (const [bytes, member, expected] of cases) {
    const head = Uint8Array.from({ length: bytes }, (_, i) => Math.floor(i / 20) + 1);
    const text = `{"shape": [3, 4, 5], "axes": "CYX"${member}}`;
    const file = tiffOf(PAGE, [[]], [[270, 2, text], [273, 4, [8]], [279, 4, [20]]], head);
    const channels = [0, 1, 2].slice(0, expected.split("; ")[1]!.split(" ").length);
    equal(await seen(file, channels), expected);
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
  equal(await seen(file), "C3; 1 3 2; ");
});

Deno.test("reads surplus pages as slices, unless another array follows", async () => {
  const first = `{"shape": [3, 4, 5]}`;
  const cases: [string[], string][] = [
    [[first, "", ""], "Z3; 1; "],
    [[first, "", "", `{"shape": [2, 4, 5]}`, ""], "Z3; 1; "],
    [[first, "", "", "", ""], "Z5; 1; axes_assumed"],
    [[first, "", "", "", `{"shape": [4, 5]}`], "Z5; 1; axes_assumed"],
  ];
  for (const [texts, expected] of cases) {
    equal(await seen(described(texts.map((_, i) => i + 1), texts)), expected);
  }
});

Deno.test("warns about an invalid shape", async () => {
  const many = `[${"1, ".repeat(30)}3, 4, 5]`;
  for (const shape of [`"3"`, `5`, `[3, 4.5, 5]`, `[-3, 4, 5]`, `[0, 4, 5]`, many, `null`, `{}`]) {
    equal(await seen(three(`{"shape": ${shape}, "axes": "ZYX"}`)), "Z3; 1; metadata_damaged", shape);
  }
  // The most axes that are read.
  equal(await seen(three(`{"shape": [${"1, ".repeat(29)}3, 4, 5]}`)), "Z3; 1; ");
});

Deno.test("bounds an array below 2^31 planes", async () => {
  equal(await seen(three(`{"shape": [${2 ** 31 - 1}, 4, 5]}`)), "Z2147483647; 1; planes_missing");
  equal(await seen(three(`{"shape": [${2 ** 31}, 4, 5]}`)), "Z3; 1; metadata_damaged");
});

Deno.test("does not take pages with another shape for planes of the first array", async () => {
  const cyx = `{"shape": [3, 4, 5], "axes": "CYX"}`;
  const one = `{"shape": [4, 5], "axes": "YX"}`;
  const bytes = described([1, 2, 3, 4], [cyx, one, one, one]);
  await rejects(load(bytes), /plane 1 is missing: the file holds 1 planes, 2 are needed/);
  equal(await seen(bytes, [0]), "C3; 1; planes_missing");
  // The same shape in each page says the same of all of them.
  equal(await seen(described([1, 2, 3], [cyx, cyx, cyx])), "C3; 1 2 3; ");
});

Deno.test("warns about axes that do not fit the shape", async () => {
  const cases = [
    [`"axes": "CYX"`, "C3; 1 2 3; "],
    [`"name": "a stack"`, "Z3; 1; "],
    [`"axes": "YX"`, "Z3; 1; metadata_disagree"],
    [`"axes": 7`, "Z3; 1; metadata_disagree"],
  ] as const;
  for (const [member, expected] of cases) {
    equal(await seen(three(`{"shape": [3, 4, 5], ${member}}`)), expected);
  }
});
