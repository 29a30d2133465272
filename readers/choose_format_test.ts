import { equal, rejects } from "node:assert/strict";
import { openChosen } from "./choose_format.ts";
import { FileAccess } from "./io/file_access.ts";
import { FORMATS } from "./formats.ts";
import { UnsupportedFormat } from "./errors.ts";

Deno.test("retries to load a reader that could not be loaded", async () => {
  let loads = 0;
  const format = {
    ...FORMATS[0]!,
    load: () => {
      loads += 1;
      return loads === 1
        ? Promise.reject(new Error("too many open files"))
        : Promise.resolve({ scenes: () => Promise.reject(new UnsupportedFormat("there is no image")) });
    },
  };
  const open = () => openChosen({ format, path: "a" }, new FileAccess(), null);
  await rejects(open, /too many open files/);
  await rejects(open, /there is no image/);
  await rejects(open, /there is no image/);
  equal(loads, 2);
});
