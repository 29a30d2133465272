/** Damaged names in the directory of a ZIP file: a chunk that nobody finds must not become fill values, nor a document be missing. */
import { deepEqual, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { ReaderError } from "../../readers/errors.ts";
import { loadBytes } from "../damage.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { entriesBelow, zipOf } from "../fixtures/zip_writer.ts";
import { OVERVIEW, writeImage } from "../collection_tree.ts";
import { inFolder } from "../temporary_files.ts";

const NAME = "a.ome.zarr.zip";

/** Places of the names in the central directory, by the signatures of its entries. */
function namesIn(bytes: Uint8Array): { readonly at: number; readonly length: number }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = [];
  for (let at = 0; at + 46 <= bytes.length; at += 1) {
    if (view.getUint32(at, true) === 0x02014b50) {
      found.push({ at: at + 46, length: view.getUint16(at + 28, true) });
    }
  }
  return found;
}

async function seen(bytes: Uint8Array) {
  const { planes, summary: { axes, channels, warnings } } = await loadBytes(NAME, bytes);
  return { planes, axes, names: channels.map(({ name }) => name), warnings };
}

for (const fixture of ["v2_b1", "v3_u2"]) {
  Deno.test(`${fixture}: a damaged letter in the directory is refused, or changes nothing`, async () => {
    const whole = Deno.readFileSync(join(FIXTURES, "ome_zarr", `${fixture}.ome.zarr.zip`));
    const expected = await seen(whole);
    let refused = 0;
    for (const { at, length } of namesIn(whole)) {
      for (let letter = at; letter < at + length; letter += 1) {
        for (const flip of [1, 4, 0x20]) {
          const bytes = whole.slice();
          bytes[letter]! ^= flip;
          try {
            deepEqual(await seen(bytes), expected, `byte ${letter} changed by ${flip}`);
          } catch (error) {
            if (!(error instanceof ReaderError)) throw error;
            refused += 1;
          }
        }
      }
    }
    ok(refused > 0);
  });
}

Deno.test("a chunk under a name that is not a key is damage where a chunk is missing, and nothing elsewhere", () =>
  inFolder(async (_, folder) => {
    writeImage(folder, OVERVIEW);
    const entries = entriesBelow(folder);
    const chunk = entries.find(([name]) => /\/c\/.*\d$/.test(name))![0];
    const renamed = (to: string) =>
      zipOf(entries.map(([name, content]) => [name === chunk ? to : name, content]));
    const [array] = chunk.split("/");
    for (const to of [chunk.replace("/c/", "/b/"), chunk.replace(/\d+$/, "77"), `${chunk}~`]) {
      const error = await loadBytes(NAME, renamed(to)).catch((error: Error) => error);
      match(String(error), /is not a chunk of the array/, to);
    }
    const notes = zipOf([...entries, [`${array}/notes.txt`, new Uint8Array(3)]]);
    deepEqual((await seen(notes)).planes, (await seen(zipOf(entries))).planes);
    // A store without one of its chunks is whole, with the fill value there.
    const sparse = zipOf(entries.filter(([name]) => name !== chunk));
    ok((await seen(sparse)).planes.length > 0);
  }));
