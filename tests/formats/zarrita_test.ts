/**
 * An independent reader of Zarr beside ours: zarrita.js reads all planes of every OME-Zarr image of the fixtures, and of the shared
 * samples where they lie beside the repository, from the arrays that their documents name. Each image on which the two disagree
 * stands in a table with the reason. Any other outcome fails, also a new agreement.
 */
import { deepEqual, ok } from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { get, open, root } from "zarrita";
import { seedsOf } from "../fuzz/seeds.ts";
import { openHere } from "../load_here.ts";
import { planesAt } from "../planes.ts";

const FIXTURES = ["ome_zarr", "ome_zarr_scenes"].map((name) =>
  fileURLToPath(new URL(`../fixtures/${name}/`, import.meta.url))
);
const NAMED_SAMPLES = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** Without links, which name no roots. */
const SAMPLES = existsSync(NAMED_SAMPLES) ? `${Deno.realPathSync(NAMED_SAMPLES)}/` : NAMED_SAMPLES;

/** How zarrita compares: `equal`, or in what it differs. */
type Outcome = "equal" | "another size" | "other samples" | "not read" | "not read by us" | "read by neither";

/** An image: what we open, and its files by their keys, for zarrita. */
interface Image {
  readonly name: string;
  readonly path: string;
  readonly read: (key: string) => Uint8Array | undefined;
}

/** Distances between neighbours along each axis in samples. */
type Strides = Partial<Record<string, { readonly size: number; readonly step: number }>>;

/** All samples of an array, as numbers. */
interface Samples {
  readonly strides: Strides;
  readonly at: (index: number) => number;
}

interface Multiscales {
  readonly axes?: readonly (string | { readonly name: string })[];
  readonly coordinateSystems?: readonly { readonly axes: readonly { readonly name: string }[] }[];
  readonly datasets: readonly { readonly path: string }[];
}

/** The documents of a group; null without any. */
function readMultiscales({ read }: Image): Multiscales | null {
  const parse = (key: string) => {
    const bytes = read(key);
    return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
  };
  const attributes = parse(".zattrs") ?? parse("zarr.json")?.attributes;
  return (attributes?.ome ?? attributes)?.multiscales?.[0] ?? null;
}

/** The first level, as zarrita reads it. */
async function readTheirs(
  image: Image,
  { axes, coordinateSystems, datasets }: Multiscales,
): Promise<Samples> {
  // Keys of zarrita begin with a slash.
  const store = {
    get: (key: string) => Promise.resolve(image.read(key.slice(1))),
    /** A part of a shard. */
    getRange: (key: string, range: { suffixLength: number } | { offset: number; length: number }) => {
      const bytes = image.read(key.slice(1));
      const part = "suffixLength" in range
        ? bytes?.slice(-range.suffixLength)
        : bytes?.slice(range.offset, range.offset + range.length);
      return Promise.resolve(part);
    },
  };
  const array = await open(root(store).resolve(datasets[0]!.path), { kind: "array" });
  const { data, shape, stride } = await get(array) as {
    data: ArrayLike<number | bigint> & { get?(index: number): boolean };
    shape: number[];
    stride: number[];
  };
  const named = axes ?? coordinateSystems?.[0]?.axes ?? [..."tczyx"];
  const letters = named.map((axis) => (typeof axis === "string" ? axis : axis.name).toLowerCase());
  return {
    strides: Object.fromEntries(letters.map((letter, i) => [letter, { size: shape[i]!, step: stride[i]! }])),
    at: (index) => Math.fround(Number(data.get === undefined ? data[index] : data.get(index))),
  };
}

/** Whether a plane has the samples of the array at a position. */
function isPlane(plane: Float32Array, { strides, at }: Samples, position: Record<string, number>): boolean {
  const [rows, columns] = ["y", "x"].map((axis) => strides[axis] ?? { size: 1, step: 0 });
  const start = Object.entries(position)
    .reduce((sum, [axis, index]) => sum + index * (strides[axis]?.step ?? 0), 0);
  for (let y = 0; y < rows!.size; y += 1) {
    for (let x = 0; x < columns!.size; x += 1) {
      const wanted = at(start + y * rows!.step + x * columns!.step);
      if (!Object.is(plane[y * columns!.size + x], wanted)) return false;
    }
  }
  return true;
}

/** Compares all planes of a file with an array. */
function compareWithOurs({ path }: Image, theirs: Samples | null): Promise<Outcome> {
  const count = (axis: string) => theirs?.strides[axis]?.size ?? 1;
  return openHere(path, async (acquisition) => {
    const first = await planesAt(acquisition);
    if (theirs === null) return "not read";
    if (first.length !== count("c") || first[0]!.length !== count("y") * count("x")) return "another size";
    for (let t = 0; t < count("t"); t += 1) {
      for (let z = 0; z < count("z"); z += 1) {
        const planes = await planesAt(acquisition, { t, z });
        if (!planes.every((plane, c) => isPlane(plane, theirs, { t, z, c }))) return "other samples";
      }
    }
    return "equal";
  });
}

async function outcomeOf(image: Image, multiscales: Multiscales): Promise<Outcome> {
  const theirs = await readTheirs(image, multiscales).catch(() => null);
  const outcome = await compareWithOurs(image, theirs).catch(() => "not read by us" as const);
  return outcome === "not read by us" && theirs === null ? "read by neither" : outcome;
}

async function disagreements(images: Iterable<Image>) {
  const found: [string, Outcome][] = [];
  let compared = 0;
  for (const image of images) {
    const multiscales = readMultiscales(image);
    if (multiscales === null) continue;
    const outcome = await outcomeOf(image, multiscales);
    compared += 1;
    if (outcome !== "equal") found.push([image.name, outcome]);
  }
  return { found: Object.fromEntries(found.toSorted(([a], [b]) => a < b ? -1 : 1)), compared };
}

/** Images of fixtures: folders, and the content of ZIP files. */
function* fixtureImages(): Generator<Image> {
  for (const folder of FIXTURES) {
    for (const { name, open, files } of seedsOf("zarr", folder)) {
      const below = open === "" ? "" : `${open}/`;
      yield { name, path: join(folder, name), read: (key) => files.get(below + key) };
    }
  }
}

/** Folders with the document of a group. */
function* sampleImages(folder: string): Generator<Image> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* sampleImages(path);
    else if (name === ".zattrs" || name === "zarr.json") {
      const read = (key: string) => {
        const file = join(folder, key);
        return existsSync(file) && statSync(file).isFile() ? Deno.readFileSync(file) : undefined;
      };
      yield { name: folder.slice(SAMPLES.length), path: folder, read };
    }
  }
}

/** Images on which the two disagree: how, why, and which. */
type Table = readonly (readonly [outcome: Outcome, reason: string, ...names: string[]])[];

const outcomes = (table: Table) =>
  Object.fromEntries(
    table.flatMap(([outcome, _reason, ...names]) => names.map((name) => [name, outcome] as const))
      .toSorted(([a], [b]) => a < b ? -1 : 1),
  );

const IN_FIXTURES: Table = [
  [
    "other samples",
    "it rounds a fill value of 64 bits to a double, which may wrap to 0",
    "v2_fill_u8.ome.zarr.zip",
    "v3_fill_u8.ome.zarr.zip",
  ],
  ["not read", "it has no shards within shards", "v3_shard_nested.ome.zarr.zip"],
  ["other samples", "it looks for the index of a shard at its end", "v3_shard_start.ome.zarr.zip"],
];

const IN_SAMPLES: Table = [
  [
    "another size",
    "time points of one row are the lines of a line scan",
    "reports/fifth/files/line-t-y1/store.ome.zarr",
  ],
];

Deno.test("zarrita reads all planes of each fixture as we do, but for those of a table", async () => {
  const { found, compared } = await disagreements(fixtureImages());
  deepEqual(found, outcomes(IN_FIXTURES));
  ok(compared > 110, `${compared}`);
});

Deno.test({
  name: "zarrita reads all planes of each sample as we do, but for those of a table",
  ignore: !existsSync(SAMPLES),
  fn: async () => {
    const { found, compared } = await disagreements(sampleImages(SAMPLES));
    deepEqual(found, outcomes(IN_SAMPLES));
    ok(compared > 15, `${compared}`);
  },
});
