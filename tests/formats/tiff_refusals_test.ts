/** What is refused, by name, rather than read wrong. */
import { rejects } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { loadHere } from "../load_here.ts";

const REFUSED: readonly (readonly [file: string, reason: RegExp])[] = [
  ["refused_jpeg2000_four.tif", /strip 0 at \d+ \+ \d+ is JPEG 2000 of 4 components; 1 and 3 are read$/],
  ["refused_predictor.tif", /Predictor \(317\) is 34892; 1, 2 and 3 are read$/],
];

for (const [file, reason] of REFUSED) {
  Deno.test(`TIFF fixture ${file}`, async () => {
    const path = fileURLToPath(new URL(`../fixtures/tiff/${file}`, import.meta.url));
    await rejects(loadHere(path), reason);
  });
}
