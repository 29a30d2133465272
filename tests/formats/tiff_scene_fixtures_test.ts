/** Every plane of every scene of the fixtures with several scenes, or planes out of order, as tifffile reads them. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { type Acquisition, type AxisLetter, sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { openHere } from "../load_here.ts";
import { checkRows, someRanges } from "../row_ranges.ts";
import { codesOf } from "../warning_texts.ts";

const FIXTURES = new URL("../fixtures/tiff_scenes/", import.meta.url);

/** What `make.py` had tifffile say: planes by `t,z,l,channel`, the start of a hash each. */
interface SceneFixture {
  readonly file: string;
  readonly own: number;
  readonly scenes: readonly {
    readonly name: string | null;
    readonly sizes: Readonly<Partial<Record<AxisLetter, number>>>;
    readonly planes: Readonly<Record<string, string>>;
  }[];
}

const EXPECTED: readonly SceneFixture[] = JSON.parse(
  Deno.readTextFileSync(new URL("expected.json", FIXTURES)),
);

async function hashAt(acquisition: Acquisition, at: string): Promise<string> {
  const [t = 0, z = 0, l = 0, channel = 0] = at.split(",").map(Number);
  const plan = await acquisition.plan([channel], { t, z, l });
  const plane = new Float32Array(plan.rows * plan.columns);
  await plan.decode([plane]);
  return createHash("sha256").update(new Uint8Array(plane.buffer)).digest("hex").slice(0, 16);
}

for (const { file, own, scenes: expected } of EXPECTED) {
  Deno.test(`every plane of every scene of ${file}`, async () => {
    const path = fileURLToPath(new URL(file, FIXTURES));
    const files = new FileAccess();
    try {
      const opened = await openChosen(chooseFormat(path, SUPPORTED_EXTENSIONS, files), files, null);
      deepEqual([opened.scene, opened.scenes.count], [own, expected.length]);
      deepEqual([codesOf(opened.scenes.warnings), codesOf(opened.acquisition.warnings)], [[], []]);
      const entries = opened.scenes.entries(expected.length);
      for (const [scene, { name, sizes, planes }] of expected.entries()) {
        deepEqual(entries[scene], { name, sizes });
        const acquisition = await opened.scenes.open(scene);
        deepEqual(sizesOf(acquisition.axes), sizes);
        equal(
          Object.keys(planes).length,
          Object.entries(sizes).reduce(
            (product, [axis, size]) => axis === "Y" || axis === "X" ? product : product * size,
            1,
          ),
        );
        // Backwards, so that no plane is found by following the one before it.
        for (const [at, hash] of Object.entries(planes).reverse()) {
          equal(await hashAt(acquisition, at), hash, `scene ${scene} ${at}`);
        }
        await checkRows(acquisition, someRanges(acquisition.channels[0]!.rows));
      }
    } finally {
      files.close();
    }
    await rejects(openHere(path, () => {}, expected.length), { tag: "SceneOutOfRange" });
  });
}
