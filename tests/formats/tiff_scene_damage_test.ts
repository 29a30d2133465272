/** Files of several scenes that are damaged or hostile: each scene gives planes or a tagged error, in bounded memory. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { documentsOf } from "../../readers/io/document_list.ts";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { type Acquisition, type AxisLetter, type Scenes, sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { checkRows } from "../planes.ts";
import { codesOf } from "../warning_texts.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/tiff_scenes/", import.meta.url));

const PAGE = grayLayout(5, 4, 16);

/** Scenes of one damaged file that are looked at; most have three. */
const MOST_SCENES = 5;

/** What a reader may throw does not matter; anything else does. */
async function tagged(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
  }
}

async function withScenes(path: string, use: (scenes: Scenes) => Promise<void>): Promise<void> {
  const files = new FileAccess();
  try {
    await use((await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null)).scenes);
  } finally {
    files.close();
  }
}

async function checkScene(acquisition: Acquisition, at: number): Promise<void> {
  const sizes = sizesOf(acquisition.axes);
  const index = (axis: AxisLetter) => at % (sizes[axis] ?? 1);
  const { rows, columns } = acquisition.channels[0]!;
  if (rows * columns * acquisition.channels.length > 1 << 20) return;
  const { times } = acquisition;
  ok(times === null || times.length === (sizes.T ?? 1) && times.every(Number.isFinite));
  await tagged(() => Promise.resolve(void documentsOf(acquisition)));
  const start = at % rows;
  const range = { start, end: Math.min(rows, start + 2) };
  await tagged(() => checkRows(acquisition, [range], { t: index("T"), z: index("Z"), l: index("L") }));
}

const damage = fc.record({
  name: fc.constantFrom(
    "several.ome.tif",
    "scrambled.ome.tif",
    "set_a.ome.tif",
    "interleaved.tif",
    "arrays.tif",
  ),
  bytes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
  end: fc.option(fc.nat(), { freq: 4 }),
  at: fc.nat({ max: 100 }),
});

Deno.test("every scene of a damaged file gives planes or a tagged error", async () => {
  const folder = await Deno.makeTempDir();
  for (const { name } of Deno.readDirSync(FIXTURES)) {
    if (name.endsWith(".tif")) Deno.copyFileSync(join(FIXTURES, name), join(folder, name));
  }
  let opened = 0;
  try {
    await fc.assert(
      fc.asyncProperty(damage, async ({ name, bytes, end, at }) => {
        const whole = Deno.readFileSync(join(FIXTURES, name));
        for (const [place, value] of bytes) whole[place % whole.length] = value;
        const path = join(folder, name);
        Deno.writeFileSync(path, end === null ? whole : whole.subarray(0, end % whole.length));
        await tagged(() =>
          withScenes(path, async (scenes) => {
            ok(scenes.own < scenes.count);
            equal(scenes.entries(10_000).length, Math.min(scenes.count, 10_000));
            for (let scene = 0; scene < Math.min(scenes.count, MOST_SCENES); scene += 1) {
              await tagged(async () => checkScene(await scenes.open(scene), at));
              opened += 1;
            }
          })
        );
        Deno.copyFileSync(join(FIXTURES, name), path);
      }),
      { numRuns: 500, seed: 20_263, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true },
    );
    ok(opened > 600, `${opened} scenes were opened`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Opens bytes as a file of this name. */
async function withWritten(name: string, bytes: Uint8Array, use: (scenes: Scenes) => Promise<void>) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    Deno.writeFileSync(join(folder, name), bytes);
    await withScenes(join(folder, name), use);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A stack of one page whose index map has an entry for each of so many positions. */
function positionsBytes(count: number): Uint8Array {
  const one = microManagerBytes(PAGE, {}, [[0, 0, 0, 0, 7]]);
  const view = new DataView(one.buffer);
  // The map with its head of 8 bytes stands at the end; its one entry of 20 bytes is repeated.
  const map = view.getUint32(12, true);
  view.setUint32(map + 4, count, true);
  const bytes = new Uint8Array(map + 8 + 20 * count);
  bytes.set(one);
  const grown = new DataView(bytes.buffer);
  for (let position = 0; position < count; position += 1) {
    bytes.set(one.subarray(map + 8, map + 28), map + 8 + 20 * position);
    grown.setUint32(map + 8 + 20 * position + 12, position, true);
  }
  return bytes;
}

Deno.test("Micro-Manager: 100,000 positions are the most", async () => {
  await withWritten("x_MMStack.ome.tif", positionsBytes(100_000), (scenes) => {
    deepEqual([scenes.count, scenes.own, scenes.entries(3).length], [100_000, 0, 3]);
    return Promise.resolve();
  });
  let refusal = "";
  await withWritten("x_MMStack.ome.tif", positionsBytes(100_001), () => Promise.resolve())
    .catch((error) => refusal = String(error));
  match(refusal, /^DecodeFailed: the index map has more than 100000 positions$/);
});

Deno.test("plain pages: counts layouts beyond the bound", () => {
  // 4,096 layouts are distinguished.
  const count = 4_100;
  const bytes = tiffBytes(
    grayLayout(1, 1, 8),
    () => 1n,
    count,
    (page): Field[] => [[257, 4, [page + 1]], [278, 4, [page + 1]]],
  );
  return withWritten("a.tif", bytes, (scenes) => {
    deepEqual([scenes.count, codesOf(scenes.warnings)], [
      1000,
      ["scenes_left_out"],
    ]);
    return Promise.resolve();
  });
});

Deno.test("tifffile: a later description that is too long for a shape begins no array", async () => {
  const shape = '{"shape": [4, 5], "axes": "YX"}';
  // 2^16 bytes with the NUL at the end are read.
  for (const [length, arrays] of [[(1 << 16) - 1, true], [1 << 16, false]] as const) {
    const texts = [shape, shape.padEnd(length), shape.padEnd(length)];
    const bytes = tiffBytes(PAGE, (_x, _y, _s, page) => BigInt(page), 3, (page) => [[270, 2, texts[page]!]]);
    await withWritten("a.tif", bytes, (scenes) => {
      deepEqual(scenes.entries(9).map(({ sizes }) => sizes.Z ?? 1), arrays ? [1, 1, 1] : [1, 2]);
      return Promise.resolve();
    });
  }
});
