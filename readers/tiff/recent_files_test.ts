import { deepEqual } from "node:assert/strict";
import { MAX_RECENT, RecentFiles } from "./recent_files.ts";

Deno.test("the opened file and those that were used last are read once", () => {
  const read: string[] = [];
  const files = new RecentFiles("own", "own", (path) => {
    read.push(path);
    return path;
  });
  const names = Array.from({ length: MAX_RECENT }, (_, i) => `${i}`);
  for (let again = 0; again < 3; again += 1) for (const name of ["own", ...names]) files.get(name);
  deepEqual(read, names);
  // File 0 is used again, so that one more takes the place of file 1.
  for (const name of ["0", "more", "0", "own", "1"]) files.get(name);
  deepEqual(read, [...names, "more", "1"]);
});
