import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { FileAccess } from "../io/random_access.ts";
import { documentIn, documentsBelow } from "./documents.ts";

Deno.test("searches documents in a bounded number of sub-folders", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const files = new FileAccess();
  try {
    // A file and a folder without a document come first.
    Deno.writeTextFileSync(join(folder, "0"), "");
    Deno.mkdirSync(join(folder, "a"));
    for (const name of ["b", "c", "d"]) {
      Deno.mkdirSync(join(folder, name));
      Deno.writeTextFileSync(join(folder, name, "collection.json"), "{}");
    }
    const below = (most: number) =>
      documentsBelow(folder, files, most).map((path) => path.slice(folder.length + 1).replaceAll("\\", "/"));
    deepEqual(below(1), []);
    deepEqual(below(3), ["b/collection.json", "c/collection.json"]);
    deepEqual(below(4), ["b/collection.json", "c/collection.json", "d/collection.json"]);
    equal(documentIn(folder, files), null);
    // A folder of that name is not a document.
    Deno.mkdirSync(join(folder, "a", "collection.json"));
    equal(documentIn(join(folder, "a"), files), null);
  } finally {
    files.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
