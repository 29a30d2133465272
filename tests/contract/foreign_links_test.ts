/** What pages of other sites get through symbolic links that leave the folder of the chosen file: nothing, in every format. */
import { deepEqual, equal, notDeepEqual, ok } from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ReaderError } from "../../readers/errors.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { StopFlag } from "../../readers/io/stop_flag.ts";
import { FIXTURES, SETS } from "../fixtures/sets.ts";
import { loadHere } from "../load_here.ts";
import { hashOf } from "../planes.ts";
import { NO_LINKS } from "../no_links.ts";
import { copy, inFolder, temporaryFolder } from "../temporary_files.ts";
import { Harness, type HarnessOptions } from "./harness.ts";

const FOREIGN = { origin: "https://example.org" };

/** What clients see, or the refusal. */
async function seen(path: string, keepsLinks: boolean): Promise<unknown> {
  try {
    const { summary: { indexBytes: _, ...summary }, planes, referencePlanes } = await loadHere(path, {
      keepsLinks,
    });
    return { summary, planes: [...planes, ...referencePlanes].map(hashOf) };
  } catch (error) {
    if (error instanceof ReaderError) return `${error.tag}: ${error.message}`;
    throw error;
  }
}

/** Puts a set into a folder. Returns the path that is opened. */
function putSet(name: string, folder: string): string {
  const from = SETS[name]!;
  if (typeof from !== "string") return join(folder, from(folder));
  const whole = join(FIXTURES, from);
  const parent = dirname(dirname(whole));
  const own = basename(parent) === "fixtures" ? dirname(whole) : parent;
  copy(own, folder);
  return join(folder, whole.slice(own.length + 1));
}

function* entriesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield join(folder, name);
    if (isDirectory) yield* entriesBelow(join(folder, name));
  }
}

for (const name of NO_LINKS ? [] : Object.keys(SETS)) {
  Deno.test(`${name}: a foreign page does not follow links out of the folder`, () =>
    inFolder(async (_, folder) => {
      using outside = temporaryFolder();
      const place = outside.at("real");
      const path = putSet(name, folder);
      const sound = await seen(path, true);
      deepEqual(sound, await seen(path, false), "without links all callers get the same");
      let followed = 0;
      for (const entry of [...entriesBelow(folder)].filter((one) => !`${path}/`.startsWith(`${one}/`))) {
        Deno.renameSync(entry, place);
        const without = await seen(path, true);
        // Of an entry above the opened path, or of none of this set, nothing changes.
        if (!isDeepStrictEqual(without, sound)) {
          Deno.symlinkSync(place, entry);
          const own = await seen(path, false);
          if (typeof own !== "string") followed += isDeepStrictEqual(planesOf(own), planesOf(sound)) ? 1 : 0;
          const foreign = await seen(path, true);
          notDeepEqual(foreign, sound, `${entry} is followed`);
          // Stores refuse what exists and cannot be read, and an OIR file names it.
          if (name.includes("OIR")) deepEqual(planesOf(foreign), planesOf(without), entry);
          else if (!name.includes("OME-Zarr")) deepEqual(foreign, without, `${entry} is not missing`);
          Deno.removeSync(entry);
        }
        Deno.renameSync(place, entry);
      }
      ok(followed > 0 || name.includes("OME-Zarr"), "the server's own page follows no link");
    }));
}

const planesOf = (one: unknown) => (one as { planes: unknown }).planes;

/** Opens as the user picks it, and again for a foreign page. Returns the numbers of time points and the codes of warnings. */
async function pick(path: string, headers: Record<string, string>, options: HarnessOptions = {}) {
  await using server = new Harness({ pick: () => Promise.resolve(path), ...options });
  const factsOf = async (response: Response) => {
    const body = await response.json();
    equal(response.status, 200, JSON.stringify(body));
    return [body.header.sizes.T ?? 1, body.warningCodes.join()];
  };
  const response = await server.post("/api/v2/pick-and-open", {}, { headers });
  const { sessionId } = await response.clone().json();
  const again = await server.post(`/api/v2/sessions/${sessionId}/open`, {}, { headers: FOREIGN });
  return { opened: await factsOf(response), again: await factsOf(again) };
}

for (const [set, linked] of NO_LINKS ? [] : [["a stack of Micro-Manager", "a_MMStack_1.ome.tif"]] as const) {
  Deno.test(`${set}: links are followed for the server's own page, not for others or with --dialog-only`, () =>
    inFolder(async (_, folder) => {
      using outside = temporaryFolder();
      const path = putSet(set, folder);
      Deno.renameSync(join(folder, linked), outside.at("object"));
      const missing = await pick(path, {});
      Deno.symlinkSync(outside.at("object"), join(folder, linked));
      const own = await pick(path, {});
      notDeepEqual(own.opened, missing.opened);
      deepEqual(own.again, missing.opened, "a foreign page opens the user's own session again");
      deepEqual((await pick(path, FOREIGN)).opened, missing.opened);
      for (const headers of [{}, FOREIGN]) {
        deepEqual((await pick(path, headers, { dialogOnly: true })).opened, missing.opened);
      }
    }));
}

Deno.test("a folder of links into the folder itself, or beside it without links, stays readable", () =>
  inFolder((put, folder) => {
    if (NO_LINKS) return;
    const path = put("set/a.tif", "a");
    put("set/objects/b", "b");
    put("beside/c.tif", "c");
    Deno.symlinkSync("objects/b", join(folder, "set/b.tif"));
    Deno.symlinkSync("../beside", join(folder, "set/away"));
    using files = new FileAccess(null, new StopFlag(), path);
    equal(files.kind(join(folder, "set/b.tif")), "file");
    equal(files.kind(join(folder, "beside/c.tif")), "file", "a sibling folder is reached without a link");
    equal(files.kind(join(folder, "set/away/c.tif")), null);
    // Links that lead to links: out of the folder, by a folder, and out of it and back.
    Deno.symlinkSync("away", join(folder, "set/twice"));
    Deno.symlinkSync("twice/c.tif", join(folder, "set/thrice.tif"));
    Deno.symlinkSync("../set/objects", join(folder, "beside/back"));
    Deno.symlinkSync("../beside/back/b", join(folder, "set/round.tif"));
    for (const name of ["set/twice/c.tif", "set/thrice.tif", "set/objects/../away/c.tif"]) {
      equal(files.kind(join(folder, name)), null, name);
      equal(files.kind(`${folder}/${name}`), null, name);
      equal(files.openNeighbour(`${folder}/${name}`), null, name);
    }
    equal(files.kind(join(folder, "set/round.tif")), "file", "it ends in the folder");
    equal(files.openNeighbour(join(folder, "set/away/c.tif")), null);
    deepEqual(files.list(join(folder, "set")), ["a.tif", "b.tif", "objects", "round.tif"]);
    deepEqual(files.list(join(folder, "set/away")), []);
  }));
