import assert from "node:assert/strict";
import { join, win32 } from "node:path";
import { PathNotAllowed, PathNotFound, UnsupportedFormat } from "../readers/errors.ts";
import { isInsideRoots } from "../readers/io/paths.ts";
import { checkPath, checkWindowsPath } from "./source_path.ts";
import { NO_LINKS } from "../tests/no_links.ts";
import { run } from "../tests/child_process.ts";
import { programTest } from "../tests/programs.ts";
import { temporaryFolder } from "../tests/temporary_files.ts";

Deno.test("resolves a path into an archive, inside the roots only", {
  ignore: NO_LINKS,
}, async () => {
  using temporary = temporaryFolder();
  const { path: folder } = temporary;
  const inside = join(folder, "inside");
  Deno.mkdirSync(inside);
  for (const name of ["a.ome.zarr.zip", "a.tif"]) Deno.writeTextFileSync(join(folder, name), "");
  Deno.symlinkSync("../a.ome.zarr.zip", join(inside, "link.ome.zarr.zip"));
  const roots = [{ written: inside, resolved: inside }];
  assert.equal(
    await checkPath(join(inside, "link.ome.zarr.zip/B/3"), null),
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
  for (const [path, limits, error] of judged) await assert.rejects(checkPath(path, limits), error, path);
});

programTest(["test"], {
  name: "resolves .. to the parent of the resolved folder, as the kernel does",
  ignore: Deno.build.os === "windows",
  async fn([test]) {
    using temporary = temporaryFolder();
    const { path: folder } = temporary;
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
      assert.equal(await checkPath(`${folder}/${path}`, null), join(folder, leadsTo), path);
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
      const { success } = await run(test!, { args: ["-e", whole] });
      assert.equal(success, false, path);
      await assert.rejects(checkPath(whole, null), PathNotFound, path);
    }
    const roots = [{ written: data, resolved: data }];
    await assert.rejects(checkPath(`${data}/link/../a.tif`, roots), PathNotAllowed);
    await assert.rejects(checkPath(`${data}/nosub/../../a.tif`, roots), PathNotAllowed);
    await assert.rejects(checkPath(`${data}/nosub/../a.tif`, roots), PathNotFound);
    assert.equal(await checkPath(`${data}/sub/../a.tif`, roots), join(data, "a.tif"));
    assert.equal(await checkPath(`${folder}/data/../data/a.tif`, roots), join(data, "a.tif"));
    // A path out and back reveals nothing outside.
    for (const name of ["other", "nowhere", "a.tif"]) {
      await assert.rejects(checkPath(`${folder}/${name}/../data/a.tif`, roots), PathNotAllowed, name);
    }
  },
});

/** What becomes of a path on Windows before any file is looked at, with a folder and a share as roots. */
function judgedOnWindows(path: string): "inside" | "outside" | "device" | "relative" {
  const roots = ["C:\\data", "\\\\nas\\scans"];
  const isInside = (way: string) => isInsideRoots(win32.resolve(way), roots, win32);
  if (!win32.isAbsolute(path)) return "relative";
  try {
    checkWindowsPath(path, isInside);
  } catch (error) {
    if (error instanceof UnsupportedFormat) return "device";
    assert(error instanceof PathNotAllowed);
    return "outside";
  }
  return isInside(path) ? "inside" : "outside";
}

/** What Windows takes for another place or for no file, and what only looks so. */
const WINDOWS_PATHS: Record<ReturnType<typeof judgedOnWindows>, string[]> = {
  inside: [
    "C:\\data\\a.tif",
    "C:/data/sub/../a.tif",
    "c:\\DATA\\A.TIF",
    "C:\\data\\console\\com.tif",
    "C:\\data\\icon.tif",
    "C:\\data\\com10.tif",
    // A stream of a file is a part of it; blanks and dots at an end are dropped.
    "C:\\data\\a.tif::$DATA",
    "C:\\data\\a.tif:hidden",
    "C:\\data\\a.tif. .",
    "\\\\nas\\scans\\a.tif",
    "//NAS/Scans/a.tif",
    // The server and the share are the root of such a path.
    "\\\\nas\\scans\\..\\..\\a.tif",
  ],
  outside: [
    "C:\\data\\..\\x.tif",
    "C:\\data\\sub/../..\\x.tif",
    "C:\\data2\\a.tif",
    "C:\\data:stream",
    "C:\\data::$INDEX_ALLOCATION\\a.tif",
    "C:\\data::$INDEX_ALLOCATION\\..\\x.tif",
    // Windows would take these for the root.
    "C:\\data.\\a.tif",
    "C:\\data \\a.tif",
    "D:\\data\\a.tif",
    "\\secret\\a.tif",
    // To look at a path on another machine is to log in there.
    "\\\\nas\\other\\a.tif",
    "\\\\nas@SSL\\scans\\a.tif",
    "\\\\nas.example\\scans\\a.tif",
    "\\\\127.0.0.1\\c$\\data\\a.tif",
    "//localhost/c$/data/a.tif",
    "/\\other\\share/a.tif",
    "\\/other/share/a.tif",
  ],
  device: [
    "\\\\.\\PhysicalDrive0",
    "\\\\.\\C:\\data\\a.tif",
    "\\\\?\\C:\\data\\a.tif",
    "\\\\?\\UNC\\other\\share\\a.tif",
    "\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\a.tif",
    "//./pipe/x",
    "//?/C:/data/a.tif",
    "\\??\\C:\\data\\a.tif",
    "/??/UNC/other/share/a.tif",
    "C:\\data\\CON",
    "C:\\data\\con.tif",
    "C:\\data\\NUL\\a.tif",
    "C:\\data\\nul:x",
    "C:\\data\\CON ",
    "C:\\data\\aux .tif",
    "C:\\COM1",
    "C:\\data\\com¹.tif",
    "C:\\data\\lpt9.ome.tif",
    "C:\\data\\CONIN$",
  ],
  relative: ["C:a.tif", "C:..\\x.tif", "C:", "a.tif", "..\\x.tif", "~\\a.tif", "file:///C:/data/a.tif"],
};

Deno.test("Windows: rejects paths to other machines, devices and missing files", () => {
  for (const [verdict, paths] of Object.entries(WINDOWS_PATHS)) {
    for (const path of paths) assert.equal(judgedOnWindows(path), verdict, path);
  }
});

Deno.test({
  name: "Windows: no path leads out of a root, however it is written",
  ignore: Deno.build.os !== "windows",
  async fn() {
    using temporary = temporaryFolder();
    const { path: folder } = temporary;
    const data = join(folder, "data");
    Deno.mkdirSync(join(data, "sub"), { recursive: true });
    for (const place of [data, folder, folder + "/data2"]) {
      Deno.mkdirSync(place, { recursive: true });
      Deno.writeTextFileSync(join(place, "x.tif"), "x");
    }
    const roots = [{ written: data, resolved: data }];
    const isInside = (way: string) => isInsideRoots(way, [data]);
    const drive = data.slice(0, 2);
    const tricks = [
      ...[".. \\x.tif", "..  \\x.tif", "... \\x.tif", "...\\x.tif", ". .\\x.tif", "..\\x.tif", "../x.tif"],
      ...[
        "sub\\.. \\.. \\x.tif",
        "sub\\..\\..\\x.tif",
        "..::$INDEX_ALLOCATION\\x.tif",
        "sub\\..\\..\\x.tif::$DATA",
      ],
      ...[
        "..\\data2\\x.tif",
        "..\\DATA2\\X.TIF",
        ".\\..\\x.tif",
        "..%5cx.tif",
        "..\u2215x.tif",
        "..\uff0fx.tif",
      ],
    ].map((way) => `${data}\\${way}`);
    const whole = [
      ...[`${data}2\\x.tif`, `${data}.\\..\\x.tif`, `${data} \\..\\x.tif`, `${data}::$DATA\\..\\x.tif`],
      ...[`\\\\?\\${folder}\\x.tif`, `\\\\.\\${folder}\\x.tif`, `\\??\\${folder}\\x.tif`],
      ...[`\\\\localhost\\${drive[0]}$${folder.slice(2)}\\x.tif`, `${folder.slice(2)}\\x.tif`],
    ];
    for (const path of [...tricks, ...whole]) {
      const judged = (async () => {
        checkWindowsPath(path, isInside);
        return await checkPath(path, roots);
      })();
      const errors = [PathNotAllowed, PathNotFound, UnsupportedFormat];
      await assert.rejects(judged, (error) => errors.some((kind) => error instanceof kind), path);
    }
    for (const path of [`${data}\\x.tif`, `${data.toUpperCase()}\\X.TIF`, `${data}\\sub\\..\\x.tif`]) {
      assert.equal((await checkPath(path, roots)).toLowerCase(), join(data, "x.tif").toLowerCase());
    }
  },
});
