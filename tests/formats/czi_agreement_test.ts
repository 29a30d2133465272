/** Files that libCZI wrote, and files of kinds that it does not write: every plane as czifile reads it. */
import { deepEqual, equal } from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { openScene } from "../fixtures/czi_files.ts";

const FOLDER = fileURLToPath(new URL("../fixtures/czi/", import.meta.url));

/** What czifile reads; see `make_czi.py`. */
interface Expected {
  readonly file: string;
  readonly scenes: number;
  /** T, Z, C with samples, Y, X of the first scene. */
  readonly shape: readonly number[];
  readonly dtype: string;
  /** SHA-256 by `scene,t,z,channel`. */
  readonly planes_at: Readonly<Record<string, string>>;
}

const expected = JSON.parse(Deno.readTextFileSync(`${FOLDER}expected.json`)) as Expected[];

const sha256 = (plane: Float32Array) =>
  createHash("sha256").update(new Uint8Array(plane.buffer)).digest("hex");

for (const { file, scenes, shape, dtype, planes_at } of expected) {
  Deno.test(`${file}: every plane of every position and scene`, async () => {
    const found: Record<string, string> = {};
    for (let scene = 0; scene < scenes; scene += 1) {
      await openScene(`${FOLDER}${file}`, scene, async (acquisition) => {
        const size = (name: string) => acquisition.axes.find((axis) => axis.name === name)?.size ?? 1;
        if (scene === 0) deepEqual(["T", "Z", "C", "Y", "X"].map(size), shape);
        if (scene === 0) equal(acquisition.channels[0]?.sampleType, dtype);
        for (let t = 0; t < size("T"); t += 1) {
          for (let z = 0; z < size("Z"); z += 1) {
            const channels = acquisition.channels.map(({ index }) => index);
            const plan = await acquisition.plan(channels, { t, z, l: 0 });
            const planes = channels.map(() => new Float32Array(plan.rows * plan.columns));
            await plan.decode(planes);
            planes.forEach((plane, c) => found[`${scene},${t},${z},${c}`] = sha256(plane));
          }
        }
      });
    }
    deepEqual(found, planes_at);
  });
}
