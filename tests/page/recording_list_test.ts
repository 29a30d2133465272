/** The recordings of a folder: which is open, which come before and after, what is new and what grows. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { AcqError } from "../../static/client/v2/acq-client.ts";
import { findFolder, RecordingList } from "../../static/demo/v2/opening/recording_list.ts";

type Listing = Awaited<ReturnType<ConstructorParameters<typeof RecordingList>[0]>>;
type Entry = Listing["entries"][number];

const entry = (path: string, bytes = 1, kind: Entry["kind"] = "image"): Entry => ({
  name: path.split("/").at(-1)!,
  path,
  kind,
  format: kind === "folder" ? null : "tif",
  bytes,
  modified: `2026-01-02T03:04:05.${String(bytes).padStart(3, "0")}Z`,
});

const LISTING: Omit<Listing, "path" | "entries"> = {
  ok: true,
  apiVersion: "v2",
  truncated: false,
  warnings: [],
  warningCodes: [],
};

/** A list over folders that the test changes, and what it emits. */
function listOf(folders: Record<string, Entry[] | Error>) {
  const asked: string[] = [];
  const list = new RecordingList((folder) => {
    asked.push(folder);
    const entries = folders[folder] ?? new AcqError("path_not_found", "nothing exists there");
    if (entries instanceof Error) return Promise.reject(entries);
    return Promise.resolve({ ...LISTING, path: folder, entries });
  });
  const heard: string[] = [];
  list.on("changed", () => heard.push("changed"));
  list.on("arrived", ({ names }) => heard.push(`arrived ${names.join(" ")}`));
  const names = () => list.recordings.map(({ name, isGrowing }) => isGrowing ? `${name}…` : name);
  return { list, asked, heard: () => heard.splice(0), names };
}

Deno.test("finds the folder of a path, on any system", () => {
  const cases = {
    "/d/a.tif": "/d/",
    "/a.tif": "/",
    "C:\\d\\a.tif": "C:\\d\\",
    "/d/a.zarr/": "/d/",
    "a": "",
    "": "",
  };
  for (const [path, folder] of Object.entries(cases)) equal(findFolder(path), folder, path);
});

Deno.test("sorts the recordings of a folder by their numbers, without folders", async () => {
  const { list, names } = listOf({
    "/d/": [
      entry("/d/c", 1, "collection"),
      entry("/d/f", 1, "folder"),
      entry("/d/s10.tif"),
      entry("/d/s2.tif"),
    ],
  });
  await list.follow("/d/s2.tif", "/d/s2.tif");
  deepEqual(names(), ["c", "s2.tif", "s10.tif"]);
  equal(list.index, 1);
  deepEqual([list.beside(-1)?.name, list.beside(1)?.name], ["c", "s10.tif"]);
  await list.follow("/d/s10.tif", "/d/s10.tif");
  deepEqual([list.index, list.beside(1)], [2, null]);
  // A part of a set that the list shows under another name.
  await list.follow("/d/s10_00001", "");
  deepEqual([list.index, list.beside(-1), list.beside(1)], [-1, null, null]);
});

Deno.test("keeps the folder for a link of the list, and changes it for any other path", async () => {
  const { list, names, asked } = listOf({
    "/d/": [entry("/d/link.tif"), entry("/d/s.tif")],
    "/e/": [entry("/e/target.tif"), entry("/e/t.tif")],
  });
  await list.follow("/d/s.tif", "/d/s.tif");
  await list.follow("/e/target.tif", "/d/link.tif");
  deepEqual([names(), list.index], [["link.tif", "s.tif"], 0]);
  await list.follow("/e/target.tif", "");
  deepEqual([names(), list.index], [["t.tif", "target.tif"], 1]);
  await list.follow("", "");
  deepEqual([names(), list.index], [[], -1]);
  deepEqual(asked, ["/d/", "/d/", "/e/"]);
});

Deno.test("keeps the list if the server is unreachable, and empties it on a rejection", async () => {
  const folders: Record<string, Entry[] | Error> = { "/d/": [entry("/d/s1.tif"), entry("/d/s2.tif")] };
  const { list, names, heard } = listOf(folders);
  await list.follow("/d/s1.tif", "");
  for (const code of ["server_unreachable", "load_timeout", "shutting_down"]) {
    folders["/d/"] = new AcqError(code, code);
    await list.look();
    equal(names().length, 2, code);
  }
  heard();
  folders["/d/"] = new AcqError("path_not_allowed", "outside");
  await list.look();
  deepEqual([names(), heard()], [[], ["changed"]]);
});

Deno.test("merges concurrent checks, and drops a late answer of another folder", async () => {
  const answers: ((listing: Listing) => void)[] = [];
  const list = new RecordingList(() => new Promise((answer) => answers.push(answer)));
  const give = (i: number, ...entries: Entry[]) =>
    answers[i]!({ ...LISTING, path: "", entries, truncated: true });
  const first = list.follow("/d/a.tif", "");
  const same = list.look();
  equal(answers.length, 1);
  const other = list.follow("/e/b.tif", "");
  give(1, entry("/e/b.tif"));
  await other;
  give(0, entry("/d/a.tif"));
  await Promise.all([first, same]);
  deepEqual([list.recordings.map(({ path }) => path), list.isCut], [["/e/b.tif"], true]);
});

Deno.test("lists recordings in folders of their own names side by side", async () => {
  const folder = (path: string, seconds = 1) => entry(path, seconds, "folder");
  const folders: Record<string, Entry[] | Error> = {
    "/d/": [folder("/d/L-1"), folder("/d/L-2"), folder("/d/L-10"), folder("/d/other"), entry("/d/a.tif")],
    "/d/L-1/": [entry("/d/L-1/L-1.xml"), folder("/d/L-1/References")],
    "/d/L-1": [entry("/d/L-1/L-1.xml"), folder("/d/L-1/References")],
    "/d/L-2": [entry("/d/L-2/L-2.xml")],
    "/d/L-10": [entry("/d/L-10/L-10.xml")],
    "/d/other": [entry("/d/other/x.tif")],
  };
  const { list, names, asked, heard } = listOf(folders);
  await list.follow("/d/L-1/L-1.xml", "");
  deepEqual([names(), list.index, list.folderName], [["L-1.xml", "L-2.xml", "L-10.xml"], 0, "d"]);
  deepEqual(list.beside(1)?.path, "/d/L-2/L-2.xml");
  // The next one lies elsewhere, and the list stays; only what has changed is looked into again.
  asked.length = 0;
  heard();
  folders["/d/"] = [folder("/d/L-1"), folder("/d/L-2"), folder("/d/L-10", 2), folder("/d/L-11")];
  folders["/d/L-10"] = [entry("/d/L-10/L-10.xml", 5)];
  folders["/d/L-11"] = [entry("/d/L-11/L-11.xml")];
  await list.follow("/d/L-2/L-2.xml", "/d/L-2/L-2.xml");
  deepEqual(asked, ["/d/L-1/", "/d/", "/d/L-10", "/d/L-11"]);
  deepEqual([names(), list.index], [["L-1.xml", "L-2.xml", "L-10.xml…", "L-11.xml…"], 1]);
  deepEqual(heard(), ["changed", "changed", "arrived L-11.xml"]);
  // Where the folder above may not be listed, there is one recording.
  folders["/d/"] = new AcqError("path_not_allowed", "outside");
  await list.look();
  deepEqual(names(), ["L-1.xml"]);
});

Deno.test("lists the folders beside that have recordings, also those in folders of their own", async () => {
  const { list } = listOf({
    "/e/a/": [entry("/e/a/s10.tif"), entry("/e/a/s2.tif")],
    "/e/": ["b", "a", "c10", "c2", "closed"].map((name) => entry(`/e/${name}`, 1, "folder")),
    "/e/a": [entry("/e/a/s10.tif"), entry("/e/a/s2.tif")],
    // As Prairie View writes them.
    "/e/b": [entry("/e/b/one", 1, "folder"), entry("/e/b/two", 1, "folder")],
    "/e/b/one": [entry("/e/b/one/one.xml")],
    "/e/b/two": [entry("/e/b/two/two.xml")],
    "/e/c2": [entry("/e/c2/s1.tif")],
    "/e/c10": [entry("/e/c10/notes", 1, "folder")],
    "/e/c10/notes": [],
    "/e/closed": new AcqError("path_not_allowed", "outside of the roots"),
  });
  await list.follow("/e/a/s2.tif", "/e/a/s2.tif");
  equal(list.parentName, "e");
  const { folders, isCut } = await list.folders();
  deepEqual(folders.map(({ name, recordings }) => [name, ...recordings.map(({ name }) => name)]), [
    ["a", "s2.tif", "s10.tif"],
    ["b", "one.xml", "two.xml"],
    ["c2", "s1.tif"],
  ]);
  equal(isCut, false);
});

Deno.test("says why the folder above cannot be listed", async () => {
  const { list } = listOf({
    "/e/a/": [entry("/e/a/s.tif")],
    "/e/": new AcqError("path_not_allowed", "outside"),
  });
  await list.follow("/e/a/s.tif", "/e/a/s.tif");
  await rejects(list.folders(), { code: "path_not_allowed" });
});
