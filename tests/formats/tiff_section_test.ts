/** A TIFF inside a larger file, at an odd place, is read as the plain file is. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ByteSection, type ByteSource } from "../../readers/io/byte_source.ts";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/random_access.ts";
import { readPage } from "../../readers/tiff/page.ts";
import { planSource } from "../../readers/tiff/plane_plan.ts";
import { TiffFile } from "../../readers/tiff/tiff_file.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/tiff/", import.meta.url));

/** Odd, so that no offset stays on the boundary that the file puts it on. */
const BEFORE = 1_237;

const BEHIND = 61;

/** All samples of the first directory, or why it cannot be read. */
async function firstPlanes(source: ByteSource, files: FileAccess): Promise<Float32Array[] | string> {
  try {
    const tiff = new TiffFile(source, files);
    const page = readPage(tiff.directory(0)!);
    const wanted = Array.from({ length: page.samples }, (_, sample) => ({ sample, target: sample }));
    const plan = await planSource({ tiff, page, run: null }, wanted, files.stop);
    const planes = wanted.map(() => new Float32Array(page.width * page.height));
    await plan.decode(planes);
    return planes;
  } catch (error) {
    if (error instanceof ReaderError) return error.message;
    throw error;
  }
}

Deno.test("each TIFF fixture embedded in a larger file gives the planes of the plain file", async (t) => {
  const folder = Deno.makeTempDirSync({ prefix: "section_" });
  const files = new FileAccess();
  let readable = 0;
  try {
    // Those at the bounds of a plane take seconds and lie no differently.
    const names = [...Deno.readDirSync(FIXTURES)].map(({ name }) => name)
      .filter((name) => name.endsWith(".tif") && !/largest|bomb/.test(name));
    for (const name of names.sort()) {
      await t.step(name, async () => {
        const bytes = Deno.readFileSync(join(FIXTURES, name));
        const around = new Uint8Array(BEFORE + bytes.length + BEHIND).fill(0xa5);
        around.set(bytes, BEFORE);
        const path = join(folder, `${name}.bin`);
        Deno.writeFileSync(path, around);
        const plain = await firstPlanes(files.open(join(FIXTURES, name)), files);
        const section = new ByteSection(files.open(path), BEFORE, bytes.length, "the file");
        const embedded = await firstPlanes(section, files);
        if (typeof plain === "string" || typeof embedded === "string") return equal(embedded, plain);
        readable += 1;
        // Two typed arrays with a NaN count as different.
        const different = plain.map((plane, i) =>
          plane.findIndex((sample, at) => !Object.is(sample, embedded[i]?.[at]))
        );
        deepEqual(different, plain.map(() => -1));
      });
    }
    ok(readable > 100, `${readable} of ${names.length} fixtures can be read`);
  } finally {
    files.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
