/** `POST /api/v2/list`: what it lists, what it leaves out, and each error. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import type { z } from "zod";
import { ListResponse } from "../../schemas/http.ts";
import type { ErrorCode } from "../../schemas/served.ts";
import { formatFileSize } from "../../session/file_size.ts";
import { SUPPORTED_EXTENSIONS } from "../../readers/formats.ts";
import { listFolder } from "../../session/folder_listing.ts";
import { run } from "../child_process.ts";
import { until } from "../deadline.ts";
import { writeCzi } from "../fixtures/czi_writer.ts";
import { frame, ramp } from "../fixtures/oir_files.ts";
import { continuationBlocks, oirFile, writeOir } from "../fixtures/oir_writer.ts";
import { omeImage, omeXml, tiffData } from "../fixtures/ome_xml.ts";
import { filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { NO_LINKS } from "../no_links.ts";
import { inFolder, withFiles } from "../temporary_files.ts";
import { expectError, Harness, type HarnessOptions } from "./harness.ts";
import { programTest } from "../programs.ts";

const FIXTURES = join(import.meta.dirname!, "../fixtures");

const ramp16 = (count: number, first: number) => new Uint8Array(ramp(count, first).buffer);

/** A frame of {@linkcode frame}. */
const pages = (axes: string, seed: number) => ({ axes, planes: [ramp(20, seed), ramp(20, 100 + seed)] });

type Listing = z.infer<typeof ListResponse>;

/** Lists and expects success. */
async function listed(server: Harness, path: string, contains?: string): Promise<Listing> {
  const response = await server.post("/api/v2/list", { path, ...contains !== undefined && { contains } });
  equal(response.headers.get("cache-control"), "no-store");
  const body = await response.json();
  equal(response.status, 200, JSON.stringify(body));
  return ListResponse.parse(body);
}

const kinds = ({ entries }: Listing) => entries.map(({ kind, name, format }) => `${kind} ${name} ${format}`);

async function refused(
  path: unknown,
  status: number,
  code: ErrorCode,
  options: HarnessOptions = {},
  headers = {},
) {
  await using server = new Harness(options);
  return await expectError(server.post("/api/v2/list", { path }, { headers }), status, code);
}

Deno.test("lists the acquisitions, collections and folders of a folder by name", () =>
  withFiles({
    "b.tif": "12345",
    "a.oir": "123",
    "a_00001": "4567",
    "Zarr.ome.zarr/.zgroup": "{}",
    "unnamed/zarr.json": "{}",
    "NDTiff/Full resolution/NDTiff.index": "",
    "experiment/collection.json": "{}",
    "plain/deep/collection.json": "{}",
    "notes.txt": "",
    ".hidden.tif": "",
    ".git/config": "",
  }, async (path, folder) => {
    const seconds = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
    Deno.utimeSync(path, seconds, seconds);
    Deno.utimeSync(join(folder, "a.oir"), seconds, seconds + 60);
    Deno.utimeSync(join(folder, "a_00001"), seconds, seconds - 60);
    await using server = new Harness();
    const listing = await listed(server, folder);
    deepEqual([listing.path, listing.truncated], [folder, false]);
    deepEqual(kinds(listing), [
      "image NDTiff tif",
      "image Zarr.ome.zarr ome.zarr",
      "image a.oir oir",
      "image b.tif tif",
      "collection experiment collection",
      "folder plain null",
      "image unnamed ome.zarr",
    ]);
    const files = listing.entries.filter(({ bytes }) => bytes !== null);
    deepEqual(files, [
      {
        name: "a.oir",
        path: join(folder, "a.oir"),
        kind: "image",
        format: "oir",
        bytes: 3 + 4,
        modified: "2026-01-02T03:05:05.000Z",
      },
      { name: "b.tif", path, kind: "image", format: "tif", bytes: 5, modified: "2026-01-02T03:04:05.000Z" },
    ]);
    for (const { modified } of listing.entries) match(modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    deepEqual(kinds(await listed(server, join(folder, "unnamed"))), []);
  }));

Deno.test("does not list what the operator does not allow", () =>
  withFiles({
    "a.tif": "",
    "b.oir": "",
    "c.ome.zarr/zarr.json": "{}",
    "d/collection.json": "{}",
    "e/NDTiff.index": "",
  }, async (_path, folder) => {
    await using server = new Harness({ allowedExtensions: [".oir"] });
    deepEqual(kinds(await listed(server, folder)), [
      "image b.oir oir",
      "folder c.ome.zarr null",
      "folder d null",
      "folder e null",
    ]);
  }));

Deno.test("lists the files that the reader opens together as parts of one entry", async () => {
  await using server = new Harness();
  const scans = Deno.readDirSync(join(FIXTURES, "prairie")).filter(({ isDirectory }) => isDirectory);
  const folders = ["oir", "oif", "czi", ...scans.map(({ name }) => join("prairie", name))];
  let sets = 0;
  for (const name of folders) {
    for (const entry of (await listed(server, join(FIXTURES, name))).entries) {
      if (entry.kind !== "image" || entry.bytes === null) continue;
      const { source, header } = await server.open(entry.path);
      deepEqual(
        [entry.name, entry.path, entry.format, formatFileSize(entry.bytes)],
        [source.name, source.path, source.format, header.fileSize],
      );
      if (entry.bytes !== Deno.statSync(entry.path).size) sets += 1;
    }
  }
  // long.oir, split.czi, five OIF, and six scans of Prairie View.
  equal(sets, 13);
});

/** A document of its own, as copies have. */
const czi = (first: number) =>
  writeCzi({ subblocks: [{ dims: [["X", 0, 4], ["Y", 0, 4]], data: ramp16(16, first) }] }).bytes;

Deno.test("lists each recording of its own, and hides the parts of others, whatever their names", () => {
  const oir = frame({ frames: [1, 2].map((t) => pages(`t00${t}`, t)) });
  const later = [3, 4].map((t) => oirFile(continuationBlocks(oir, [pages(`t00${t}`, t)])));
  const split = (name: string) => Deno.readFileSync(join(FIXTURES, "czi", name));
  return withFiles({
    "a.czi": czi(1),
    "a (1).czi": czi(2),
    "a(2).czi": czi(3),
    // Parts of a document whose first file is here, and is not.
    "split.czi": split("split.czi"),
    "split (1).czi": split("split (1).czi"),
    "split(2).czi": split("split(2).czi"),
    "b.czi": czi(4),
    "b (1).czi": split("split (1).czi"),
    "damaged.czi": czi(5),
    "damaged (1).czi": "ZISRAWFILE",
    // Continuations, then another recording with frames or a date of its own.
    "m.oir": writeOir(oir),
    "m_00001.oir": later[0]!,
    "m_00002": later[1]!,
    "n.oir": writeOir(oir),
    "n_00001.oir": writeOir(oir),
    "o.oir": writeOir(oir),
    "o_00001.oir": writeOir({ ...oir, created: "2024-01-01T00:00:00", frames: [pages("t003", 3)] }),
  }, async (_path, folder) => {
    await using server = new Harness();
    const listing = await listed(server, folder);
    deepEqual(listing.entries.map(({ name }) => name), [
      ...["a (1).czi", "a(2).czi", "a.czi", "b (1).czi", "b.czi", "damaged (1).czi", "damaged.czi"],
      ...["m.oir", "n.oir", "n_00001.oir", "o.oir", "o_00001.oir", "split.czi"],
    ]);
    deepEqual(listing.warnings, []);
    // What is listed opens as itself, and what is hidden as a part of what is listed.
    const size = async (name: string) => (await server.open(join(folder, name))).header.fileSize;
    for (const { name, path, bytes } of listing.entries) {
      if (!/^(?:b \(1|damaged \()/.test(name)) deepEqual(await size(name), formatFileSize(bytes!), path);
    }
    deepEqual(await size("split (1).czi"), await size("split.czi"));
    deepEqual(await size("m_00001.oir"), await size("m.oir"));
    // The roots hold for headers, too.
    const roots = [{ written: folder, resolved: folder }];
    await using limited = new Harness({ roots });
    deepEqual((await listed(limited, folder)).entries, listing.entries);
  });
});

Deno.test("lists TIFF files that are named like parts of others but belong to no set", () => {
  const gray = grayLayout(4, 3, 16);
  const plain = filledPages(1, [], 1, gray);
  const set = (name: string, index: number) => {
    const named = (file: string, t: number) => tiffData({ FirstT: t }, file, t);
    const image = omeImage({ SizeX: 4, SizeY: 3, SizeT: 2 }, [
      named(`${name}_C0.ome.tif`, 0),
      named(`${name}_C1.ome.tif`, 1),
    ]);
    return filledPages(1, [[270, 2, omeXml(image, String(index))]], index, gray);
  };
  const own = (index: number) => {
    const image = omeImage({ SizeX: 4, SizeY: 3 }, [tiffData({})]);
    return filledPages(1, [[270, 2, omeXml(image)]], index, gray);
  };
  return withFiles({
    "a_00001_00001.tif": plain,
    "a_00001_00002.tif": plain,
    "b_C001T001.tif": plain,
    "c_C0.ome.tif": own(1),
    "c_C1.ome.tif": own(2),
    // A set between others of its name.
    "s_C0.ome.tif": set("s", 0),
    "s_C1.ome.tif": set("s", 1),
    "s_C0_T1.ome.tif": own(3),
    "s_C2.ome.tif": own(4),
    "x_MMStack_1.ome.tif": own(5),
    "x_MMStack_2.ome.tif": own(6),
  }, async (_path, folder) => {
    await using server = new Harness();
    const { entries, warnings } = await listed(server, folder);
    deepEqual(entries.map(({ name }) => name), [
      ...["a_00001_00001.tif", "a_00001_00002.tif", "b_C001T001.tif", "c_C0.ome.tif", "c_C1.ome.tif"],
      ...["s_C0.ome.tif", "s_C0_T1.ome.tif", "s_C2.ome.tif", "x_MMStack_1.ome.tif", "x_MMStack_2.ome.tif"],
    ]);
    deepEqual(warnings, []);
  });
});

Deno.test("lists an image that is named like one of a scan of Prairie View, but not in its document", () =>
  inFolder(async (put, folder) => {
    const scan = join(FIXTURES, "prairie", "TSeries-01022020-1030-003");
    for (const { name, isFile } of Deno.readDirSync(scan)) {
      if (isFile) put(name, Deno.readFileSync(join(scan, name)));
    }
    await using server = new Harness();
    const before = (await listed(server, folder)).entries.map(({ name }) => name);
    const image = [...Deno.readDirSync(folder)].map(({ name }) => name).find((name) =>
      /_Ch\d+_\d+/.test(name)
    )!;
    put(`MAX_${image}`, Deno.readFileSync(join(folder, image)));
    const after = (await listed(server, folder)).entries.map(({ name }) => name);
    deepEqual(after, [...before, `MAX_${image}`].sort());
  }));

Deno.test("opens no file unless names alone would hide it", () =>
  withFiles(
    { "a.czi": czi(1), "b_00001.oir": "", "b_00001": "", "c.oir": "", "c_00001": "" },
    async (_path, folder) => {
      const asked: string[] = [];
      const rules = { roots: null, allowedExtensions: SUPPORTED_EXTENSIONS, loadTimeoutSeconds: 9 };
      const { entries } = await listFolder(folder, rules, new AbortController().signal, (named) => {
        asked.push(...named.map(({ path }) => path));
        return Promise.resolve(named.map(() => true));
      });
      deepEqual([entries.map(({ name }) => name), asked], [["a.czi", "b_00001.oir", "c.oir"], []]);
    },
  ));

/** Lists a folder without a server. */
const listHere = (folder: string, isPart: boolean, allowedExtensions = SUPPORTED_EXTENSIONS) => {
  const rules = { roots: null, allowedExtensions, loadTimeoutSeconds: 9 };
  const { signal } = new AbortController();
  return listFolder(folder, rules, signal, (named) => Promise.resolve(named.map(() => isPart)));
};

Deno.test("reads the headers of at most 1,000 files, and says how many more may be hidden", () =>
  inFolder(async (put, folder) => {
    put("a.czi", "");
    for (let i = 1; i <= 1002; i += 1) put(`a (${i}).czi`, "");
    await using server = new Harness();
    const { entries, warnings, warningCodes } = await listed(server, folder);
    deepEqual([entries.length, warningCodes], [1001, ["content_left_out"]]);
    match(warnings[0]!, /without a look at them: 2$/);
    deepEqual((await listHere(folder, false, [".tif"])).warnings, []);
  }));

Deno.test("names files that the system cannot look at", () =>
  withFiles({ "a.tif": "1", "b.tif": "2" }, async (_path, folder) => {
    const { stat } = Deno;
    const fault = Object.assign(new Error("EIO"), { code: "EIO" });
    Deno.stat = (path) => String(path).endsWith("b.tif") ? Promise.reject(fault) : stat(path);
    try {
      const { entries, warnings, warningCodes } = await listHere(folder, true);
      deepEqual(entries.map(({ name }) => name), ["a.tif"]);
      deepEqual([warnings, warningCodes], [['What cannot be looked at is left out: "b.tif"'], [
        "file_unreadable",
      ]]);
    } finally {
      Deno.stat = stat;
    }
  }));

programTest(["sh"], {
  name: "names files whose names are not UTF-8",
  ignore: Deno.build.os !== "linux",
  fn: ([sh]) =>
    withFiles({ "b.tif": "1", "replacement \uFFFD.tif": "2" }, async (_path, folder) => {
      // The runtime cannot write such names; the shell can.
      const script = 'cd "$1" && : > "$(printf \'a\\377.tif\')" && mkdir "$(printf \'c\\377\')"';
      const { success } = await run(sh!, { args: ["-c", script, "sh", folder] });
      ok(success);
      await using server = new Harness();
      const listing = await listed(server, folder);
      deepEqual(listing.entries.map(({ name }) => name), ["b.tif", "replacement \uFFFD.tif"]);
      deepEqual(listing.warningCodes, ["file_unreadable"]);
      match(
        listing.warnings[0]!,
        /^Names that are not UTF-8 are left out; rename them: "a\uFFFD.tif", "c\uFFFD"$/,
      );
      // An open says the same as the dialog.
      const path = join(folder, "a\uFFFD.tif");
      const { message } = await expectError(server.post("/api/v2/open", { path }), 404, "path_not_found");
      match(message, /its path is not UTF-8; rename it$/);
    }),
});

Deno.test("names a set whose folder cannot be read to its end, and refuses a folder that cannot", () =>
  withFiles({ "a.oif": "", "a.oif.files/s_C001.tif": "123", "b.tif": "" }, async (_path, folder) => {
    const { readDir } = Deno;
    await using server = new Harness();
    const listing = async (failing: string) => {
      Deno.readDir = async function* (path) {
        yield* readDir(path);
        if (path === failing) throw Object.assign(new Error("stale"), { code: "ESTALE" });
      };
      try {
        return await server.post("/api/v2/list", { path: folder });
      } finally {
        Deno.readDir = readDir;
      }
    };
    const { entries, warnings, warningCodes } = ListResponse.parse(
      await (await listing(join(folder, "a.oif.files"))).json(),
    );
    deepEqual(entries.map(({ name }) => name), ["a.oif", "b.tif"]);
    deepEqual(warningCodes, ["file_unreadable"]);
    match(warnings[0]!, /^What cannot be looked at is left out: "a.oif.files"$/);
    match((await expectError(await listing(folder), 500, "decode_failed")).message, /ESTALE/);
  }));

Deno.test("follows links inside the roots only", { ignore: NO_LINKS }, () =>
  withFiles({
    "in/a.tif": "123",
    "in/b.tif": "",
    "out/secret.tif": "",
    "out/store/zarr.json": "{}",
    "in/marked/c.tif": "",
  }, async (path, folder) => {
    const link = (name: string, target: string) => Deno.symlinkSync(target, join(folder, "in", name));
    link("leaving.tif", "../out/secret.tif");
    link("leaving", "../out");
    link("staying.tif", "a.tif");
    link("dangling.tif", "none.tif");
    link("circle.tif", "circle.tif");
    link("marked/zarr.json", "../../out/store/zarr.json");
    Deno.symlinkSync(join(folder, "in"), join(folder, "to"));
    const root = { written: join(folder, "to"), resolved: join(folder, "in") };
    await using limited = new Harness({ roots: [root] });
    const inside = ["image a.tif tif", "image b.tif tif", "folder marked null", "image staying.tif tif"];
    for (const written of [join(folder, "in"), join(folder, "to"), join(folder, "in", "..", "in")]) {
      const listing = await listed(limited, written);
      deepEqual([listing.path, kinds(listing)], [join(folder, "in"), inside]);
      deepEqual(listing.entries.at(-1)!.bytes, Deno.statSync(path).size);
    }
    await using free = new Harness();
    deepEqual(kinds(await listed(free, join(folder, "in"))), [
      "image a.tif tif",
      "image b.tif tif",
      "folder leaving null",
      "image leaving.tif tif",
      "image marked ome.zarr",
      "image staying.tif tif",
    ]);
    const outside = [join(folder, "out"), join(folder, "none"), folder, join(folder, "in", "leaving")];
    for (const one of outside) await refused(one, 403, "path_not_allowed", { roots: [root] });
  }));

Deno.test("lists at most 10,000 entries", () =>
  inFolder(async (put, folder) => {
    for (let i = 0; i < 10_000; i += 1) put(`s${String(i).padStart(5, "0")}.tif`, "");
    await using server = new Harness();
    const all = await listed(server, folder);
    deepEqual([all.entries.length, all.truncated], [10_000, false]);
    put("a.tif", "");
    put("t.txt", "");
    const cut = await listed(server, folder);
    deepEqual(
      [cut.entries.length, cut.truncated, cut.entries[0]!.name, cut.entries.at(-1)!.name],
      [10_000, true, "a.tif", "s09998.tif"],
    );
    const some = await listed(server, folder, "S0999");
    deepEqual(some.entries.map(({ name }) => name), Array.from({ length: 10 }, (_, i) => `s0999${i}.tif`));
    equal(some.truncated, false);
    deepEqual((await listed(server, folder, "none")).entries, []);
  }));

Deno.test("rejects a path that is not a folder like one that cannot be opened", () =>
  withFiles({ "a.tif": "", "z.ome.zarr.zip": "" }, async (path, folder) => {
    match((await refused(path, 415, "unsupported_format")).message, /is a file, not a folder/);
    const missing = [
      join(folder, "none"),
      join(path, "below"),
      `${path}/`,
      join(folder, "z.ome.zarr.zip", "inside"),
    ];
    for (const one of missing) await refused(one, 404, "path_not_found");
    if (Deno.build.os === "linux") await refused("/dev/null", 415, "unsupported_format");
  }));

Deno.test("a request is judged like that of an open", () =>
  withFiles({ "a.tif": "" }, async (_path, folder) => {
    const foreign = { origin: "https://example.org" };
    await refused(folder, 403, "origin_not_allowed", {}, foreign);
    await refused("a", 422, "request_validation_failed", {}, foreign);
    const roots = [{ written: "/nowhere", resolved: "/nowhere" }];
    await refused(folder, 403, "origin_not_allowed", { roots }, foreign);
    match((await refused(folder, 403, "path_not_allowed", { dialogOnly: true })).message, /dialog/);
    for (const path of [undefined, 7, "a", "/a\0b"]) {
      const { details } = await refused(path, 422, "request_validation_failed");
      deepEqual(details![0]!.location, ["body", "path"], String(path));
    }
    await using server = new Harness({ allowedOrigins: ["https://example.org"] });
    equal((await server.post("/api/v2/list", { path: folder }, { headers: foreign })).status, 200);
    const more = await expectError(
      server.post("/api/v2/list", { path: "/", scene: 0 }),
      422,
      "request_validation_failed",
    );
    deepEqual(more.details![0]!.location, ["body", "scene"]);
    server.stopping = true;
    await expectError(server.post("/api/v2/list", { path: "/" }), 503, "shutting_down");
  }));

Deno.test("ends a listing at the load time-out and with the server", {
  // What is being looked at when a listing is given up is looked at to its end.
  sanitizeOps: false,
  sanitizeResources: false,
}, () =>
  inFolder(async (put, folder) => {
    for (let i = 0; i < 2_000; i += 1) put(`${i}.tif`, "");
    await using server = new Harness({ loadTimeoutSeconds: 5 });
    const list = server.opener.list.bind(server.opener);
    let begins = false;
    server.opener.list = (...asked) => {
      begins = true;
      return list(...asked);
    };
    const late = server.post("/api/v2/list", { path: folder });
    await until(() => begins, "the begin of the listing");
    server.clock.move(5_000);
    match((await expectError(await late, 504, "load_timeout")).message, /^Listing .* longer than 5 s/);
    server.stopWork();
    await expectError(server.post("/api/v2/list", { path: folder }), 503, "shutting_down");
  }));
