/** Files beside an acquisition that are not part of it: copies, and what macOS leaves on other disks. They change nothing. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { basename, dirname, extname, join } from "node:path";
import { FIXTURES, SETS } from "../fixtures/sets.ts";
import { loadHere } from "../load_here.ts";
import { hashOf } from "../planes.ts";
import { copy, inFolder } from "../temporary_files.ts";

/** What clients see of an acquisition. */
async function seen(path: string) {
  const { summary: { indexBytes: _, ...summary }, planes, referencePlanes } = await loadHere(path);
  return { summary, planes: [...planes, ...referencePlanes].map(hashOf) };
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}

/** The start of an AppleDouble file. */
const APPLE_DOUBLE = Uint8Array.of(0, 5, 22, 7, 0, 2, 0, 0, ...new TextEncoder().encode("Mac OS X        "));

/** Names of copies, as programs and users make them. */
const COPIES: readonly ((stem: string, end: string) => string)[] = [
  (stem, end) => `MAX_${stem}${end}`,
  (stem, end) => `filt_${stem}${end}`,
  (stem, end) => `${stem} - Copy${end}`,
  (stem, end) => `${stem} copy${end}`,
  (stem, end) => `Copy of ${stem}${end}`,
];

/** The parts of a name; an extension may be compound. */
function partsOf(path: string): [stem: string, end: string] {
  const name = basename(path);
  const end = /\.(?:ome\.tiff?|companion\.ome)$/i.exec(name)?.[0] ?? extname(name);
  return [name.slice(0, name.length - end.length), end];
}

for (const [name, from] of Object.entries(SETS)) {
  Deno.test(`${name}: copies and AppleDouble files beside it change nothing`, () =>
    inFolder(async (_, folder) => {
      let path: string;
      if (typeof from === "string") {
        // The acquisition alone: its folder, or the files that are named like it.
        const whole = join(FIXTURES, from);
        const parent = dirname(dirname(whole));
        const own = basename(parent) === "fixtures" ? dirname(whole) : parent;
        copy(own, folder);
        path = join(folder, whole.slice(own.length + 1));
      } else path = join(folder, from(folder));
      const expected = await seen(path);
      const files = [...filesBelow(folder)];
      ok(files.length > 1);
      for (const file of files) {
        Deno.writeFileSync(join(dirname(file), `._${basename(file)}`), APPLE_DOUBLE);
      }
      deepEqual(await seen(path), expected);
      for (const file of files.filter((one) => /\.(?:tiff?|oir|czi)$|_\d{5}$/i.test(one))) {
        const [stem, end] = partsOf(file);
        for (const copyName of COPIES) copy(file, join(dirname(file), copyName(stem, end)));
      }
      deepEqual(await seen(path), expected);
    }));
}

Deno.test("an OIF is not the copies beside its planes, of which there are more", () =>
  inFolder(async (_, folder) => {
    for (const part of ["series.oif", "series.oif.files"]) {
      copy(join(FIXTURES, "oif", part), join(folder, part));
    }
    const path = join(folder, "series.oif");
    const expected = await seen(path);
    const below = `${path}.files`;
    const planes = [...Deno.readDirSync(below)].filter(({ name }) => name.endsWith(".tif"));
    for (const [i, { name }] of planes.entries()) {
      const other = planes[planes.length - 1 - i]!.name;
      for (const prefix of ["a_", "filt_", ""]) {
        const stored = prefix === "" ? name.replace(".tif", "T001.tif") : prefix + name;
        copy(join(below, other), join(below, stored));
      }
    }
    equal((await seen(path)).planes.length, expected.planes.length);
    deepEqual(await seen(path), expected);
  }));
