import assert from "node:assert/strict";
import { join } from "node:path";
import { PathNotAllowed, PathNotFound, UnsupportedFormat } from "../readers/errors.ts";
import { judgePath, judgeWindowsPath } from "./source_path.ts";

Deno.test("a path into a file that may hold a store is its resolved path, inside the roots only", async () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const inside = join(folder, "inside");
    Deno.mkdirSync(inside);
    for (const name of ["a.ome.zarr.zip", "a.tif"]) Deno.writeTextFileSync(join(folder, name), "");
    Deno.symlinkSync("../a.ome.zarr.zip", join(inside, "link.ome.zarr.zip"));
    const roots = [{ written: inside, resolved: inside }];
    assert.equal(
      await judgePath(join(inside, "link.ome.zarr.zip/B/3"), null),
      join(folder, "a.ome.zarr.zip/B/3"),
    );
    const judged: [string, typeof roots | null, new (message: string) => Error][] = [
      [join(inside, "link.ome.zarr.zip/B/3"), roots, PathNotAllowed],
      [join(folder, "a.ome.zarr.zip/B"), roots, PathNotAllowed],
      [`${folder}/a.ome.zarr.zip/../a.tif`, null, PathNotFound],
      [`${folder}/a.ome.zarr.zip/`, null, PathNotFound],
      [join(folder, "a.tif/B"), null, PathNotFound],
      [join(folder, "b.ome.zarr.zip/B"), null, PathNotFound],
    ];
    for (const [path, limits, error] of judged) await assert.rejects(judgePath(path, limits), error, path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test({
  name: "a parent step starts from the folder that the way leads to, as the kernel takes it",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      for (const name of ["data/sub", "other/deep"]) Deno.mkdirSync(join(folder, name), { recursive: true });
      for (const name of ["data/a.tif", "other/a.tif", "a.tif", "data/z.ome.zarr.zip"]) {
        Deno.writeTextFileSync(join(folder, name), name);
      }
      Deno.symlinkSync(join(folder, "other/deep"), join(folder, "data/link"));
      Deno.symlinkSync("nowhere", join(folder, "data/dangling"));
      const data = join(folder, "data");
      const found: Record<string, string> = {
        "data/sub/../a.tif": "data/a.tif",
        "data/./sub/.././/a.tif": "data/a.tif",
        "data/sub/../../a.tif": "a.tif",
        "data/link/../a.tif": "other/a.tif",
        "data/sub/../z.ome.zarr.zip/B/03": "data/z.ome.zarr.zip/B/03",
      };
      for (const [path, leadsTo] of Object.entries(found)) {
        assert.equal(await judgePath(`${folder}/${path}`, null), join(folder, leadsTo), path);
      }
      const absent = [
        "data/nosub/../a.tif",
        "data/nosub/./../a.tif",
        "data/a.tif/../a.tif",
        "data/a.tif/./../a.tif",
        "data/dangling/../a.tif",
        "data/sub/../nosub/../a.tif",
        "data/z.ome.zarr.zip/B/../03",
      ];
      for (const path of absent) {
        const whole = `${folder}/${path}`;
        // What the kernel says of it, through a program that hands it on as it is.
        const { success } = await new Deno.Command("test", { args: ["-e", whole] }).output();
        assert.equal(success, false, path);
        await assert.rejects(judgePath(whole, null), PathNotFound, path);
      }
      const roots = [{ written: data, resolved: data }];
      await assert.rejects(judgePath(`${data}/link/../a.tif`, roots), PathNotAllowed);
      await assert.rejects(judgePath(`${data}/nosub/../../a.tif`, roots), PathNotAllowed);
      await assert.rejects(judgePath(`${data}/nosub/../a.tif`, roots), PathNotFound);
      assert.equal(await judgePath(`${data}/sub/../a.tif`, roots), join(data, "a.tif"));
      assert.equal(await judgePath(`${folder}/data/../data/a.tif`, roots), join(data, "a.tif"));
      // There and back tells nothing of what exists outside.
      for (const name of ["other", "nowhere", "a.tif"]) {
        await assert.rejects(judgePath(`${folder}/${name}/../data/a.tif`, roots), PathNotAllowed, name);
      }
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

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
