/** Every position of a file gives the plane that lies there; what lies beyond is refused before a reader is asked. */
import { equal, rejects, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { PositionOutOfRange, SceneOutOfRange } from "../../readers/errors.ts";
import type { Acquisition, AxisLetter, Position } from "../../readers/reader.ts";
import { requirePosition } from "../../readers/selection.ts";
import { frame, ramp, withFiles } from "../fixtures/oir_files.ts";
import { writeOir } from "../fixtures/oir_writer.ts";
import { openHere } from "../load_here.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url);

/** What `make_positions.py` had other readers say: planes by `t,z,l,channel`, the start of a hash each. */
interface FilePositions {
  readonly file: string;
  readonly planes: Readonly<Record<string, string>>;
}

const EXPECTED: readonly FilePositions[] = JSON.parse(
  Deno.readTextFileSync(new URL("positions.json", FIXTURES)),
);

const sizeOf = ({ axes }: Acquisition, letter: AxisLetter) =>
  axes.find(({ name }) => name === letter)?.size ?? 1;

function* positionsOf(acquisition: Acquisition): Generator<Position> {
  for (let t = 0; t < sizeOf(acquisition, "T"); t += 1) {
    for (let z = 0; z < sizeOf(acquisition, "Z"); z += 1) {
      for (let l = 0; l < sizeOf(acquisition, "L"); l += 1) yield { t, z, l };
    }
  }
}

/** All channels at a position, judged as every request is. */
async function planesAt(acquisition: Acquisition, position: Position): Promise<Float32Array[]> {
  requirePosition("file", acquisition.axes, position);
  const plan = await acquisition.plan(acquisition.channels.map(({ index }) => index), position);
  const planes = acquisition.channels.map(() => new Float32Array(plan.rows * plan.columns));
  await plan.decode(planes);
  return planes;
}

function refusesBeyond({ axes }: Acquisition): void {
  for (const [letter, axis] of [["t", "T"], ["z", "Z"], ["l", "L"]] as const) {
    const size = axes.find(({ name }) => name === axis)?.size ?? 1;
    for (const index of [size, size + 7, -1, 0.5, NaN]) {
      const position = { t: 0, z: 0, l: 0, [letter]: index };
      throws(() => requirePosition("file", axes, position), PositionOutOfRange, `${letter} ${index}`);
    }
  }
}

for (const { file, planes } of EXPECTED) {
  Deno.test(`every position of ${basename(file)}`, async () => {
    const path = fileURLToPath(new URL(file, FIXTURES));
    let count = 0;
    await openHere(path, async (acquisition) => {
      for (const position of positionsOf(acquisition)) {
        for (const [channel, plane] of (await planesAt(acquisition, position)).entries()) {
          const at = `${position.t},${position.z},${position.l},${channel}`;
          const hash = createHash("sha256").update(new Uint8Array(plane.buffer)).digest("hex");
          equal(hash.slice(0, 16), planes[at], at);
          count += 1;
        }
      }
      refusesBeyond(acquisition);
    });
    equal(count, Object.keys(planes).length);
    await rejects(openHere(path, () => {}, 1), SceneOutOfRange);
    await rejects(openHere(path, () => {}, -1), {
      tag: "SceneOutOfRange",
      message: `Scene -1 does not exist: "${basename(file)}" has only scene 0`,
    });
  });
}

Deno.test("every position of an OIR file along three axes", async () => {
  // Frame (t, l, z) of channel c is a ramp from 1000 c + 100 t + 10 l + z on.
  const frames = [1, 2].flatMap((t) => [1, 2, 3].flatMap((l) => [1, 2].map((z) => ({ t, l, z }))));
  const seed = (c: number, { t, l, z }: Position) => 1000 * c + 100 * t + 10 * l + z;
  const file = writeOir(frame({
    frames: frames.map((at) => ({
      axes: `t00${at.t}l00${at.l}z00${at.z}`,
      planes: [ramp(20, seed(0, at)), ramp(20, seed(1, at))],
    })),
  }));
  await withFiles(
    { "lambda.oir": file },
    (folder) =>
      openHere(`${folder}/lambda.oir`, async (acquisition) => {
        equal([...positionsOf(acquisition)].length, 12);
        for (const { t, z, l } of positionsOf(acquisition)) {
          const planes = await planesAt(acquisition, { t, z, l });
          const at = { t: t + 1, z: z + 1, l: l + 1 };
          planes.forEach((plane, c) => equal(`${plane}`, `${ramp(20, seed(c, at))}`, `${t} ${z} ${l}`));
        }
        refusesBeyond(acquisition);
      }),
  );
});

Deno.test("a position is judged against axes that are left out, too", () => {
  const message = `Index 1 along T does not exist: "a.tif" has size 1 along T`;
  throws(() => requirePosition("a.tif", [], { t: 1, z: 0, l: 0 }), { message });
  requirePosition("a.tif", [], { t: 0, z: 0, l: 0 });
});
