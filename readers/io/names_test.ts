import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { NO_LINKS } from "../../tests/no_links.ts";
import { inFolder } from "../../tests/temporary_files.ts";
import { Unreadable } from "../errors.ts";
import { alike, findNamedFile, findNamedFiles, StoredNames } from "./names.ts";
import type { PathKind } from "./paths.ts";
import { FileAccess } from "./file_access.ts";

/** A folder with these files and folders; a name that ends with `/` is that of a folder. */
function tree(...names: string[]) {
  const top = join("/", "set");
  const kinds = new Map<string, PathKind>(
    names.map((name) => [join(top, name.replace(/\/$/, "")), name.endsWith("/") ? "directory" : "file"]),
  );
  const lists: string[] = [];
  const found = (...written: string[]) =>
    Object.fromEntries(
      [...findNamedFiles(files, top, written)].map(([name, path]) => [name, path.slice(top.length + 1)]),
    );
  const files = {
    kind: (path: string) => path === top ? "directory" as const : kinds.get(path) ?? null,
    list: (folder: string) => {
      lists.push(folder);
      return [...kinds.keys()].filter((path) => join(path, "..") === folder)
        .map((path) => path.slice(folder.length + 1));
    },
  };
  return { files, lists, found, top };
}

const [NFC, NFD] = ["größe.tif".normalize("NFC"), "größe.tif".normalize("NFD")];

Deno.test("finds a file by its exact name, else by normalization, else without case", () => {
  deepEqual(tree("a.tif", "A.tif").found("a.tif", "A.tif"), { "a.tif": "a.tif", "A.tif": "A.tif" });
  deepEqual(tree(NFD, "GRÖSSE.TIF").found(NFC), { [NFC]: NFD });
  deepEqual(tree(NFD, NFC.toUpperCase()).found(NFC), { [NFC]: NFD });
  deepEqual(tree("SET_c0.TIF").found("set_C0.tif"), { "set_C0.tif": "SET_c0.TIF" });
  deepEqual(tree(NFD.toUpperCase().replace("SS", "ß")).found(NFC), {
    [NFC]: NFD.toUpperCase().replace("SS", "ß"),
  });
  deepEqual(tree("b.tif").found("a.tif"), {});
});

Deno.test("finds no file that another name means, or of several that fit", () => {
  deepEqual(tree("A.tif", "a.TIF").found("a.tif"), {});
  // The exact match of one name leaves the other file to the other name, or none.
  deepEqual(tree("A.tif", "a.TIF").found("a.tif", "A.tif"), { "A.tif": "A.tif", "a.tif": "a.TIF" });
  deepEqual(tree("A.tif").found("a.tif", "A.tif"), { "A.tif": "A.tif" });
  deepEqual(tree("A.TIF").found("a.tif", "A.tif"), {});
  // Normalization decides before case.
  deepEqual(tree(NFD, NFC.toUpperCase().replace("SS", "ß")).found(NFC), { [NFC]: NFD });
});

Deno.test("finds folders in a name in the same way, and does not leave the folder of the document", () => {
  const { found } = tree("Pos/", "Pos/A.tif", "b.tif");
  deepEqual(found("pos/a.tif"), { "pos/a.tif": join("Pos", "A.tif") });
  deepEqual(found("..\\B.TIF", "/etc/b.tif"), { "/etc/b.tif": "b.tif" });
  deepEqual(found("C:\\data\\B.tif"), { "C:\\data\\B.tif": "b.tif" });
  deepEqual(found("..", "pos/..", ""), {});
});

Deno.test("lists a folder once, and only if a name has no exact match", () => {
  const all = tree("a.tif", "b.tif");
  all.found("a.tif", "b.tif");
  deepEqual(all.lists, []);
  all.found("a.tif", "c.tif", "d.tif", "B.tif");
  deepEqual(all.lists, [all.top]);
});

Deno.test("reports a name that cannot be looked up, and goes on with the others", () => {
  const { files, top } = tree("a.tif", "b.tif");
  const failing = {
    ...files,
    kind(path: string) {
      if (path.endsWith("a.tif")) throw new Unreadable("no");
      return files.kind(path);
    },
  };
  const lost: string[] = [];
  const found = findNamedFiles(failing, top, ["a.tif", "b.tif"], (name) => void lost.push(name));
  deepEqual([[...found.keys()], lost], [["b.tif"], ["a.tif"]]);
  throws(() => findNamedFile(failing, top, "a.tif"), Unreadable);
});

Deno.test(
  "tests the found file, not another one, against the roots",
  { ignore: NO_LINKS },
  () =>
    inFolder((put, folder) => {
      put("out/secret.tif", "1");
      const root = join(folder, "in");
      put("in/b.tif", "2");
      Deno.symlinkSync("../out/secret.tif", join(root, "A.tif"));
      Deno.symlinkSync("../out/secret.tif", join(root, "B.TIF"));
      using files = new FileAccess([root]);
      // A link that leads out counts as missing, and stands in the way of no exact match.
      deepEqual(
        ["a.tif", "A.tif", "b.tif", "B.TIF", "B.tif"].map((name) => findNamedFile(files, root, name)),
        [
          null,
          null,
          join(root, "b.tif"),
          null,
          null,
        ],
      );
      using free = new FileAccess();
      equal(findNamedFile(free, root, "a.tif"), join(root, "A.tif"));
    }),
);

Deno.test("finds names in a list", () => {
  const stored = new StoredNames(["a.tif", "A.TIF", NFD]);
  deepEqual(["a.tif", "A.tif", NFC, "b"].map((name) => stored.find(name)), ["a.tif", null, NFD, null]);
  equal(alike(NFC, NFD.replace("gr", "Gr")), true);
});
