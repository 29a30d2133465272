/** What an archive keeps: of its recording, and of the members of collections and archives that are exported again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validatePath } from "../../cli/verdict.ts";
import { encodeOrder } from "../../session/archive/content/parsed_order.ts";
import { type Packer, streamZip } from "../../session/archive/archive.ts";
import { OrderMemory } from "../../session/archive/order_memory.ts";
import { ExportResponse, OpenResponse } from "../../schemas/http.ts";
import { DOCUMENTS, FILES, writeCollection } from "../collection_tree.ts";
import { noise, write, writePlainStore } from "../fixtures/plain_store.ts";
import { omeImage, omeXml } from "../fixtures/ome_xml.ts";
import { grayLayout, tiffBytes } from "../fixtures/tiff_writer.ts";
import { roundTrip } from "../round_trip.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { expectError, Harness } from "./harness.ts";

// deno-lint-ignore no-explicit-any -- documents are compared as plain values
type Doc = any;

const LINE_SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));
const CSV = "t,v\n0,1\n1,\n";
const SPACE = { coordinate_space: "primary-image-full-resolution-pixels" };

interface Exported {
  readonly server: Harness;
  readonly folder: string;
  /** Exports into a new file, and returns its path with the warnings. */
  exported(order: Doc): Promise<{ readonly file: string; readonly warnings: readonly string[] }>;
  /** The documents of the member that opens as a scene of a file. */
  documents(file: string, scene?: number): Promise<ReadonlyMap<string, Doc>>;
}

async function opened(server: Harness, path: string, choice: { scene: number }) {
  return OpenResponse.parse(await (await server.post("/api/v2/open", { path, ...choice })).json());
}

function withServer(use: (given: Exported) => Promise<void>): () => Promise<void> {
  return async () => {
    using temporary = temporaryFolder();
    await using server = new Harness();
    let files = 0;
    await use({
      server,
      folder: temporary.path,
      async exported(order) {
        const response = await server.post("/api/v2/export", order);
        const body = await response.json();
        assert.equal(response.status, 200, JSON.stringify(body));
        const { downloadUrl, warnings } = ExportResponse.parse(body);
        const file = join(temporary.path, `${files += 1}.zip`);
        const archive = await server.request(downloadUrl);
        await Deno.writeFile(file, new Uint8Array(await archive.arrayBuffer()));
        assert.deepEqual((await validatePath(file)).problems, []);
        return { file, warnings };
      },
      async documents(path, scene = 0) {
        const { sessionId } = await opened(server, path, { scene });
        const listed: { name: string; mediaType: string; text: string }[] =
          await (await server.request(`/api/v2/sessions/${sessionId}/metadata`)).json();
        return new Map(
          listed.map(({ name, mediaType, text }) =>
            [name, mediaType === "application/json" ? JSON.parse(text) : text] as const
          ),
        );
      },
    });
  };
}

const member = (id: string, csv = CSV) => ({
  id,
  name: `Cell ${id}`,
  accepted: true,
  rois: [{ id: "band", type: "rectangle", start: [0, 0], stop: [20, 30], ...SPACE }],
  experimentMetadata: { mouse: 7 },
  imageMetadata: { note: "deep" },
  analyses: [{
    id: "a",
    type: "velocity",
    roiId: "band",
    channel: 1,
    parameters: { window: 100 },
    summary: { mean: 0.8 },
    tables: [{ id: "t", name: "Velocities", csv }],
  }],
});

Deno.test(
  "an archive of an archive has the same regions, analyses, tables, metadata and judgement",
  withServer(async ({ exported, documents }) => {
    const { file } = await exported({ members: [{ path: LINE_SCAN, ...member("m") }] });
    const again = await exported({ members: [{ path: file }] });
    assert.deepEqual(again.warnings, []);
    assert.deepEqual(await documents(again.file), await documents(file));
  }),
);

Deno.test(
  "archives that are joined keep their members, and ids that collide get a number",
  withServer(async ({ server, exported, documents }) => {
    const one = await exported({ name: "One", members: [{ path: LINE_SCAN, ...member("m", "t\n1\n") }] });
    const two = await exported({ name: "Two", members: [{ path: LINE_SCAN, ...member("m", "t\n2\n") }] });
    const joined = await exported({ name: "Day 1", members: [{ path: one.file }, { path: two.file }] });
    const { collection } = await opened(server, joined.file, { scene: 1 });
    assert.deepEqual(collection!.member, { id: "m-2", name: "Cell m", accepted: true });
    assert.equal(collection!.name, "Day 1");
    assert.equal((await documents(joined.file, 0)).get("tables/1-1.csv"), "t\n1\n");
    assert.equal((await documents(joined.file, 1)).get("tables/2-1.csv"), "t\n2\n");
    // A whole collection keeps its name.
    const again = await exported({
      members: [{ path: joined.file, scene: 0 }, { path: joined.file, scene: 1 }],
    });
    assert.equal((await server.open(again.file)).collection!.name, "Day 1");
    // An id that the order states stays.
    const stated = await exported({ members: [{ path: one.file }, { path: two.file, id: "m" }] });
    assert.equal((await server.open(stated.file)).collection!.member.id, "m-2");
  }),
);

Deno.test(
  "a field of the order replaces what the member has, even if it is empty",
  withServer(async ({ server, exported, documents }) => {
    const { file } = await exported({ members: [{ path: LINE_SCAN, ...member("m") }] });
    const { sessionId } = await server.open(file);
    const replaced = await exported({
      members: [{ sessionId, accepted: false, rois: [], experimentMetadata: {}, analyses: [] }],
    });
    const found = await documents(replaced.file);
    const image = found.get("acqimage/1.json");
    assert.deepEqual([image.accepted, image.rois, image.experiment_metadata], [false, [], {}]);
    assert.equal(image.image_metadata.note, "deep");
    assert.equal(found.has("analyses/1.json"), false);
  }),
);

Deno.test(
  "a collection keeps what its members have, and names what it cannot keep",
  withServer(async ({ folder, exported, documents }) => {
    writeCollection(folder);
    const [analysis] = DOCUMENTS.analyses.analyses;
    const { resources } = analysis;
    const analyses = [
      { ...analysis, parameters: { window: 3 }, summary: { mean: 2 } },
      { ...analysis, id: "lost", resources: [{ ...resources[0], path: "tables/none.csv" }] },
      { ...analysis, id: "elsewhere", roi_id: "gone" },
    ];
    write(join(folder, FILES.analyses), { ...DOCUMENTS.analyses, analyses });
    const rois = [...DOCUMENTS.acqimage.rois, { id: "out", type: "point", position: [6, 0], ...SPACE }];
    write(join(folder, FILES.acqimage), {
      ...DOCUMENTS.acqimage,
      rois,
      experiment_metadata: { mouse: 7 },
      image_metadata: { note: "deep" },
    });
    write(join(folder, FILES.reference), { ...DOCUMENTS.reference, metadata: { lens: "40x" } });
    const { file, warnings } = await exported({ members: [{ path: folder }] });
    const found = await documents(file);
    const image = found.get("acqimage/1.json");
    assert.deepEqual(image.rois, DOCUMENTS.acqimage.rois);
    assert.deepEqual(image.axis_display, DOCUMENTS.acqimage.axis_display);
    assert.deepEqual(image.experiment_metadata, { mouse: 7 });
    assert.equal(image.image_metadata.note, "deep");
    assert.equal(found.get("reference/1.json").metadata.lens, "40x");
    assert.deepEqual(found.get("analyses/1.json").analyses, [{
      ...analysis,
      parameters: { window: 3 },
      summary: { mean: 2, acq_server: { tables: { r1: "0001" } } },
      resources: [{ ...resources[0], path: "tables/1-1.csv" }],
    }]);
    assert.equal(found.get("tables/1-1.csv"), CSV);
    assert.deepEqual(warnings, [
      'Of the collection "Collection", its tables are left out',
      '"First": The region "out" is left out: the point [6, 0] lies outside the image of 6 columns and 4 rows',
      '"First": The table "tables/none.csv" is left out: it does not exist, or is not a CSV file of the collection',
      '"First": The analysis "lost" is left out: it has no table',
      '"First": The analysis "elsewhere" is left out: its region "gone" is not written',
    ]);
  }),
);

Deno.test(
  "an analysis follows its channel, and is left out with a warning where the channel is not exported",
  withServer(async ({ server, exported, documents }) => {
    const { file } = await exported({ members: [{ path: LINE_SCAN, ...member("m") }] });
    const channelOf = async (channelIndices: number[]) => {
      const { sessionId } = await server.open(file, channelIndices);
      const again = await exported({ members: [{ sessionId }] });
      const found = await documents(again.file);
      return [found.get("analyses/1.json")?.analyses[0].channel, again.warnings];
    };
    assert.deepEqual(await channelOf([1]), [0, []]);
    const text = '"Cell m": The analysis "a" is left out: its channel 1 is not written';
    assert.deepEqual(await channelOf([0]), [undefined, [text]]);
  }),
);

Deno.test(
  "a changed table of a member ends its export",
  withServer(async ({ server, folder }) => {
    writeCollection(folder);
    const response = await server.post("/api/v2/export", { members: [{ path: folder }] });
    const { downloadUrl } = ExportResponse.parse(await response.json());
    write(join(folder, "tables/0001.csv"), "t,v\n0,2\n1,\n");
    await expectError(server.request(downloadUrl), 409, "acquisition_changed");
  }),
);

/** A file and what its archive must keep of it. */
const RECORDINGS: Readonly<Record<string, (folder: string) => string>> = {
  "a line scan with its reference image and scan path": () => LINE_SCAN,
  "uneven time points, their date, colours and warnings": (folder) => {
    const path = join(folder, "series.ome.tif");
    const planes = [0, 0.5, 1, 61].map((t, i) =>
      `<Plane TheC="0" TheZ="0" TheT="${i}" DeltaT="${t}"/><TiffData IFD="${i}" FirstT="${i}"/>`
    );
    const pixels =
      `<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="4" SizeY="3" SizeZ="1" ` +
      `SizeC="1" SizeT="4" PhysicalSizeX="0.3" PhysicalSizeY="3e-5" PhysicalSizeYUnit="cm" TimeIncrement="0.5">` +
      `<Channel ID="Channel:0:0" Name=" GCaMP " Color="16711935"/>${planes.join("")}</Pixels>`;
    const xml = `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">` +
      `<Image ID="Image:0"><AcquisitionDate>2020-02-03T04:05:06</AcquisitionDate>${pixels}</Image></OME>`;
    Deno.writeFileSync(path, tiffBytes(grayLayout(4, 3, 16), (x) => BigInt(x), 4, [[270, 2, xml]]));
    return path;
  },
  "steps in units that OME-Zarr has not, and samples of a wider type": (folder) => {
    const path = join(folder, "rows.tif");
    const description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=furlong\nspacing=0.25\n";
    const sample = (x: number, y: number) => BigInt(x + y) << 20n;
    Deno.writeFileSync(path, tiffBytes(grayLayout(4, 3, 32), sample, 2, [[270, 2, description]]));
    return path;
  },
  "time points of one row with a time between lines": (folder) => rowsIn(folder, 0.002),
  "time points of one row, of which the last ones are missing": (folder) => rowsIn(folder, 0.002, 17),
  "time points of one row without a time": (folder) => rowsIn(folder),
  "a store without any step": (folder) => {
    const path = join(folder, "plain.ome.zarr");
    writePlainStore(path, { planes: [noise(12), noise(12)], rows: 3, columns: 4 });
    return path;
  },
};

/** An OME-TIFF of 24 time points of one row, of which so many are stored. */
function rowsIn(folder: string, interval?: number, stored = 24): string {
  const path = join(folder, "lines.ome.tif");
  const text = omeXml(omeImage({
    SizeX: 9,
    SizeY: 1,
    SizeT: 24,
    PhysicalSizeX: 0.5,
    ...interval !== undefined && { TimeIncrement: interval },
  }, "<TiffData/>"));
  const layout = grayLayout(9, 1, 16);
  Deno.writeFileSync(
    path,
    tiffBytes(layout, (x, _y, _s, t) => BigInt(100 * t + x), stored, [[270, 2, text]]),
  );
  return path;
}

for (const [name, recordingIn] of Object.entries(RECORDINGS)) {
  Deno.test(`an archive, and an archive of it, open like the original: ${name}`, async () => {
    using temporary = temporaryFolder();
    await using server = new Harness();
    assert.deepEqual(await roundTrip(server, recordingIn(temporary.path), temporary.path), []);
  });
}

Deno.test(
  "time points of one row have no position along T",
  withServer(async ({ server, folder, exported }) => {
    const path = rowsIn(folder, 0.002);
    for (const file of [path, (await exported({ members: [{ path }] })).file]) {
      const { channels, header, lineScan, times } = await server.open(file);
      assert.deepEqual([header.sizes, lineScan?.secondsPerLine, times], [{ Y: 24, X: 9 }, 0.002, null]);
      const url = channels[0]!.dataUrl;
      await expectError(server.request(`${url}?t=1`), 422, "position_out_of_range");
      const plane = new Float32Array(await (await server.request(url)).arrayBuffer());
      assert.deepEqual([plane.length, plane[9 * 23 + 8]], [24 * 9, 2308]);
    }
  }),
);

Deno.test(
  "omero shows each channel in the page's contrast and colour, or in the colour of the file",
  withServer(async ({ server, folder, exported }) => {
    const path = join(folder, "plain.ome.zarr");
    // The 1st and 99.5th percentile of 0 to 200, between ranks: 2 and 199. A flat plane has the range from its value to the next.
    const ramp = Float32Array.from({ length: 201 }, (_, i) => i / 2);
    const planes = [ramp, new Float32Array(201).fill(3)];
    writePlainStore(path, { planes, rows: 3, columns: 67, names: ["a", "b"] });
    const { file } = await exported({ members: [{ path }] });
    const { sessionId } = await server.open(file);
    const listed: { name: string; text: string }[] =
      await (await server.request(`/api/v2/sessions/${sessionId}/metadata`)).json();
    const { attributes } = JSON.parse(listed.find(({ name }) => name.endsWith("zarr.json"))!.text);
    assert.deepEqual(attributes.ome.omero.channels, [
      { label: "a", color: "00FF00", active: true, window: { min: 0, max: 100, start: 1, end: 99.5 } },
      { label: "b", color: "FF00FF", active: true, window: { min: 3, max: 4, start: 3, end: 4 } },
    ]);
    const again = await server.open(file);
    assert.deepEqual(again.channels.map(({ color }) => color), [null, null]);
  }),
);

Deno.test(
  "the planes that show the contrast are packed once, and freed if the client leaves before they are sent",
  withServer(async ({ server, folder }) => {
    const path = join(folder, "plain.ome.zarr");
    writePlainStore(path, { planes: [noise(12), noise(12)], rows: 3, columns: 4 });
    const { signal } = new AbortController();
    const options = { chosenByUser: true, version: "0", memory: new OrderMemory() };
    const archive = await server.exporter.prepare(encodeOrder({ members: [{ path }] }), options, signal);
    for (const leavesAt of ["image", "documents"] as const) {
      let [packed, released] = [0, 0];
      const packer: Packer = {
        pack: (_, { channels }) => {
          packed += 1;
          const planes = channels.map(() => [new Uint8Array(4)]);
          return Promise.resolve({ planes, contrasts: [null, null], release: () => released += 1 });
        },
        write: (_, part) => part === leavesAt ? Promise.reject(new Error("gone")) : Promise.resolve([]),
        hold: () => () => {},
      };
      await assert.rejects(new Response(streamZip(archive, packer, () => {})).arrayBuffer());
      assert.deepEqual([packed, released], [1, 1], leavesAt);
    }
  }),
);
