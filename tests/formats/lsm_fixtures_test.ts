/** Every plane of the LSM files that a writer of their own made, most of them judged by tifffile too. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { chooseFormat, openChosen } from "../../readers/choose_format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { sizesOf } from "../../readers/reader.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/format.ts";
import { hashAt } from "../plane_hash.ts";
import { checkRows, someRanges } from "../row_ranges.ts";

const FIXTURES = new URL("../fixtures/lsm/", import.meta.url);

/** What `make.py` wrote: planes by `t,z,channel`, the start of a hash each. */
interface LsmFixture {
  readonly file: string;
  readonly shape: readonly [rows: number, columns: number];
  readonly types: readonly string[];
  readonly T: number;
  readonly Z: number;
  readonly judged: boolean;
  readonly scenes: readonly Readonly<Record<string, string>>[];
}

const EXPECTED: readonly LsmFixture[] = JSON.parse(Deno.readTextFileSync(new URL("expected.json", FIXTURES)));

/** What tifffile takes in another way: floats by their tag alone, BitsPerSample apart, a thumbnail for each plane, one type. */
const UNJUDGED = [
  "float_untold.lsm",
  "two_types.lsm",
  "no_thumbnails.lsm",
  "bits_inside.lsm",
  "interrupted.lsm",
  "unwritten.lsm",
];

for (const { file, shape, types, T, Z, judged, scenes } of EXPECTED) {
  Deno.test(`every plane of ${file}`, async () => {
    const files = new FileAccess();
    try {
      const chosen = chooseFormat(fileURLToPath(new URL(file, FIXTURES)), SUPPORTED_EXTENSIONS, files);
      equal(chosen.format.name, "lsm");
      const opened = await openChosen(chosen, files, null);
      equal(opened.scenes.count, scenes.length);
      const [Y, X] = shape;
      const sizes = {
        ...T > 1 && { T },
        ...types.length > 1 && { C: types.length },
        ...Z > 1 && { Z },
        Y,
        X,
      };
      deepEqual(opened.scenes.entries(99), scenes.map(() => ({ name: null, sizes })));
      for (const [scene, planes] of scenes.entries()) {
        const acquisition = await opened.scenes.open(scene);
        deepEqual(sizesOf(acquisition.axes), sizes);
        deepEqual(acquisition.channels.map(({ sampleType }) => sampleType), types);
        // Backwards, so that no plane is found by following the one before it.
        for (const [at, hash] of Object.entries(planes).reverse()) {
          // An LSM has no wavelengths: the fixtures state `t,z,channel`.
          equal(await hashAt(acquisition, at.replace(/(\d+)$/, "0,$1")), hash, `scene ${scene} ${at}`);
        }
        await checkRows(acquisition, someRanges(Y));
      }
    } finally {
      files.close();
    }
    ok(judged || UNJUDGED.includes(file));
  });
}
