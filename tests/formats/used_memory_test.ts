/** Memory that other samples stood in gives the same planes as fresh memory. */
import { ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ReaderError } from "../../readers/errors.ts";
import { extensionOf } from "../../readers/format.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { planLoad, requestOf } from "../load_here.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Files and stores of a folder and of those in it. */
function* acquisitionsIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (extensionOf(name) !== null) yield path;
    else if (isDirectory) yield* acquisitionsIn(path);
  }
}

/** All planes of the first position, from fresh memory and from memory of NaN; `null` where they are compressed. */
async function decodedTwice(path: string) {
  const files = new FileAccess();
  try {
    const { plan, decode } = await planLoad(requestOf(path), files);
    // Memory for compressed planes is cleared.
    if (plan.division !== null) return null;
    const parts = [{ channels: plan.channels, rows: { start: 0, end: plan.rows } }];
    const fresh = await decode({ parts, reference: false, buffers: [] });
    const buffers = plan.channels.map(() => new Float32Array(plan.planeBytes / 4).fill(NaN).buffer);
    return { fresh: fresh.planes, again: (await decode({ parts, reference: false, buffers })).planes };
  } finally {
    files.close();
  }
}

Deno.test("planes of all fixtures are the same in memory that was used before", async () => {
  let compared = 0;
  for (const path of acquisitionsIn(FIXTURES)) {
    const planes = await decodedTwice(path).catch((error) => {
      // Some fixtures are there to be refused.
      if (error instanceof ReaderError) return null;
      throw error;
    });
    if (planes === null) continue;
    for (const [i, plane] of planes.fresh.entries()) {
      ok(Buffer.from(plane.slice().buffer).equals(Buffer.from(planes.again[i]!.slice().buffer)), path);
      compared += 1;
    }
  }
  ok(compared > 300, `${compared} planes were compared`);
});
