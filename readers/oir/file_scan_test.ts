import assert from "node:assert/strict";
import { parseChunkName } from "./file_scan.ts";

const ID = "93e4632f-0342-4d98-bdc1-4ce305b92525";

Deno.test("main chunks are named in every known form", () => {
  const cases: [string, number, number, number][] = [
    [`t001_0_1_${ID}_0`, 1, 1, 1],
    [`z007_0_1_${ID}_12`, 1, 1, 7],
    [`l002z003_0_1_${ID}_0`, 1, 2, 3],
    [`l001z002t1234_0_1_${ID}_0`, 1234, 1, 2],
    [`t003z002_0_1_${ID}_0`, 3, 1, 2],
    [`t003z002_7_9_${ID}_0`, 3, 1, 2],
    [`t003_${ID}_0`, 3, 1, 1],
    [`0_1_${ID}_0`, 1, 1, 1],
    [`_0_1_${ID}_0`, 1, 1, 1],
    [`${ID}_0`, 1, 1, 1],
  ];
  for (const [name, t, l, z] of cases) {
    assert.deepEqual(parseChunkName(name), { image: "main", frame: { t, l, z }, channel: ID }, name);
  }
});

Deno.test("reference chunks are named after their source", () => {
  assert.deepEqual(parseChunkName(`REF_LSM0_${ID}_1`), { image: "reference", source: "LSM0", channel: ID });
  assert.deepEqual(parseChunkName("REF_CAMERA0_x_0"), {
    image: "reference",
    source: "CAMERA0",
    channel: "x",
  });
});

Deno.test("names of any other form are rejected", () => {
  const names = ["", "_", "0", "x", `${ID}_`, `${ID}_x`, "_0", `q001_0_1_${ID}_0`, `t001t002_0_1_${ID}_0`];
  for (
    const name of [
      ...names,
      `t_0_1_${ID}_0`,
      `T001_0_1_${ID}_0`,
      `t001_x_0_1_${ID}_0`,
      `t1234567890_0_1_${ID}_0`,
    ]
  ) {
    assert.equal(parseChunkName(name), null, name);
  }
});
