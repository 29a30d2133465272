/** The bounds on scenes of TIFF files. */
import { deepEqual, match } from "node:assert/strict";
import { join } from "node:path";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import type { Scenes } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { type Field, grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { withFiles } from "../temporary_files.ts";
import { codesOf } from "../warning_texts.ts";

const PAGE = grayLayout(5, 4, 16);

async function withScenes(path: string, use: (scenes: Scenes) => Promise<void>): Promise<void> {
  const files = new FileAccess();
  try {
    await use((await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null)).scenes);
  } finally {
    files.close();
  }
}

/** Opens bytes as a file of this name. */
const withWritten = (name: string, bytes: Uint8Array, use: (scenes: Scenes) => Promise<void>) =>
  withFiles({ [name]: bytes }, (folder) => withScenes(join(folder, name), use));

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
