import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { FileAccess } from "../io/random_access.ts";
import { DirectoryStore, keyBelow, readValue, storeKey } from "./store.ts";
import { NO_LINKS } from "../../tests/no_links.ts";

Deno.test("keys stay inside the store", () => {
  deepEqual(
    [storeKey("a", "b/c"), storeKey("a", "../b"), storeKey("./a//b/"), storeKey(""), storeKey("a/..")],
    ["a/b/c", "b", "a/b", "", ""],
  );
  deepEqual([storeKey(".."), storeKey("a", "../.."), storeKey("a\0")], [null, null, null]);
  deepEqual([keyBelow("", "a"), keyBelow("a", "b", "c")], ["a", "a/b/c"]);
});

Deno.test("a directory store opens values, separates absent from unreachable ones and bounds reads", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  const files = new FileAccess();
  try {
    Deno.mkdirSync(join(folder, "in"));
    Deno.writeTextFileSync(join(folder, "in/five"), "12345");
    Deno.writeTextFileSync(join(folder, "one"), "1");
    const store = new DirectoryStore(folder, files);
    const length = (key: string, most: number) => readValue(store, key, most)?.length ?? null;
    equal(length("in/five", 5), 5);
    throws(() => length("in/five", 4), /"in\/five" has 5 bytes, more than 4/);
    equal(length("one", 1), 1);
    for (const key of ["in/six", "six", "none/six", "none/none/six"]) equal(length(key, 9), null);
    throws(() => length("in", 9), /"in" is not a regular file/);
    throws(() => length("one/two", 9), /"one\/two" exists but leads nowhere/);
    if (NO_LINKS) return;
    Deno.symlinkSync("/etc/hostname", join(folder, "link"));
    throws(() => store.open("link"), /"link" is a link that leaves the store/);
  } finally {
    files.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
