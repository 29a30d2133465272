/** Every structure of HDF5 that leads to another one, damaged: nothing is read for ever, and nothing damaged counts as missing. */
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { join } from "node:path";
import { ReaderError } from "../../readers/errors.ts";
import { Hdf5Blocks } from "../../readers/hdf5/blocks.ts";
import { requireNoChunk } from "../../readers/hdf5/elements.ts";
import { DamagedStructure } from "../../readers/hdf5/fields.ts";
import { Hdf5File } from "../../readers/hdf5/file.ts";
import { FileAccess } from "../../readers/io/file_access.ts";
import { loadBytes, refusal } from "../damage.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import {
  pointersIn,
  type Structure,
  structuresIn,
  withChecksum,
  withWord,
  wordsIn,
} from "../fixtures/hdf5_structures.ts";
import { type LoadedHere, loadHere, openHere } from "../load_here.ts";
import { withFiles } from "../temporary_files.ts";

const fixture = (name: string) => Deno.readFileSync(join(FIXTURES, "hdf5", name));

/** Bytes of a file with its name, and what is read of each of its scenes. */
interface Whole {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly scenes: readonly LoadedHere[];
}

const wholes = new Map<string, Promise<Whole>>();

/** Each file is read once for all tests. */
const wholeOf = (name: string) => wholes.getOrInsertComputed(name, readWhole);

async function readWhole(name: string): Promise<Whole> {
  const bytes = fixture(name);
  const { summary: { sceneCount } } = await loadBytes(name, bytes);
  const scenes = await Promise.all(
    Array.from({ length: sceneCount }, (_, scene) => loadBytes(name, bytes, { scene })),
  );
  return { name, bytes, scenes };
}

/** What stays of a scene besides its warnings. */
const factsOf = (
  { summary: { warnings: _, fingerprint: _f, path: _p, scenes: _s, fileSize: _z, ...facts }, planes }:
    LoadedHere,
) => ({ facts, planes });

/** Checks that each scene is refused, as before, or has a warning more. Returns how many are as before. */
function requireNoSilence({ name, scenes }: Whole, bytes: Uint8Array, what: string): Promise<number> {
  return withFiles({ [name]: bytes }, async (path) => {
    let same = 0;
    for (const [scene, whole] of scenes.entries()) {
      const loaded = await loadHere(path, { scene }).catch((error: Error) => error);
      if (loaded instanceof Error) {
        ok(loaded instanceof ReaderError, `${what}: ${loaded.stack}`);
        continue;
      }
      const known = new Set(whole.summary.warnings.map(({ text }) => text));
      if (loaded.summary.warnings.some(({ text }) => !known.has(text))) continue;
      deepEqual(factsOf(loaded), factsOf(whole), `${what}: scene ${scene} differs in silence`);
      same += 1;
    }
    return same;
  });
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  "structures_new.nwb": "OHDR OCHK GCOL BTHD BTIN BTLF FRHP FHDB FHIB FAHD FADB EAHD EAIB EASB EADB".split(
    " ",
  ),
  "structures_old.nwb": ["OLD HEADER", "TREE", "SNOD", "HEAP", "GCOL"],
  "units.mesc": ["OLD HEADER", "TREE", "SNOD", "HEAP"],
  "padded.ims": ["OLD HEADER", "TREE", "SNOD", "HEAP"],
};

/** Some structures of a kind: the first, one in the middle, the last. */
function someOf(structures: readonly Structure[], kind: string): Structure[] {
  const own = structures.filter((one) => one.kind === kind);
  ok(own.length > 0, `no ${kind}`);
  return [...new Set([own[0]!, own[own.length >> 1]!, own.at(-1)!])];
}

for (const [name, kinds] of Object.entries(KINDS)) {
  for (const kind of kinds) {
    Deno.test(`${name}: a ${kind} of zeros is damage, never absence`, async () => {
      const whole = await wholeOf(name);
      for (const structure of someOf(structuresIn(whole.bytes), kind)) {
        const bytes = whole.bytes.slice();
        bytes.fill(0, structure.at, structure.at + Math.min(32, structure.length));
        await requireNoSilence(whole, bytes, `${kind} at ${structure.at}`);
      }
    });

    Deno.test(`${name}: addresses in a ${kind} that lead to itself, or to another one, are damage`, async () => {
      const whole = await wholeOf(name);
      const structures = structuresIn(whole.bytes);
      const targets = new Set(structures.map(({ at }) => at));
      for (const structure of someOf(structures, kind)) {
        for (const { at, value } of pointersIn(whole.bytes, structure, targets).slice(0, 4)) {
          const of = structures.find((one) => one.at === value)!.kind;
          const other = structures.find((one) => one.kind === of && one.at !== value);
          for (const to of [structure.at, ...other ? [other.at] : []]) {
            if (to === value) continue;
            const bytes = withChecksum(whole.bytes, withWord(whole.bytes, at, to), structure);
            await requireNoSilence(whole, bytes, `${kind} at ${structure.at}: ${at} leads to ${to}`);
          }
        }
      }
    });
  }
}

Deno.test("a B-tree whose nodes are their own children is refused", async () => {
  const name = "structures_old.nwb";
  const bytes = fixture(name);
  const view = new DataView(bytes.buffer);
  // The root of the tree of /acquisition: type 0, level 1.
  const root = structuresIn(bytes).find(({ kind, at }) =>
    kind === "TREE" && view.getUint16(at + 4, true) === 0x100
  );
  ok(root, "a tree of groups with two levels");
  // Its first child becomes each child; 8 bytes of key lie between them.
  const count = view.getUint16(root.at + 6, true);
  ok(count > 1);
  const first = Number(view.getBigUint64(root.at + 32, true));
  const twice = withWord(bytes, root.at + 32 + 16, first);
  const self = withWord(bytes, root.at + 32, root.at);
  for (const damaged of [twice, self]) {
    ok(/damaged|belongs to/.test(await refusal(loadBytes(name, damaged, { scene: 0 }))));
  }
});

/** Checks that every plane of a scene is as before or refused, and that the one at `t` is refused. */
async function requireRefused(bytes: Uint8Array, scene: number, t: number): Promise<void> {
  const read = (own: Uint8Array, at: number) =>
    withFiles({ "a.nwb": own }, (path) =>
      openHere(path, async ({ plan }) => {
        const { rows, columns, decode } = await plan([0], { t: at, z: 0, l: 0 });
        const plane = new Float32Array(rows * columns);
        await decode([plane]);
        return plane;
      }, scene));
  for (const at of [0, t]) {
    const found = await read(bytes, at).catch((error: Error) => error);
    if (found instanceof ReaderError) {
      match(found.message, /shares bytes with the metadata at \d+|a chunk is at/);
    } else deepEqual(found, await read(fixture("structures_old.nwb"), at), `t = ${at} differs in silence`);
    if (at === t) ok(found instanceof ReaderError, `t = ${at} is served`);
  }
}

Deno.test("a chunk inside a node of its own index is damage", async () => {
  // Entry 32 of the leaf at 84808: its address, 76828, follows a head of 24 bytes, 32 entries of 48 and a key of 40. Without its two
  // lowest bytes it is 65536, inside the leaf at 63944.
  await requireRefused(withWord(fixture("structures_old.nwb"), 84808 + 24 + 32 * 48 + 40, 65536), 4, 4);
});

Deno.test("samples inside the header of their dataset, or where the file begins, are damage", async () => {
  const bytes = fixture("structures_old.nwb");
  // The layout of /acquisition/03_contiguous/data, whose samples h5py finds at 30208.
  const [layout, ...others] = [...wordsIn(bytes)].filter(({ value }) => value === 30208);
  equal(others.length, 0);
  await requireRefused(withWord(bytes, layout!.at, layout!.at), 3, 3);
  await requireRefused(withWord(bytes, layout!.at, 0), 3, 3);
});

Deno.test("a chunk outside its dataset, and names in another structure, are damage", async () => {
  // Entry 29 of the tree at 15680: the last place of its key, after 24 bytes, is column 8 of 9; 32 is none.
  await requireRefused(withWord(fixture("structures_old.nwb"), 15680 + 24 + 29 * 48 + 24, 32), 0, 3);
  const series = await wholeOf("series.nwb");
  // The address of the names follows 24 bytes of the heap at 9280. The header of the root group is at 96, and its names elsewhere.
  for (const { at } of structuresIn(series.bytes).filter(({ kind }) => kind === "HEAP")) {
    for (const to of [96, at === 9280 ? 680 : 9280]) {
      await requireNoSilence(series, withWord(series.bytes, at + 24, to), `the heap at ${at} leads to ${to}`);
    }
  }
});

Deno.test("zeros in a text of a global heap are damage", async () => {
  const series = await wholeOf("series.nwb");
  const text = new TextDecoder("latin1").decode(series.bytes);
  for (const word of ["OpticalChannel", "TwoPhotonSeries"]) {
    let count = 0;
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      // Objects of a heap begin with index, count and length; names of groups do not.
      if (new DataView(series.bytes.buffer).getUint32(at - 8, true) !== word.length) continue;
      count += 1;
      for (const [from, to] of [[4, 8], [0, word.length], [1, 2]] as const) {
        await requireNoSilence(series, series.bytes.slice().fill(0, at + from, at + to), `${word} at ${at}`);
      }
    }
    ok(count > 0, word);
  }
});

Deno.test("a name in a free place of its heap is damage", async () => {
  const lines = await wholeOf("lines.nwb");
  // The first name of the node of symbols at 21536 is at 8 of its heap, whose list of free places begins at 32.
  await requireNoSilence(lines, withWord(lines.bytes, 21536 + 8, 32), "a name at 32");
});

Deno.test("a chunk in the second half of the superblock is damage", async () => {
  // Entry 49 of the leaf at 84808 leads to 0x12c3e, and to 0x3e without its upper bytes. The superblock has 96.
  const bytes = fixture("structures_old.nwb");
  await requireRefused(bytes.slice().fill(0, 87225, 87229), 4, 4);
});

Deno.test("a dataset whose length became 0, while its elements are stored, is damage", async () => {
  const series = await wholeOf("series.nwb");
  // The sizes of /acquisition/d_rows/dimension: length and limit, 32 bytes behind its header.
  const bytes = series.bytes.slice();
  equal(new DataView(bytes.buffer).getUint32(36104, true), 2);
  bytes.fill(0, 36104, 36120);
  await requireNoSilence(series, bytes, "no elements");
  // Chunks without elements do not count as empty either.
  for (const name of ["structures_new.nwb", "structures_old.nwb"]) {
    const whole = fixture(name);
    await withFiles({ "a.nwb": whole }, async (path) => {
      using files = new FileAccess();
      const source = files.open(path);
      using file = new Hdf5File(source);
      const found = file.names("/acquisition").map((own) => `/acquisition/${own}/data`)
        .filter((own) => file.kindOf(own) === "dataset" && file.dataset(own).chunks !== null);
      ok(found.length > 1);
      for (const own of found) {
        const dataset = file.dataset(own);
        const none = { ...dataset, shape: dataset.shape.map(() => 0) };
        throws(() => requireNoChunk(new Hdf5Blocks(source), none), DamagedStructure, own);
      }
      await Promise.resolve();
    });
  }
});

Deno.test("a link whose path is the name of another one is damage", async () => {
  const series = await wholeOf("series.nwb");
  // The second symbol of the node at 18288 is a link, whose path is at 32 of its heap. Names there are at 8, 16, 64 and 72.
  const link = 18288 + 8 + 40 + 24;
  equal(new DataView(series.bytes.buffer).getUint32(link, true), 32);
  for (const to of [8, 16, 64, 72, 40]) {
    const bytes = withWord(series.bytes, link, to);
    ok(await requireNoSilence(series, bytes, `a path at ${to}`) < series.scenes.length, `a path at ${to}`);
  }
});

/** What is damaged in a file, whoever asks for it. */
const damageIn = (bytes: Uint8Array) =>
  withFiles({ "a.h5": bytes }, (path) => {
    using files = new FileAccess();
    using file = new Hdf5File(files.open(path));
    const found: string[] = [];
    const tryTo = (read: () => void) => {
      try {
        read();
      } catch (error) {
        if (!(error instanceof DamagedStructure)) throw error;
        found.push(error.message);
      }
    };
    const walk = (path: string) => {
      tryTo(() => {
        for (const name of file.attributeNames(path)) tryTo(() => file.attribute(path, name));
      });
      tryTo(() => {
        if (file.kindOf(path) !== "group") return;
        for (const name of file.names(path)) walk(`${path}/${name}`);
      });
    };
    walk("");
    return Promise.resolve(found);
  });

/** Fields of the header of a B-tree of version 2 (section III.A.2): root, records of it, and all records. */
const [ROOT_AT, ROOT_RECORDS_AT, RECORDS_AT] = [16, 24, 26];

/** The headers of such trees of a type, with the address of their roots. */
function recordTrees(bytes: Uint8Array, ...types: number[]) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return structuresIn(bytes).filter(({ kind, at }) => kind === "BTHD" && types.includes(bytes[at + 5]!))
    .map((header) => ({ header, root: Number(view.getBigUint64(header.at + ROOT_AT, true)) }));
}

Deno.test("chunks in a leaf of another tree, whose checksum is right, are damage", async () => {
  const whole = await wholeOf("structures_new.nwb");
  const leaves = structuresIn(whole.bytes).filter(({ kind, at }) =>
    kind === "BTLF" && whole.bytes[at + 5] === 10
  );
  // Its one leaf has 36 records of 32 bytes; the other tree has leaves of as many and more.
  const { header, root } = recordTrees(whole.bytes, 10)[0]!;
  ok(leaves.length > 10);
  for (const { at } of leaves) {
    if (at === root) continue;
    const bytes = withChecksum(whole.bytes, withWord(whole.bytes, header.at + ROOT_AT, at), header);
    equal(await requireNoSilence(whole, bytes, `the root is ${at}`), whole.scenes.length - 1, `${at}`);
  }
});

Deno.test("two trees with one leaf are damage for both datasets, before one of them is read", async () => {
  const whole = await wholeOf("structures_new.nwb");
  const [small, large] = recordTrees(whole.bytes, 10);
  // The header of the larger tree becomes that of the smaller one, whose chunks lie inside both datasets.
  const bytes = whole.bytes.slice();
  bytes.copyWithin(large!.header.at, small!.header.at, small!.header.at + small!.header.length);
  equal(await requireNoSilence(whole, bytes, "one leaf"), whole.scenes.length - 2);
});

Deno.test("a tree of links or attributes that states no records, and whose checksum is right, is damage", async () => {
  const whole = await wholeOf("structures_new.nwb");
  const trees = recordTrees(whole.bytes, 5, 8);
  equal(trees.length, 3);
  for (const { header } of trees) {
    const bytes = whole.bytes.slice();
    bytes.fill(0xff, header.at + ROOT_AT, header.at + ROOT_RECORDS_AT);
    bytes.fill(0, header.at + ROOT_RECORDS_AT, header.at + RECORDS_AT + 8);
    const empty = withChecksum(whole.bytes, bytes, header);
    const said = await damageIn(empty);
    ok(said.some((text) => /its tree lists 0 of the \d+ names of its heap/.test(text)), said.join("; "));
  }
});

Deno.test("a tree whose records have the hashes of other names is damage", async () => {
  const whole = await wholeOf("structures_new.nwb");
  for (const { root } of recordTrees(whole.bytes, 8)) {
    const leaf = structuresIn(whole.bytes).find(({ at }) => at === root)!;
    // Records of 17 bytes: identifier, flags, number and hash. The first two exchange their identifiers.
    const bytes = whole.bytes.slice();
    bytes.copyWithin(root + 6, root + 6 + 17, root + 6 + 17 + 8);
    bytes.set(whole.bytes.subarray(root + 6, root + 6 + 8), root + 6 + 17);
    const exchanged = withChecksum(whole.bytes, bytes, leaf);
    const said = await damageIn(exchanged);
    ok(said.some((text) => /its tree lists another name/.test(text)), said.join("; "));
  }
});

Deno.test("zeros inside a text of one character an element are damage, and at its end a shorter text", async () => {
  const whole = await wholeOf("filters.ims");
  const at = new TextDecoder("latin1").decode(whole.bytes).indexOf("GFP");
  const header = structuresIn(whole.bytes).find((one) => one.at < at && at < one.at + one.length);
  ok(header !== undefined);
  const zeroed = (from: number, to: number) =>
    withChecksum(whole.bytes, whole.bytes.slice().fill(0, at + from, at + to), header);
  equal(whole.scenes[0]!.summary.channels[0]!.name, "GFP");
  for (const [from, to] of [[0, 1], [1, 2], [0, 3]] as const) {
    const { summary } = await loadBytes(whole.name, zeroed(from, to));
    const said = summary.warnings.map(({ text }) => text);
    ok(said.some((text) => /zeros stand in place of a text/.test(text)), said.join("; "));
  }
  const { summary } = await loadBytes(whole.name, zeroed(2, 3));
  equal(summary.channels[0]!.name, "GF");
});

Deno.test("an attribute whose sizes count fewer bytes than it has is damage", async () => {
  // Behind headers of version 2, and of version 1, whose messages have multiples of 8 bytes.
  for (
    const [name, value, axes] of [["filters.ims", "GFP", 19], [
      "padded.ims",
      "2024-03-05 11:07:11.500",
      23,
    ]] as const
  ) {
    const bytes = fixture(name);
    const at = new TextDecoder("latin1").decode(bytes).indexOf(value);
    const header = structuresIn(bytes).find((one) => one.at < at && at < one.at + one.length);
    ok(at > 0);
    deepEqual(await damageIn(bytes), []);
    // Sizes and limits before the value; from the number of axes on, that is one element.
    for (const from of [at - 16, at - axes]) {
      const changed = bytes.slice().fill(0, from, at);
      // Parts of old headers have no checksum.
      const said = await damageIn(header === undefined ? changed : withChecksum(bytes, changed, header));
      ok(
        said.some((text) => /its value needs \d+ bytes and has \d+/.test(text)),
        `${name}: ${said.join("; ")}`,
      );
    }
  }
});

Deno.test("two names for one object that states one link are damage for both", async () => {
  const whole = await wholeOf("units.mesc");
  const structures = structuresIn(whole.bytes);
  const headers = new Set(structures.filter(({ kind }) => kind === "OLD HEADER").map(({ at }) => at));
  for (const node of structures.filter(({ kind }) => kind === "SNOD")) {
    const [a, b] = pointersIn(whole.bytes, node, headers);
    if (a === undefined || b === undefined) continue;
    const same = await requireNoSilence(whole, withWord(whole.bytes, a.at, b.value), `${a.at}`);
    ok(same < whole.scenes.length);
  }
});

Deno.test("a damaged unit of MESc keeps its place, and no other is opened instead", async () => {
  const whole = await wholeOf("units.mesc");
  const { bytes } = whole;
  const isOwn = (at: number) => structuresIn(bytes).some((one) => one.kind === "OLD HEADER" && one.at === at);
  ok(isOwn(Number(new DataView(bytes.buffer).getBigUint64(64, true))), "the root");
  let damaged = 0;
  for (const { at, kind } of structuresIn(bytes)) {
    if (kind !== "OLD HEADER") continue;
    const lost = bytes.slice().fill(0, at, at + 16);
    const loaded = await loadBytes("a.mesc", lost).catch(() => null);
    if (loaded === null) damaged += 1;
    else equal(loaded.summary.scenes[0]!.name, "MSession_0/MUnit_2: soma");
  }
  ok(damaged > 2);
});
