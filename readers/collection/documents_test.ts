import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { inFolder } from "../../tests/temporary_files.ts";
import { FileAccess } from "../io/file_access.ts";
import { findDocuments } from "./documents.ts";

Deno.test("searches documents in at most 200 subfolders", () =>
  inFolder((put, folder) => {
    const files = new FileAccess();
    const around = () =>
      findDocuments(folder, files).map((path) => path.slice(folder.length + 1).replaceAll("\\", "/"));
    // A file comes first, and a folder of that name is not a document.
    put("0", "");
    put("1/collection.json/file", "");
    for (let i = 101; i <= 300; i += 1) Deno.mkdirSync(join(folder, String(i)));
    for (const name of ["101", "299", "300"]) put(`${name}/collection.json`, "{}");
    deepEqual(around(), ["101/collection.json", "299/collection.json"]);
    put("collection.json", "{}");
    deepEqual(around()[0], "collection.json");
    files.close();
  }));
