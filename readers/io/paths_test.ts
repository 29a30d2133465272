import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { leavesFolder, listPossiblePaths, takeLastName } from "./paths.ts";

const below = (name: string) => listPossiblePaths("/data/set", name);
const at = (...parts: string[]) => join("/data/set", ...parts);

Deno.test("resolves a name in its folder, else beside the document by its last part", () => {
  deepEqual(below("a.tif"), [at("a.tif")]);
  deepEqual(below(" ./a.tif "), [at("a.tif")]);
  deepEqual(below("p/a.tif"), [at("p", "a.tif"), at("a.tif")]);
  deepEqual(below("p\\q\\a.tif"), [at("p", "q", "a.tif"), at("a.tif")]);
});

Deno.test("looks up only the last part of a name that leaves the folder", () => {
  const names = [
    "../a.tif",
    "p/../../a.tif",
    "p/../a.tif",
    "..\\a.tif",
    "/etc/a.tif",
    "\\a.tif",
    "C:\\data\\a.tif",
    "c:a.tif",
    "\\\\host\\share\\a.tif",
    "//host/share/a.tif",
  ];
  for (const name of names) {
    deepEqual([below(name), leavesFolder(name)], [[at("a.tif")], true], name);
  }
  deepEqual(["a.tif", "p/a.tif", "a..tif", "..a/b.tif"].filter(leavesFolder), []);
});

Deno.test("resolves no name without a file", () => {
  for (const name of ["", " ", ".", "..", "a/", "a/..", "/", "C:", "a\0.tif"]) {
    deepEqual([below(name), takeLastName(name)], [[], ""], JSON.stringify(name));
  }
});

Deno.test("resolves no name with more than 64 folders", () => {
  const name = (folders: number, separator = "/") => `${`p${separator}`.repeat(folders)}a.tif`;
  deepEqual(below(name(64)).at(-1), at("a.tif"));
  for (const deep of [name(65), name(65, "\\"), name(300_000)]) deepEqual(below(deep), []);
});
