import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { NO_LINKS } from "../../tests/no_links.ts";
import { inFolder } from "../../tests/temporary_files.ts";
import { FileAccess } from "../io/random_access.ts";
import { keyBelow, readValue, storeKey } from "./hierarchy.ts";
import { DirectoryStore } from "./opened_store.ts";

Deno.test("keys stay inside the store", () => {
  deepEqual(
    [storeKey("a", "b/c"), storeKey("a", "../b"), storeKey("./a//b/"), storeKey(""), storeKey("a/..")],
    ["a/b/c", "b", "a/b", "", ""],
  );
  deepEqual([storeKey(".."), storeKey("a", "../.."), storeKey("a\0")], [null, null, null]);
  deepEqual([keyBelow("", "a"), keyBelow("a", "b", "c")], ["a", "a/b/c"]);
});

Deno.test("a directory store separates absent values from unreachable ones and bounds reads", () =>
  inFolder((put, folder) => {
    put("in/five", "12345");
    put("one", "1");
    const files = new FileAccess();
    const store = new DirectoryStore(folder, files);
    const length = (key: string, most: number) => readValue(store, key, most)?.length ?? null;
    equal(length("in/five", 5), 5);
    throws(() => length("in/five", 4), /"in\/five" has 5 bytes, more than 4/);
    equal(length("one", 1), 1);
    for (const key of ["in/six", "six", "none/six", "none/none/six"]) equal(length(key, 9), null);
    throws(() => length("in", 9), /"in" is not a regular file/);
    throws(() => length("one/two", 9), /"one\/two" exists but leads nowhere/);
    if (!NO_LINKS) {
      Deno.symlinkSync("/etc/hostname", join(folder, "link"));
      throws(() => store.open("link"), /"link" is a link that leaves the store/);
    }
    files.close();
  }));
