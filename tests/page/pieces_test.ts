/** A piece of state is one entry of a list: it is undone, kept, archived and carried without a line elsewhere. */
import assert from "node:assert/strict";
import { type Drawn, fitDrawn, withoutResults } from "../../static/demo/v2/drawing/drawn.ts";
import { makeMeasurementPiece } from "../../static/demo/v2/drawing/measurement_piece.ts";
import type { PieceKind } from "../../static/demo/v2/drawing/piece.ts";
import { PIECES } from "../../static/demo/v2/drawing/pieces.ts";
import type { Region } from "../../static/demo/v2/drawing/region.ts";
import { DrawingStore } from "../../static/demo/v2/drawing/store.ts";
import { carryFrom, carryTo } from "../../static/demo/v2/many/carried.ts";
import { makeMember } from "../../static/demo/v2/saving/documents.ts";
import { type Documents, restoreDocuments } from "../../static/demo/v2/saving/restored.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";

/** The region that is background in a channel, its level, and what was found with it. */
type Dark = {
  readonly band: string;
  readonly channel: string;
  readonly level: number;
  readonly found: number;
};

/** A piece as a contributor would add it. */
const DARK: PieceKind<Dark | null> = {
  path: ["light", "dark"],
  words: "dark level",
  initial: null,
  restore: (stored) => Number.isFinite((stored as Dark).level) ? stored as Dark : null,
  named: ({ band, channel, ...others }, naming) => ({
    ...others,
    band: naming.band(band),
    channel: naming.channel(channel),
  }),
  withoutResults: (dark) => ({ ...dark, found: 0 }),
};

const VALUE: Dark = { band: "band-1", channel: "1", level: 12.5, found: 3 };

const BAND: Region = {
  id: "band-1",
  kind: "band",
  name: "soma",
  color: "#ff0000",
  ends: [{ x: null, y: 3 }, { x: null, y: 9 }],
};

const EMPTY: Drawn = {
  shape: [100, 20],
  isLineScan: true,
  regions: [BAND],
  traces: null,
  cursors: { lines: 1, columns: 1 },
  kymograph: null,
};

/** With the new piece in the list of all. */
function withPiece(work: () => void): void {
  const pieces = PIECES as PieceKind<unknown>[];
  pieces.push(DARK as PieceKind<unknown>);
  try {
    work();
  } finally {
    pieces.pop();
  }
}

/** A line scan with these channels, by their names and indices in the file. */
const scanOf = (...names: [name: string, index: number][]) =>
  ({
    group: { plane: { shape: [100, 20] }, channels: names.map(([name, index]) => ({ name, index })) },
    axes: [{ step: 0.001, unit: "seconds" }, { step: 0.5, unit: "um" }],
    fileName: "a.oir",
    isLineScan: true,
    pixelTime: 0,
  }) as unknown as Parameters<typeof carryFrom>[1];

/** What an archive of drawings restores, in a file with the channels "B" and "A". */
function archived(drawn: Drawn): ReturnType<typeof restoreDocuments> {
  const scan = scanOf(["B", 1], ["A", 0]);
  const shown = { drawn, scan, traced: scan, traces: [], means: [], tables: {}, measurements: [] };
  const position = { t: 0, z: 0, l: 0 };
  const member = makeMember({ drawn, shown, isKymograph: false, isAccepted: false, position, look: {} });
  const image = { image_id: "a", rois: member.rois, image_metadata: member.imageMetadata, accepted: false };
  const documents = JSON.parse(JSON.stringify({ image, analyses: null, mark: "m" })) as Documents;
  return restoreDocuments(
    documents,
    {
      plane: { shape: [100, 20], axes: [{ name: "T", unit: "seconds" }, { name: "X" }] },
      header: { sizes: {} },
      channels: [{ index: 1, name: "B" }, { index: 0, name: "A" }],
    } as unknown as Parameters<typeof restoreDocuments>[1],
  );
}

Deno.test("a new piece is undone, kept, archived and carried by its entry in the list alone", () => {
  withPiece(() => {
    const store = new DrawingStore<Drawn>(EMPTY);
    const dark = store.register(DARK);
    dark.write(VALUE);
    const kept = store.document;
    store.undo();
    assert.equal(dark.value, null);
    store.redo();
    assert.deepEqual(dark.value, VALUE);
    const of = (drawn: object | null) => (drawn as { light?: { dark?: unknown } } | null)?.light?.dark;
    assert.deepEqual(of(fitDrawn(structuredClone(kept), scanOf(["B", 1], ["A", 0]))), VALUE, "kept work");
    assert.deepEqual(of(withoutResults(kept)), { ...VALUE, found: 0 }, "other samples");
    assert.deepEqual(of(archived(kept).drawn), VALUE, "an archive, which names channels by their rank");
    const carried = carryFrom(kept, scanOf(["B", 1], ["A", 0]), "");
    const { drawn } = carryTo(carried, scanOf(["A", 0], ["B", 1]));
    assert.deepEqual(of(drawn), { ...VALUE, channel: "0", found: 0 }, "carried to other channels");
  });
});

Deno.test("a damaged piece of an archive is left out by name, and the others stay", () => {
  withPiece(() => {
    const damaged = { ...EMPTY, cursors: { lines: 3, columns: 1 }, light: { dark: { level: "x" } } };
    const { drawn, note } = archived(damaged);
    assert.equal(note, "Damaged in the file and left out: dark level.");
    assert.deepEqual(drawn.cursors, { lines: 3, columns: 1 });
  });
});

Deno.test("each piece takes what it is at first, and refuses what is none", () => {
  for (const { path, initial, restore } of PIECES) {
    if (initial !== null) assert.deepEqual(restore(structuredClone(initial)), initial, path.join("."));
    for (const damaged of [7, "x", [], { lines: 0 }, { kind: "sum" }, { axis: "X" }]) {
      assert.equal(restore(damaged), null, `${path.join(".")}: ${JSON.stringify(damaged)}`);
    }
  }
  const paths = PIECES.map(({ path }) => path.join("."));
  assert.equal(new Set(paths).size, paths.length);
  assert.deepEqual(
    paths.filter((path) => path.startsWith("measurements.")),
    MEASUREMENTS.map(({ key }) => makeMeasurementPiece(key).path.join(".")),
  );
});
