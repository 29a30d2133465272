import assert from "node:assert/strict";
import { PathNotAllowed, UnsupportedFormat } from "../readers/errors.ts";
import { judgeWindowsPath } from "./source_path.ts";

Deno.test("Windows: device paths name no files", () => {
  const devices = [
    "\\\\.\\PhysicalDrive0",
    "\\\\?\\C:\\data\\a.tif",
    "//./pipe/x",
    "//?/C:/a.tif",
    "C:\\data\\CON",
    "C:\\data\\con.tif",
    "C:\\NUL\\a.tif",
    "C:\\COM1",
    "C:\\lpt9.ome.tif",
    "C:\\data\\CON ",
    "C:\\data\\nul:x",
  ];
  for (const path of devices) {
    assert.throws(() => judgeWindowsPath(path, () => true), UnsupportedFormat, path);
  }
  for (const path of ["C:\\data\\a.tif", "C:\\console\\com.tif", "D:/icon.tif", "C:\\com10.tif"]) {
    judgeWindowsPath(path, () => false);
  }
});

Deno.test("Windows: a path on another machine needs a root, since looking at it logs in there", () => {
  for (const path of ["\\\\server\\share\\a.tif", "//server/share/a.tif"]) {
    assert.throws(() => judgeWindowsPath(path, () => false), PathNotAllowed);
    judgeWindowsPath(path, () => true);
  }
});
