/** Documents of measurements: written, read, and refused. */
import assert from "node:assert/strict";
import type { VelocityAt } from "../../static/measure/flow/velocity.ts";
import { Buffer } from "node:buffer";
import { makeMember, packNumbers, unpackNumbers } from "../../static/demo/v2/saving/documents.ts";
import { OWN as OWN_KEY, readRegions, writeRegions } from "../../static/demo/v2/saving/regions.ts";
import { type Region, selectBands, type WrittenRegion } from "../../static/demo/v2/drawing/region.ts";
import {
  carryOver,
  DocumentFault,
  findDocumentsIn,
  findSource,
  restoreDocuments,
} from "../../static/demo/v2/saving/restored.ts";
import { KINDS } from "../../static/demo/v2/drawing/kinds.ts";
import { listMeasurableParts } from "../../static/demo/v2/drawing/table.ts";
import { makeTrace, NEW_TRACE } from "../../static/measure/light/band_trace.ts";
import { MEASUREMENTS } from "../../static/measure/measurements.ts";
import { recallSaved } from "../../static/demo/v2/opening/saved_work.ts";
import { computeCrc32 } from "../../static/measure/zip.ts";
import { listZipEntries, ZipFault } from "../../static/demo/v2/saving/zip_entries.ts";
import { zipOf } from "../fixtures/zip_writer.ts";

type Drawn = Parameters<typeof makeMember>[0]["drawn"];
/** What JSON holds. */
type Json = ReturnType<typeof JSON.parse>;

/** 600 lines of 80 columns. */
const SHAPE = [600, 80] as const;
const SPACE = "primary-image-full-resolution-pixels";

const DRAWN = {
  shape: SHAPE,
  isLineScan: true,
  traces: { isChange: true, kind: "percentile", percentile: 10, from: 0, to: 1, offset: 2, average: 3 },
  regions: [
    {
      id: "band-3",
      kind: "band",
      name: "Gefäß",
      color: "#ff0000",
      ends: [{ x: null, y: 30 }, { x: null, y: 50 }],
    },
    // Ends at the outer edges, and between the middles of pixels.
    {
      id: "line-2",
      kind: "line",
      name: "",
      color: "#ffffff",
      ends: [{ x: 0, y: 80 }, { x: 600, y: 12.3456789 }],
    },
    {
      id: "track-1",
      kind: "track",
      name: "cell",
      color: "#ffffff",
      ends: [{ x: 10.25, y: 3 }, { x: 200, y: 70.125 }, { x: 400.5, y: 9 }],
    },
    { id: "cursor-a", kind: "cursor", name: "", color: "#ffd54a", ends: [{ x: 100.5, y: 40.5 }] },
  ],
  measurements: {
    events: {
      band: "band-3",
      channel: "1",
      settings: { chosen: "by hand", height: 0.7, prominence: 0.2, distance: 0 },
      results: [{
        of: { band: "band-3", channel: "1" },
        columns: [30, 50],
        settings: {
          chosen: "by hand",
          height: 0.7,
          prominence: 0.2,
          distance: 0,
          f0: 4,
          trace: {
            isChange: true,
            kind: "percentile",
            percentile: 10,
            from: 0,
            to: 1,
            offset: 2,
            average: 3,
          },
        },
        found: [{ line: 130, value: 1.5, isByHand: true, amplitude: 1.25, overlap: "" }],
        about: [["Method", "peaks"]],
      }],
      edits: [{ of: { band: "band-3", channel: "1" }, place: "[]", line: 130, note: "NaN" }],
      place: "[]",
    },
    velocity: {
      band: "band-3",
      channel: "1",
      // Changed since, without a measurement.
      settings: { method: "radon", chosen: "by hand", window: 20, step: 10, pixelTime: 2 },
      results: [{
        of: { band: "band-3", channel: "1" },
        columns: [30, 50],
        settings: {
          method: "autocorrelation",
          chosen: "automatically",
          window: 64,
          step: 32,
          pixelTime: 2,
        },
        found: [
          { line: 32, velocity: 0.1 + 0.2, confidence: 0.5, error: 0.01, verdict: "measured" },
          { line: 64, velocity: NaN, confidence: 0, error: NaN, verdict: "unclear" },
        ],
        about: [["Method", "as published"]],
      }],
      edits: [],
      place: "[]",
    },
    diameter: {
      band: "band-3",
      channel: "1",
      settings: { method: "gradient", window: 20, step: 10 },
      results: [{
        of: { band: "band-3", channel: "1" },
        columns: [30, 50],
        settings: { method: "gradient", window: 20, step: 10 },
        found: [
          { line: 9.5, diameter: 12.5, left: 32, right: 44.5, verdict: "clear" },
          { line: 19.5, diameter: NaN, left: NaN, right: NaN, verdict: "cut" },
        ],
        about: [["Method", "as published"]],
      }],
      edits: [],
      place: "[]",
    },
    sparks: null,
  },
  cursors: { lines: 3, columns: 1 },
  kymograph: null,
  accepted: true,
  origin: null,
} as unknown as Drawn;

/** Channels as opened, the second first in the file. */
const CHANNELS = [{ index: 2, name: "CH1" }, { index: 0, name: "CH 2" }];

const INFO = {
  plane: {
    shape: SHAPE,
    axes: [{ name: "Y", step: 0.002, unit: "seconds" }, { name: "X", step: 0.5, unit: "um" }],
  },
  header: { sizes: { Y: 600, X: 80, C: 2 } },
  channels: CHANNELS,
  collection: null,
} as unknown as Parameters<typeof restoreDocuments>[1];

/** A line over an image, drawn freehand. */
const PATH: Region = {
  id: "kymograph-line",
  kind: "path",
  name: "",
  color: "#ffeb3b",
  ends: [{ x: 4.5, y: 3.5 }, { x: 9.25, y: 20.75 }, { x: 40.5, y: 30.5 }],
  width: 2,
};

const PICTURE = { shape: SHAPE, isLineScan: true, isTurned: false };

/** As the panels of the page have it. */
const MEASURED = MEASUREMENTS.filter(({ key }) => ["velocity", "events", "diameter"].includes(key)).map((
  measurement,
) => ({
  measurement,
  tables: DRAWN.measurements![measurement.key]!.results.map((result) => ({
    result,
    columns: measurement.columns(result.found, INFO.plane.axes),
    quantities: [
      { name: `Median ${measurement.noun}`, value: 6.25, unit: "um" },
      { name: "Beats", value: NaN },
    ],
  })),
}));

const column = (name: string, ...values: (string | number)[]) => [{ name, unit: "s", values }];

const RECORDED = {
  isKymograph: false,
  isAccepted: true,
  position: { t: 0, z: 0, l: 0 },
  look: {},
};

/** The documents as an archive has them. */
function documents(change: (image: Json, analyses: Json) => void = () => {}) {
  const axes = INFO.plane.axes as Json;
  const samples = new Float32Array(600 * 80);
  const scan = {
    axes,
    noun: "band",
    group: { plane: { shape: SHAPE, axes }, channels: CHANNELS, shown: [], samples },
  } as Json;
  const [band] = selectBands(DRAWN.regions);
  const traces = [{
    name: "Gefäß",
    band,
    channel: "CH 2",
    values: new Float64Array(600),
    baseline: 4,
    f0: { level: 4, course: null, by: DRAWN.traces },
  }] as Json;
  const tables = {
    lines: column("Line", 2),
    tracks: column("Track", "cell"),
    cursors: [{ name: "Cursor", values: ["A"] }, { name: "Cursor", values: [1] }],
  };
  const shown = { drawn: DRAWN, scan, traced: scan, traces, means: [], tables, measurements: MEASURED };
  const { rois, analyses, imageMetadata, accepted } = makeMember({ ...RECORDED, drawn: DRAWN, shown });
  const own = { source: { name: "a.oir", fingerprint: "f1" }, scene: 1 };
  const image = {
    format: "store-acqimage",
    version: 1,
    image_id: "m",
    accepted,
    rois,
    image_metadata: { ...imageMetadata, acq_server: own },
  };
  const analysed = {
    format: "store-analyses",
    version: 1,
    image_id: "m",
    analyses: analyses.map(({ roiId, ...rest }, i) => ({
      id: `a${i}`,
      ...roiId && { roi_id: roiId },
      ...rest,
    })),
  };
  change(image, analysed);
  return [
    { name: "acqimage/1.json", text: JSON.stringify(image) },
    { name: "analyses/1.json", text: JSON.stringify(analysed) },
  ];
}

const restore = (files: { name: string; text: string }[]) =>
  restoreDocuments(findDocumentsIn(files)[0]!, INFO);

Deno.test("restores what was drawn and measured", () => {
  const files = documents();
  const { drawn, note } = restore(files);
  // Results hold at the restored position, and the documents are known by their mark.
  const { origin, measurements } = drawn;
  const { velocity, events, diameter } = DRAWN.measurements!;
  assert.deepEqual(drawn, {
    ...DRAWN,
    measurements: {
      ...DRAWN.measurements,
      velocity: { ...velocity, place: null },
      events: { ...events, place: null, edits: [{ ...events!.edits[0]!, place: null }] },
      diameter: { ...diameter, place: null },
    },
    origin,
  });
  assert.equal((measurements!.velocity!.results[0]!.found[0] as VelocityAt).velocity, 0.30000000000000004);
  assert.notEqual(origin, null);
  assert.equal(note, "");
  assert.deepEqual(findSource(findDocumentsIn(files)[0]!), { name: "a.oir", fingerprint: "f1", scene: 1 });
});

Deno.test("analyses have types, channels by their rank in the file, units and tables", () => {
  const { analyses } = JSON.parse(documents()[1]!.text);
  assert.deepEqual(
    analyses.map(({ type, roi_id = "", channel = -1 }: Json) => `${type} ${roi_id} ${channel}`),
    [
      "trace band-3 0",
      "velocity band-3 0",
      "events band-3 0",
      "diameter band-3 0",
      "lines  -1",
      "tracks  -1",
      "cursors  -1",
    ],
  );
  const [trace, velocity, events, diameter, , , cursors] = analyses;
  const { acq_viewer: _, ...parameters } = diameter.parameters;
  assert.deepEqual(parameters, {
    method: "gradient",
    window: { value: 20, unit: "lines" },
    step: { value: 10, unit: "lines" },
    method_description: "steepest gradients (Fischer et al. 2010)",
    columns: [30, 50],
  });
  assert.deepEqual(diameter.summary, { median_diameter: { value: 6.25, unit: "um" } });
  // 12.5 columns of 0.5 µm.
  assert.equal(
    diameter.tables[0].csv,
    "Time (s),Diameter (um),Left edge (um),Right edge (um),Verdict\r\n" +
      "0.019,6.25,16,22.25,clear\r\n0.039,,,,cut\r\n",
  );
  assert.deepEqual(trace.parameters.baseline, { method: "percentile", percentile: { value: 10, unit: "%" } });
  assert.match(trace.tables[0].csv, /^Time \(s\),dF\/F0\r\n0,0\r\n0\.002,0\r\n/);
  assert.deepEqual(velocity.parameters.window, { value: 64, unit: "lines" });
  assert.deepEqual(velocity.parameters.pixel_time, { value: 2, unit: "us" });
  assert.equal(velocity.parameters.method, "autocorrelation");
  const { values, lines_averaged, baseline, height, distance } = events.parameters;
  assert.deepEqual([values, lines_averaged.value, baseline.percentile.value, height], ["dF/F0", 3, 10, 0.7]);
  assert.deepEqual(distance, { value: 0, unit: "s" });
  // 0.3 pixels a line are 0.3 × 0.5 µm in 2 ms.
  assert.match(velocity.tables[0].csv, /\r\n0\.064,75\.0*\d*,0\.5,1,measured\r\n0\.128,,0,,unclear\r\n$/);
  assert.equal(cursors.tables[0].csv, "Cursor,Cursor 2\r\nA,1\r\n", "names of columns differ");
});

/** A cell in the images. */
const CELL: Region = {
  id: "rectangle-1",
  kind: "rectangle",
  name: "Cell",
  color: KINDS.rectangle.color(1),
  ends: [{ x: 10, y: 20 }, { x: 16, y: 30 }],
};

/** Saves what was measured in images, and restores it. */
function restoredImages(
  change: (image: Json, analyses: Json) => void = () => {},
  regions = [PATH, CELL],
  other: object = {},
) {
  const [, line, cell] = listMeasurableParts([PATH, CELL]);
  const images = {
    axis: "T",
    part: "*",
    parts: [
      { id: line!.id, place: line!.place, means: [[1.5, null], [2, 3]] },
      { id: cell!.id, place: cell!.place, means: [[4, 5], [6, 7]] },
    ],
    channels: ["CH1", "CH 2"],
    at: [["Focus plane", 2]],
    about: [["Over", "Time"]],
  };
  const axes = INFO.plane.axes.map((axis) => ({ ...axis, unit: "um" }));
  const { events } = DRAWN.measurements!;
  const of = { band: "rectangle-1", channel: "1" };
  const measurements = {
    events: {
      ...events,
      band: "*",
      results: [{ ...events!.results[0], of, columns: [1, 2] }],
      edits: [{ of, place: null, line: 130, note: "late" }],
      place: null,
    },
  };
  const drawn = {
    ...DRAWN,
    isLineScan: false,
    regions,
    measurements,
    cursors: { lines: 1, columns: 1 },
    kymograph: { isMade: false },
    images,
    projection: { kind: "max", axis: "Z" },
  } as unknown as Drawn;
  const scan = { axes, noun: "band", group: { plane: { shape: SHAPE, axes }, channels: CHANNELS } };
  const [time] = INFO.plane.axes;
  const EVENTS = MEASUREMENTS.find(({ key }) => key === "events")!;
  const shown = {
    drawn,
    scan,
    traced: { ...scan, noun: "region", axes: [time, axes[1]] },
    traces: [],
    means: [line!, cell!].map(({ id }) => ({ id, columns: column("Time", 0, 1) })),
    tables: { regions: column("Region", "the line"), profile: column("Position", 0, 1) },
    measurements: [{
      measurement: EVENTS,
      tables: drawn.measurements!.events!.results.map((result) => ({
        result,
        columns: column("Time", 1),
        quantities: [],
      })),
    }],
  } as Json;
  const { rois, analyses, imageMetadata, accepted } = makeMember({ ...RECORDED, drawn, shown });
  const image = { accepted, rois, image_metadata: imageMetadata };
  const saved = analyses.map(({ roiId, ...analysis }) => ({ ...analysis, ...roiId && { roi_id: roiId } }));
  change(image, saved);
  const header = { sizes: { ...INFO.header.sizes, T: 2 } };
  const info = { ...INFO, header, plane: { ...INFO.plane, axes }, ...other } as Json;
  const { drawn: back, note } = restoreDocuments(
    { image, analyses: { analyses: saved }, mark: "m" } as Json,
    info,
  );
  return { drawn, back, note, analyses };
}

Deno.test("restores means of regions over images, events in them, and projections", () => {
  const { drawn, back, analyses } = restoredImages();
  assert.deepEqual([back.images, back.projection, back.kymograph], [
    drawn.images,
    drawn.projection,
    drawn.kymograph,
  ]);
  assert.deepEqual(back.regions.map(({ id, color }) => [id, color]), [
    ["kymograph-line", PATH.color],
    ["rectangle-1", CELL.color],
  ]);
  assert.deepEqual(back.measurements!.events, drawn.measurements!.events);
  assert.deepEqual(
    analyses.filter(({ type }) => type === "image_means" || type === "events").map((
      { type, roiId },
    ) => [type, roiId]),
    [["events", "rectangle-1"], ["image_means", "kymograph-line"], ["image_means", "rectangle-1"]],
  );
  const { parameters } = analyses.find(({ type }) => type === "events")!;
  assert.equal("columns" in parameters, false, "columns of the images were not measured");
});

Deno.test("restores no means that are not those of all images", () => {
  for (const means of [[[1, 2], [3]], [[1], [2]], [[1, 2, 3], [4, 5, 6]], [[]], [["1", "2"]], "means"]) {
    const { back, note, drawn } = restoredImages((_, analyses) => {
      analyses.find(({ type }: { type: string }) => type === "image_means").parameters[OWN_KEY] = { means };
    });
    assert.deepEqual(back.images!.parts, drawn.images!.parts.slice(1), JSON.stringify(means));
    assert.equal(note, "Damaged in the file and left out: means over the images.");
  }
});

Deno.test("restores means in the channels of their wavelength, which an archive has each as a channel", () => {
  const channels = Array.from({ length: 6 }, (_, index) => ({ index, name: `l=${index}` }));
  const { back } = restoredImages(
    (image) => {
      image.image_metadata.acq_server = { spectral: { size: 3, index: "c = channel * size + l" } };
      image.image_metadata[OWN_KEY].position.l = 1;
    },
    undefined,
    { channels },
  );
  const none = [null, null];
  // CH 2 comes before CH1 in the file.
  assert.deepEqual(back.images!.parts[1]!.means, [none, [6, 7], none, none, [4, 5], none]);
  assert.deepEqual(back.images!.channels, channels.map(({ name }) => name));
});

Deno.test("saves no means of a region that was moved since", () => {
  const moved = { ...CELL, ends: [{ x: 12, y: 20 }, { x: 18, y: 30 }] };
  const { back, drawn } = restoredImages(() => {}, [PATH, moved]);
  assert.deepEqual(back.images!.parts, drawn.images!.parts.slice(0, 1));
});

Deno.test("saves regions as whole pixels within the image, with their exact ends", () => {
  const [band, line, track, cursor] = writeRegions(DRAWN.regions, SHAPE, false);
  assert.deepEqual([band!.start, band!.stop, band!.name], [[30, 0], [50, 600], "Gefäß"]);
  assert.deepEqual([line!.start, line!.stop], [[79, 0], [12, 599]]);
  // The middle of the first pixel is 0.
  assert.deepEqual(line!.metadata!.acq_server!.start, [79.5, -0.5]);
  assert.deepEqual([track!.type, track!.start, track!.stop, track!.metadata], ["line", [3, 10], [9, 400], {
    acq_server: {
      start: [2.5, 9.75],
      stop: [8.5, 400],
      points: [[2.5, 9.75], [69.625, 199.5], [8.5, 400]],
    },
  }]);
  assert.deepEqual(cursor!.position, [40, 100]);
  // Whole pixels win over exact ends that no longer fit them.
  const moved = { ...line!, stop: [20, 599] as const };
  assert.deepEqual(readRegions([moved], PICTURE).regions[0]!.ends[1], { x: 599.5, y: 20.5 });
  const cut = { ...track!, stop: [20, 599] as const };
  const [left] = readRegions([cut], PICTURE).regions;
  assert.deepEqual([left!.kind, left!.ends.length], ["line", 2], "points that no longer lead to the end");
});

Deno.test("swaps coordinates on save and load if columns are lines", () => {
  const written = writeRegions(DRAWN.regions, SHAPE, true);
  assert.deepEqual([written[0]!.start, written[0]!.stop], [[0, 30], [600, 50]]);
  assert.deepEqual(readRegions(written, { ...PICTURE, isTurned: true }), {
    regions: DRAWN.regions,
    outside: [],
  });
});

Deno.test("draws regions of other programs by their kind and saves them unchanged", () => {
  const common = { coordinate_space: SPACE, metadata: { by: "other" } };
  const theirs: WrittenRegion[] = [
    { id: "vessel", type: "rectangle", start: [0, 0], stop: [38, 600], ...common },
    { id: "streak", type: "line", start: [3, 4], stop: [5, 60], ...common },
    { id: "part", type: "rectangle", start: [0, 10], stop: [38, 20], ...common },
    { id: "band-1", type: "point", position: [79, 599], ...common },
  ];
  const { regions } = readRegions(theirs, PICTURE);
  assert.deepEqual(regions.map(({ id, kind, name }) => `${id} ${kind} ${name}`.trim()), [
    "vessel band vessel",
    "streak line",
    "part rectangle",
    "band-1 point",
  ]);
  assert.deepEqual(regions[1]!.ends[0], { x: 4.5, y: 3.5 });
  const written = writeRegions(regions, SHAPE, false);
  assert.deepEqual(written.slice(2), theirs.slice(2));
  for (const [i, { id, metadata, start, stop }] of written.entries()) {
    assert.deepEqual([id, metadata!.by], [theirs[i]!.id, "other"]);
    assert.deepEqual([start, stop], [theirs[i]!.start, theirs[i]!.stop]);
  }
});

Deno.test("names regions outside the image, and draws the others", () => {
  const files = documents((image) => {
    image.rois[0].stop = [81, 600];
    image.rois.push({ id: "far", type: "point", coordinate_space: SPACE, position: [80, 0] });
  });
  const { drawn, note } = restore(files);
  assert.deepEqual(drawn.regions.map(({ kind }) => kind), ["line", "track", "cursor"]);
  assert.equal(note, "Not shown, since they lie outside the image: Gefäß, far.");
  // They belonged to the band.
  assert.deepEqual([drawn.measurements!.events, drawn.measurements!.velocity], [null, null]);
});

Deno.test("leaves out the results and edits of channels that are not there", () => {
  const { drawn } = restore(documents((image) => {
    const { events } = image.image_metadata[OWN_KEY].settings.measurements;
    events.results.push({ ...events.results[0], of: { ...events.results[0].of, channel: 2 } });
    events.edits = [0, 2, "x"].map((channel) => ({ of: { band: "", channel }, line: 3, isRemoved: true }));
  }));
  const { results, edits } = drawn.measurements!.events!;
  assert.deepEqual(results.map(({ of }) => of), DRAWN.measurements!.events!.results.map(({ of }) => of));
  assert.equal(edits.length, 1);
});

Deno.test("names the method of F₀ that ran, with F₀ of each line where it changes", () => {
  const { f0 } = makeTrace(
    { samples: Float32Array.from({ length: 600 }, (_, i) => 600 - i), shape: [600, 1] },
    [0, 1],
    NEW_TRACE,
    0.002,
  );
  const drawn = { ...DRAWN, traces: NEW_TRACE } as Drawn;
  const axes = INFO.plane.axes as Json;
  const scan = { axes, group: { plane: { shape: SHAPE, axes }, channels: CHANNELS, shown: [] } } as Json;
  const traces = [{
    name: "Gefäß",
    band: selectBands(DRAWN.regions)[0],
    channel: "CH 2",
    values: new Float64Array(600),
    baseline: NaN,
    f0,
  }] as Json;
  const shown = { drawn, scan, traced: scan, traces, means: [], tables: {}, measurements: [] } as Json;
  const [trace] = makeMember({ ...RECORDED, drawn, shown }).analyses as Json;
  assert.deepEqual(trace.parameters.baseline, {
    method: "moving",
    chosen: "automatically",
    percentile: { value: 10, unit: "%" },
    span: { value: 0.12, unit: "s" },
  });
  assert(Math.abs(trace.summary.baseline_f0 - 300) < 2);
  assert.match(trace.tables[0].csv, /^Time \(s\),Mean,F0\r\n0,0,(599|60\d)/);
});

Deno.test("draws the regions of an earlier and of a newer version of the page, with a note", () => {
  for (const [version, said] of [[1, "an earlier"], [3, "an earlier"], [5, "a newer"]] as const) {
    const files = documents((image) => image.image_metadata.acq_viewer.version = version);
    const { drawn, look, note } = restore(files);
    assert.deepEqual([selectBands(drawn.regions).length, drawn.measurements, look], [1, {}, {}]);
    const words =
      `These measurements were saved by ${said} version of the page: only their regions are shown.`;
    assert.equal(note, words);
  }
});

Deno.test("an archive has each wavelength as a channel", () => {
  const files = documents((image) => {
    image.image_metadata.acq_server.spectral = { size: 4, index: "c = channel * size + l" };
    image.image_metadata.acq_viewer.position.l = 3;
  });
  const channels = Array.from({ length: 8 }, (_, index) => ({ index, name: `l=${index}` }));
  const { drawn, position } = restoreDocuments(findDocumentsIn(files)[0]!, { ...INFO, channels } as Json);
  // The first channel of the file at its last wavelength.
  assert.deepEqual([drawn.measurements!.velocity!.channel, position.l], ["3", 0]);
  // In the recording itself the channel is the second one that was opened.
  const sizes = { ...INFO.header.sizes, L: 4 };
  const own = restoreDocuments(
    findDocumentsIn(files)[0]!,
    { ...INFO, header: { ...INFO.header, sizes } } as Json,
  );
  assert.deepEqual([own.drawn.measurements!.velocity!.channel, own.position.l], ["1", 3]);
});

Deno.test("saves analyses of other programs again with their tables", async () => {
  const others = [
    { id: "velocity-2", type: "diameter", roi_id: "band-3", resources: [{ id: "t", path: "t.csv" }] },
    { id: "gone", type: "area", roi_id: "removed", resources: [{ id: "u", path: "u.csv" }] },
  ];
  const [image, analyses] = documents((image, { analyses }) => {
    image.image_metadata.microscope = "A";
    image.experiment_metadata = { mouse: 7 };
    analyses.push(...others);
  });
  const tables = [{ name: "t.csv", text: "a\r\n1\r\n" }, { name: "u.csv", text: "b\r\n2\r\n" }];
  const files = [
    ...[image!, analyses!].map((file) => ({ ...file, mediaType: "application/json" })),
    ...tables.map((file) => ({ ...file, mediaType: "text/csv" })),
  ];
  const collection = { id: "c", name: "C", member: { id: "m", name: "M", accepted: true } };
  const own = { type: "trace", parameters: {}, summary: {}, tables: [] };
  const member = {
    accepted: true,
    rois: writeRegions(DRAWN.regions, SHAPE, false),
    imageMetadata: { acq_viewer: {} },
    analyses: [own, own],
  };
  const { id, name, experimentMetadata, imageMetadata, analyses: saved } = await carryOver(member as Json, {
    info: { collection } as Json,
    metadata: () => Promise.resolve(files),
  }) as Json;
  assert.deepEqual([id, name, experimentMetadata], ["m", "M", { mouse: 7 }]);
  assert.deepEqual([imageMetadata.microscope, imageMetadata.acq_viewer], ["A", {}]);
  assert.deepEqual(saved.map(({ id, roiId = "" }: Json) => `${id} ${roiId}`), [
    "trace-1 ",
    "trace-2 ",
    "velocity-2 band-3",
    "gone ",
  ]);
  assert.deepEqual(saved[2].tables, [{ id: "t", name: "t", csv: tables[0]!.text }]);
});

Deno.test("saves what the documents of acqstore hold again, but no analysis without a table", async () => {
  const files = documents((image, analyses) => {
    image.experiment_metadata = { mouse: 7 };
    analyses.analyses.push({ id: "bare", type: "area" });
  }).map(({ name, text }) => ({
    name,
    text: text.replaceAll('"store-', '"acqstore-'),
    mediaType: "application/json",
  }));
  assert.match(files[0]!.text, /acqstore-acqimage/);
  const collection = { id: "c", name: "C", member: { id: "m", name: "M", accepted: true } };
  const member = { accepted: true, rois: [], imageMetadata: {}, analyses: [] };
  const { id, experimentMetadata, analyses } = await carryOver(member as Json, {
    info: { collection } as Json,
    metadata: () => Promise.resolve(files),
  }) as Json;
  assert.deepEqual([id, experimentMetadata, analyses], ["m", { mouse: 7 }, []]);
});

Deno.test("prefers the browser's own work, and offers that of the file if it differs", async () => {
  const files = documents().map((file) => ({ ...file, mediaType: "application/json" }));
  const collection = { id: "c", name: "C", member: { id: "m", name: "M", accepted: true } };
  const info = { ...INFO, collection, source: { path: "/a.zip", name: "a.zip" } };
  const recall = (own: Json, metadata = () => Promise.resolve(files)) =>
    recallSaved(own, { info: info as Json, metadata: metadata as Json });
  const fresh = await recall(null);
  const drawn = fresh!.work.look!.drawn!;
  assert.deepEqual([fresh!.isOther, selectBands(drawn.regions).length, drawn.accepted, fresh!.saved], [
    false,
    1,
    null,
    { note: "", offer: null },
  ]);
  const work = (words: string, drawn: object | null, isOther = false) => ({
    work: { words, look: { drawn } },
    isOther,
  });
  const offered = async (own: Json) => (await recall(own))!.saved!.offer !== null;
  assert.equal(await offered(work("1 line", { origin: null })), true);
  assert.equal(await offered(work("1 line", { origin: drawn.origin })), false);
  // All was removed, which is work too.
  const removed = work("", { origin: drawn.origin });
  assert.equal((await recall(removed as Json))!.work, removed.work as Json);
  // A view alone, of this content and of another.
  assert.equal((await recall(work("", null) as Json))!.work.look!.drawn!.regions.length, 4);
  const { isOther, work: { look } } = (await recall(work("", null, true) as Json))!;
  assert.deepEqual([isOther, look!.drawn!.measurements!.velocity!.results[0]!.found.length], [false, 2]);
  const damaged = await recall(null, () => Promise.reject(new Error("no room")));
  assert.equal(damaged!.saved!.note, "The measurements of the file are not shown: no room");
  assert.equal(
    await recallSaved(null, { info: { ...info, collection: null } as Json, metadata: null as Json }),
    null,
  );
});

Deno.test("rejects newer documents and invalid ones", () => {
  const rows: [files: { name: string; text: string }[], message: RegExp][] = [
    [documents((image) => image.version = 2), /^acqimage\/1\.json has version 2/],
    [documents((_, analyses) => analyses.analyses = 3), /^analyses\/1\.json breaks its schema/],
    [documents((image) => image.rois[0].start = [0.5, 0]), /breaks its schema/],
    [documents((image) => image.rois[0].type = "constructor"), /breaks its schema/],
    [[{ name: "acqimage/1.json", text: "{" }], /^acqimage\/1\.json is not JSON\.$/],
  ];
  for (const [files, message] of rows) {
    assert.throws(
      () => findDocumentsIn(files),
      (error) => error instanceof DocumentFault && message.test(error.message),
    );
  }
  assert.deepEqual(
    findDocumentsIn([{ name: "other.json", text: "[]" }, { name: "x.json", text: "null" }]),
    [],
  );
});

Deno.test("keeps numbers that JSON lacks, and words that look like them", () => {
  const value = { a: [NaN, Infinity, -Infinity, 0.1], note: "NaN" };
  assert.deepEqual(unpackNumbers(JSON.parse(JSON.stringify(packNumbers(value)))), value);
});

Deno.test("reads a ZIP file that arrives in pieces of any size", async () => {
  const files = documents();
  const bytes = zipOf(files.map(({ name, text }) => [name, new TextEncoder().encode(text)]));
  const read = async (part: BlobPart) =>
    await Promise.all(
      (await listZipEntries(new Blob([part]))).map(async ({ name, read }) => ({ name, text: await read() })),
    );
  assert.deepEqual(await read(bytes), files);
  for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 40)) {
    await assert.rejects(read(bytes.slice(0, length)), ZipFault, `cut at ${length}`);
  }
  // Any byte may be damaged: nothing but a fault or a text comes of it.
  for (let at = 0; at < bytes.length; at += 7) {
    const damaged = bytes.slice();
    damaged[at]! ^= 0xff;
    await read(damaged).catch((error) => assert(error instanceof ZipFault, `${at}: ${error.stack}`));
  }
});

Deno.test("rejects an entry of a ZIP file whose bytes do not have its checksum", async () => {
  const files = documents();
  const bytes = zipOf(files.map(({ name, text }) => [name, new TextEncoder().encode(text)]));
  const read = async () => {
    const entries = await listZipEntries(new Blob([bytes]));
    return await Promise.all(entries.map(({ read }) => read().then(() => "", ({ message }) => message)));
  };
  assert.deepEqual(await read(), files.map(() => ""));
  // The checksum of the first entry, in the directory.
  bytes[Buffer.from(bytes).indexOf("PK\x01\x02") + 16]! ^= 1;
  assert.deepEqual(await read(), [
    `${files[0]!.name} is damaged: its checksum differs`,
    ...files.slice(1).map(() => ""),
  ]);
});

Deno.test("CRC-32 by its check value", () => {
  assert.equal(computeCrc32(new TextEncoder().encode("123456789")), 0xcbf43926);
  assert.equal(computeCrc32(new Uint8Array()), 0);
});

Deno.test("restores the sound part of damaged settings, and says what is left out", () => {
  const [image] = findDocumentsIn(documents((image) => {
    const own = image.image_metadata[OWN_KEY];
    own.look = { source: { channels: [{ index: 0, range: null }] } };
    own.settings.traces = { kind: 7 };
    own.settings.measurements.events.results[0].of = null;
    own.position = { t: "x" };
  }));
  const { drawn, look, position, note } = restoreDocuments(image!, INFO);
  assert.deepEqual([look, position], [{}, { t: 0, z: 0, l: 0 }]);
  assert.deepEqual([drawn.traces, Object.keys(drawn.measurements!)], [null, [
    "velocity",
    "diameter",
    "sparks",
  ]]);
  assert.deepEqual(drawn.regions, DRAWN.regions);
  assert.equal(
    note,
    "Damaged in the file and left out: settings of traces, measurements, position, display of the image.",
  );
});
