/** Prairie View: which files open a scan, and its documents. */
import { deepEqual, equal } from "node:assert/strict";
import { dirname, join } from "node:path";
import { expectedFiles } from "../fixtures/expected.ts";
import { loadHere } from "../load_here.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/prairie");

for (const { file, format, own: scene, sceneCount } of expectedFiles("prairie")) {
  if (format === "prairie") {
    Deno.test(`${file}: every image of the scan and its document open the whole`, async () => {
      const whole = await loadHere(join(FOLDER, file));
      const folder = join(FOLDER, dirname(file));
      for (const { name } of Deno.readDirSync(folder)) {
        if (!/\.xml$|_Ch\d_\d+(\.ome)?\.tif$/.test(name)) continue;
        const { summary, planes } = await loadHere(join(folder, name), { scene });
        deepEqual(planes, whole.planes, name);
        deepEqual(summary, { ...whole.summary, path: join(folder, name) });
        const cycle = /_Cycle(\d+)_/.exec(name)?.[1];
        // Of the scans with several scenes each cycle is one; the document opens the first.
        const own = (await loadHere(join(folder, name))).summary.scene;
        equal(own, sceneCount === 1 || cycle === undefined ? 0 : Number(cycle) - 1, name);
      }
    });
  }
}
