/** Prairie View: which files open a scan, and its documents. */
import { deepEqual, equal, match } from "node:assert/strict";
import { dirname, join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { expectedFiles } from "../fixtures/expected.ts";
import { loadHere, openHere } from "../load_here.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/prairie");

for (const { file, format, own: scene, sceneCount } of expectedFiles("prairie")) {
  if (format === "prairie") {
    Deno.test(`${file}: opens the whole scan by every image and by its document`, async () => {
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

Deno.test("counts all bytes of the scan, and serves its document as metadata", async () => {
  const folder = join(FOLDER, "LineScan-06092017-1414-619");
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const bytes = names.reduce((sum, name) => sum + Deno.statSync(join(folder, name)).size, 0);
  await openHere(join(folder, "LineScan-06092017-1414-619.xml"), (acquisition) => {
    equal(acquisition.fileSize, bytes);
    const [document, ...more] = collectDocuments(acquisition);
    deepEqual(more, []);
    equal(document!.name, "LineScan-06092017-1414-619.xml");
    equal(document!.mediaType, "application/xml");
    match(document!.text, /^<\?xml version="1.0"[^]*<\/PVScan>\s*$/);
  });
});
