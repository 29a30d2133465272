/** Nodes of hierarchies of Zarr 2 and 3 and the images that they hold, from a store in memory. */
import { deepEqual, equal, match, throws } from "node:assert/strict";
import { storeOf as memoryStore } from "../../tests/fixtures/plain_store.ts";
import { codesOf } from "../../tests/warning_codes.ts";
import { NoImage, UnsupportedFormat } from "../errors.ts";
import { findOmeAttributes, readNode } from "./hierarchy.ts";
import { listImages } from "./image_list.ts";
import type { OpenedStore } from "./opened_store.ts";
import { readStoredImage } from "./mod.ts";

const storeOf = (values: Readonly<Record<string, unknown>>) => memoryStore(new Map(Object.entries(values)));

const node = (values: Readonly<Record<string, unknown>>, path = "") => readNode(storeOf(values), path);

Deno.test("reads bare NaN and Infinity of Python's JSON as strings", () => {
  const text = String
    .raw`{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN, \" Infinity", "NaN": 1, "zarr_format": 2}`;
  deepEqual(node({ ".zgroup": text })!.metadata.fields, {
    ...{ a: "NaN", b: ["-Infinity", "Infinity"], c: 'NaN, " Infinity', NaN: 1, zarr_format: 2 },
  });
  const fill = String
    .raw`{"fill_value" : 9007199791611905, "a": "\"fill_value\": 9007199791611905,", "b": 9007199254740993}`;
  deepEqual(node({ ".zgroup": fill })!.metadata.fields, {
    ...{ fill_value: "9007199791611905", a: '"fill_value": 9007199791611905,', b: 2 ** 53 },
  });
  throws(() => node({ ".zgroup": "{NaN" }), /".zgroup" is not JSON: /);
  throws(() => node({ ".zgroup": "[]" }), /".zgroup" is not a JSON object/);
});

Deno.test("prefers documents of Zarr 3 to those of Zarr 2", () => {
  const modern = (change = {}) => ({ "zarr.json": { zarr_format: 3, node_type: "group", ...change } });
  deepEqual([node(modern())!.kind, node(modern())!.zarrFormat, node(modern())!.attributes], ["group", 3, {}]);
  equal(node({ ...modern({ node_type: "array" }), ".zgroup": {} })!.kind, "array");
  deepEqual(node(modern({ attributes: { a: 1 } }))!.attributes, { a: 1 });
  deepEqual(node(modern({ attributes: [1] }))!.attributes, {});
  throws(() => node(modern({ zarr_format: 2 })), /has the Zarr format 2/);
  throws(() => node(modern({ node_type: "file" })), /has the node type "file"/);
  throws(() => node(modern({ node_type: undefined })), /has the node type undefined/);
  const kinds = (values: Record<string, unknown>) => {
    const { kind, zarrFormat, metadata, attributes } = node(values)!;
    return [kind, zarrFormat, metadata.key, attributes];
  };
  deepEqual(kinds({ ".zarray": { zarr_format: 2 }, ".zattrs": { a: 1 } }), ["array", 2, ".zarray", { a: 1 }]);
  deepEqual(kinds({ ".zgroup": {} }), ["group", 2, ".zgroup", {}]);
  const own = { a: 1, zarr_format: 7 };
  deepEqual(kinds({ ".zattrs": own }), ["group", 2, ".zattrs", own]);
  throws(() => node({ ".zgroup": { zarr_format: 3 } }), /".zgroup" has the Zarr format 3/);
  throws(
    () => node({ ".zarray": { zarr_format: 1 }, ".zgroup": { zarr_format: 2 } }),
    /".zarray" has the Zarr format 1/,
  );
  equal(node({}), null);
  equal(node({ "a/zarr.json": { zarr_format: 3, node_type: "group" } }, "a")!.metadata.key, "a/zarr.json");
});

Deno.test('OME attributes stand under "ome" or at the top', () => {
  const attributes = (value: unknown) => findOmeAttributes(node({ ".zattrs": value })!);
  deepEqual(attributes({ ome: { a: 1 }, b: 2 }), { a: 1 });
  deepEqual(attributes({ b: 2 }), { b: 2 });
  deepEqual(attributes({ ome: 1, b: 2 }), { ome: 1, b: 2 });
});

const ARRAY = (shape: number[]) => ({
  ...{ zarr_format: 2, shape, chunks: shape, dtype: "<u2", order: "C" },
  ...{ compressor: null, filters: null, fill_value: 0 },
});
const axes = (...names: string[]) =>
  names.map((name) => ({ name, type: name === "c" ? "channel" : "space" }));
const multiscale = (change = {}) => ({
  version: "0.4",
  axes: axes("c", "y", "x"),
  datasets: [{ path: "0" }],
  ...change,
});

interface Written {
  readonly multiscale?: object;
  readonly omero?: object;
  readonly shape?: number[];
  readonly at?: string;
}

const image = ({ multiscale: own = multiscale(), omero, shape = [2, 4, 6], at = "" }: Written = {}) => ({
  [`${at}.zattrs`]: { multiscales: [own], ...omero && { omero } },
  [`${at}0/.zarray`]: ARRAY(shape),
});
const opened = (values: Readonly<Record<string, unknown>>, path = ""): OpenedStore => ({
  store: storeOf(values),
  path,
  shown: (inner) => `shown/${inner}`,
  entries: (inner) => {
    const below = inner === "" ? "" : `${inner}/`;
    const names = Object.keys(values).filter((key) => key.startsWith(below)).map((key) =>
      key.slice(below.length)
    );
    return [...new Set(names.map((name) => name.split("/")[0]!))];
  },
  fileSize: null,
});
const list = (values: Readonly<Record<string, unknown>>, path = "") => listImages(opened(values, path));
const read = (values: Readonly<Record<string, unknown>>, path = "", index = 0) =>
  readStoredImage(opened(values, path), list(values, path), index).image;
const namesOf = (...of: Parameters<typeof read>) => read(...of).channels.map(({ name }) => name);

Deno.test("takes labels and colours of channels from omero, in any spelling of six digits", () => {
  const found = (...channels: unknown[]) => {
    const { channels: own, warnings } = read(image({ omero: { channels } }));
    return [own.map(({ name }) => name), own.map(({ color }) => color), codesOf(warnings)];
  };
  deepEqual(found({ label: " Red ", color: "00FF7f" }, { label: 7, color: "#ABCDEF" }), [
    ...[["Red", "7"], ["#00ff7f", "#abcdef"], []],
  ]);
  deepEqual(found({ label: "Red", color: "00FF7" }), [["Red", "CH2"], [null, null], ["metadata_disagree"]]);
  const none = [["CH1", "CH2"], [null, null], []];
  deepEqual(found(), none);
  deepEqual(found(null, { label: "", color: 112233 }), none);
  deepEqual(found({ color: "00FF7F00" }, { color: "red" }), none);
});

Deno.test("reads an axis without a served letter at index 0, with a warning if it is longer", () => {
  const named = multiscale({ axes: ["angle", "y", "x"] });
  const warnings = (size: number) =>
    codesOf(read(image({ multiscale: named, shape: [size, 4, 6] })).warnings);
  deepEqual(warnings(1), []);
  deepEqual(warnings(2), ["axis_reduced"]);
});

Deno.test("reads OME-Zarr 0.1 to 0.6", () => {
  for (const version of ["0.1", "0.5", "0.5.2", "0.6", "0.6.dev3", undefined, 4]) {
    read(image({ multiscale: multiscale({ version }) }));
  }
  for (const version of ["0.7", "0.9.dev1", "1.0", "0.10"]) {
    const groups = [{ plate: { version } }, { well: { version } }, { ome: { version } }]
      .map((attributes) => ({ ".zattrs": attributes }));
    for (const values of [image({ multiscale: multiscale({ version }) }), ...groups]) {
      throws(() => read(values), /is not supported, only 0.1 to 0.6/);
    }
  }
  // Attributes of another program.
  throws(() => read({ ".zattrs": { version: "2.0" } }), NoImage);
  const bare = (version: string) =>
    read(image({ multiscale: multiscale({ version, axes: undefined }), shape: [1, 1, 1, 4, 6] })).warnings
      .length;
  deepEqual(["0.1", "0.2", "0.3", "0.4", "0.5"].map(bare), [0, 0, 1, 1, 1]);
});

Deno.test("rejects a group without a readable image", () => {
  throws(() => read({}), /no metadata at ""/);
  throws(() => read({ ".zarray": ARRAY([1]) }), NoImage);
  throws(() => read({ ".zgroup": {} }), NoImage);
  const datasets = (...list: object[]) => read(image({ multiscale: multiscale({ datasets: list }) }));
  throws(() => datasets(), /no dataset with a path/);
  throws(() => datasets({ path: 0 }), /no dataset with a path/);
  throws(() => datasets({ path: "../0" }), /"..\/0" leaves the store/);
  throws(() => datasets({ path: "1" }), /dataset "1" does not exist/);
  throws(() => read({ ".zattrs": { plate: {} } }), /the plate holds no field/);
  throws(() => read({ ".zattrs": { well: {} } }), UnsupportedFormat);
});

Deno.test("bounds an image at 2^30 samples in a plane and 1,000 channels", () => {
  const sized = (...shape: number[]) => {
    const array = { ...ARRAY(shape), chunks: [1, 1, 1] };
    return read({ ...image(), "0/.zarray": array }).channels.length;
  };
  equal(sized(1, 1 << 15, 1 << 15), 1);
  throws(() => sized(1, 1 << 15, (1 << 15) + 1), /a plane of 32768 x 32769 has more than 1073741824 samples/);
  equal(sized(1000, 1, 1), 1000);
  throws(() => sized(1001, 1, 1), /the image has 1001 channels, more than 1000/);
});

const layout = (value: unknown, series?: unknown) => ({
  ".zattrs": { "bioformats2raw.layout": value },
  ...series !== undefined && { "OME/.zattrs": { series } },
  ...image({ at: "0/" }),
  ...image({ at: "1/", shape: [3, 4, 6] }),
  ...image({ at: "b/", shape: [1, 4, 6] }),
});
const paths = (values: Readonly<Record<string, unknown>>, path = "") =>
  list(values, path).images.map((one) => one.path);

Deno.test("finds the images that a bioformats2raw layout lists, or else numbered ones", () => {
  deepEqual(paths(layout(3)), ["0", "1"]);
  deepEqual(paths({ ...layout(3), ...image({ at: "3/" }) }), ["0", "1"]);
  deepEqual(paths(layout(3, ["b", "0"])), ["b", "0"]);
  deepEqual(paths(layout(3, [7, "b"])), ["b"]);
  deepEqual(paths(layout(3, "b")), ["0", "1"]);
  deepEqual(paths(layout(3, [])), ["0", "1"]);
  deepEqual([0, 1].map((index) => namesOf(layout(3), "", index).length), [2, 3]);
  equal(list(layout(3)).kind, "layout");
  // The path of an image is that image alone.
  deepEqual([paths(layout(3), "1"), list(layout(3), "1").kind], [["1"], "image"]);
  throws(() => list(layout(4)), /layout 4 is unknown/);
});

Deno.test("warns about series that do not exist", () => {
  const warningsOf = (...series: string[]) => codesOf(list(layout(3, series)).warnings);
  deepEqual(warningsOf("b", "1"), []);
  deepEqual(warningsOf("../b", "1", "c"), ["scenes_left_out"]);
  throws(() => list(layout(3, ["c"])), /the layout holds no series: "c"/);
  throws(() => list({ ".zattrs": { "bioformats2raw.layout": 3 } }), /the layout holds no series/);
  // A group without an image fails when it is opened.
  throws(() => read(layout(3, ["OME"])), /"OME" holds no image/);
});

const OME_XML = (...images: string[]) =>
  `<OME>${images.map((one) => `<Image ${one}</Image>`).join("")}</OME>`;

Deno.test("matches the OME-XML of a layout to its images by their order", () => {
  const xml = OME_XML(
    'Name="first"><Pixels SizeT="1"><Channel Name="A" Color="-16776961"/><Channel Name="B"/></Pixels>',
    'Name="second"><Pixels/>',
    'Name=" third "><Pixels><Channel Name="D"/></Pixels>',
  );
  const values = { ...layout(3, ["0", "gone", "b"]), "OME/METADATA.ome.xml": xml };
  const { images, warnings } = list(values);
  deepEqual(images, [{ path: "0", name: "first" }, { path: "b", name: "third" }]);
  deepEqual(codesOf(warnings), ["scenes_left_out"]);
  deepEqual([0, 1].map((index) => namesOf(values, "", index)), [["A", "B"], ["D"]]);
  // -16776961 is ff0000ff: red, opaque.
  deepEqual(read(values).channels.map(({ color }) => color), ["#ff0000", null]);
  deepEqual(namesOf(values, "b"), ["D"]);
  // Without a list the document gives the number of images.
  const numbered = { ...layout(3), "OME/METADATA.ome.xml": xml };
  deepEqual(paths(numbered), ["0", "1"]);
  deepEqual(codesOf(list(numbered).warnings), ["scenes_left_out"]);
  const damaged = { ...layout(3), "OME/METADATA.ome.xml": "<OME>" };
  equal(list(damaged).images.length, 2);
  equal(list(damaged).warnings.length, 1);
});

Deno.test("reads the OME-XML of layouts 1 and 2 beside the series, where bioformats2raw 0.2 writes it", () => {
  const early = { "METADATA.ome.xml": OME_XML('Name="first"><Pixels><Channel Name="A"/></Pixels>') };
  const values = { ...layout(2, ["0"]), ...early };
  deepEqual(list(values).images, [{ path: "0", name: "first" }]);
  deepEqual(namesOf(values, "0"), ["A", "CH2"]);
  const both = { ...values, "OME/METADATA.ome.xml": OME_XML('Name="later"><Pixels/>') };
  deepEqual(list(both).images, [{ path: "0", name: "later" }]);
});

const wells = (...names: string[]) => ({ ".zattrs": { plate: { wells: names.map((path) => ({ path })) } } });
const well = (at: string, ...names: string[]) => ({
  [`${at}/.zattrs`]: { well: { images: names.map((path) => ({ path })) } },
});

Deno.test("lists the fields of a plate by its wells, in order", () => {
  const fields = (...names: string[]) => Object.assign({}, ...names.map((name) => image({ at: `${name}/` })));
  const plate = {
    ...wells("B/2", "A/1"),
    ...well("A/1", "1", "0"),
    ...well("B/2", "0"),
    ...fields("A/1/0", "A/1/1", "A/1/2", "B/2/0"),
  };
  deepEqual(paths(plate), ["B/2/0", "A/1/1", "A/1/0"]);
  deepEqual(list(plate).images.map(({ name }) => name), ["B/2/0", "A/1/1", "A/1/0"]);
  deepEqual([list(plate).kind, codesOf(list(plate).warnings)], ["plate", []]);
  const absent = {
    ...plate,
    ...wells("B/2", "../A", "A/1", "B/3", "B/2"),
    ...well("A/1", "0", "7", "../../.."),
  };
  deepEqual(paths(absent), ["B/2/0", "A/1/0"]);
  deepEqual(codesOf(list(absent).warnings), ["scenes_left_out"]);
  // The documents of a field are read when it is opened.
  const damaged = { ...plate, "B/2/0/.zattrs": "{" };
  equal(paths(damaged).length, 3);
  throws(() => read(damaged), /"B\/2\/0\/.zattrs" is not JSON/);
  equal(read(damaged, "", 1).path, "A/1/1");
  throws(() => list({ ...plate, "A/1/.zattrs": "{" }), /"A\/1\/.zattrs" is not JSON/);
  throws(() => list(wells("A/1")), /the plate holds no field: "A\/1"/);
  throws(() => list({ ...wells("A/1"), ...well("A/1") }), /the plate holds no field: "A\/1"/);
  throws(() => list({ ...wells("A/1"), ...well("A/1", "0") }), /the plate holds no field: "A\/1\/0"/);
});

Deno.test("bounds a plate at 10,000 wells and 100,000 fields", () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `A/${i}`);
  throws(() => list(wells(...names(10_001))), /the plate has 10001 wells, more than 10000/);
  const full = (count: number) => ({
    ...wells("A/1", "B/1"),
    ...well("A/1", ...Array.from({ length: count }, (_, i) => String(i))),
    ...well("B/1", "0"),
    ...image({ at: "B/1/0/" }),
  });
  deepEqual(paths(full(99_999)), ["B/1/0"]);
  throws(() => list(full(100_000)), /the plate has more than 100000 fields/);
});

Deno.test("reads a layout under the OME attributes or beside them", () => {
  const layout = { "bioformats2raw.layout": 3 };
  for (const attributes of [{ ome: layout }, { ome: {}, ...layout }]) {
    const group = { "zarr.json": { zarr_format: 3, node_type: "group", attributes } };
    equal(namesOf({ ...group, ...image({ at: "0/" }) }).length, 2);
  }
});

/** An image of 0.6 with one dataset; names of systems are texts in development versions. */
function placed(transformations: unknown[], { systems = ["own"], output = { name: "own" } as unknown } = {}) {
  const unit = "micrometer";
  const coordinateSystems = systems.map((name) => ({
    name,
    axes: [
      { name: "c", type: "channel" },
      ...["y", "x"].map((axis) => ({ name: axis, type: "space", unit })),
    ],
  }));
  const [first, ...rest] = transformations;
  const of = (one: unknown) => ({ ...one as object, input: { path: "0" }, output });
  return image({
    multiscale: {
      version: "0.6",
      coordinateSystems,
      datasets: [{
        path: "0",
        coordinateTransformations: first === undefined ? [] : [of(first), ...rest.map(of)],
      }],
    },
  });
}
const scale = { type: "scale", scale: [1, 0.5, 0.25] };
const sequence = (...transformations: unknown[]) => ({ type: "sequence", transformations });
const translation = { type: "translation", translation: [0, 3, 4] };
const placement = (...of: Parameters<typeof placed>) => {
  const { axes, warnings } = read(placed(...of));
  return [axes.map((axis) => axis.scale), axes.map((axis) => axis.unit), codesOf(warnings)];
};

Deno.test("takes axes and scales of OME-Zarr 0.6 from the coordinate system of the dataset", () => {
  const um = [null, "micrometer", "micrometer"];
  const found = [[1, 0.5, 0.25], um, []];
  deepEqual(placement([sequence(scale, translation)]), found);
  deepEqual(placement([sequence(sequence(scale), { type: "identity" })]), found);
  deepEqual(placement([scale], { output: "own" }), found);
  deepEqual(placement([{ type: "identity" }]), [[null, null, null], um, []]);
  deepEqual(placement([]), [[null, null, null], um, []]);
  deepEqual(placement([scale], { output: { name: "other" } }), [[1, 0.5, 0.25], um, ["metadata_disagree"]]);
  const systems = ["world", "own"];
  deepEqual(placement([scale], { systems }), [[1, 0.5, 0.25], um, ["content_left_out"]]);
});

Deno.test("names the transformations of OME-Zarr 0.6 that are not read, and gives no step", () => {
  const { axes, warnings } = read(placed([sequence(scale, { type: "affine", affine: [] })]));
  deepEqual(axes.map((axis) => axis.scale), [null, null, null]);
  deepEqual(codesOf(warnings), ["step_unknown"]);
  match(warnings[0]!.text, /of a kind that is not read, so its steps are unknown: affine$/);
});

Deno.test("reads layouts 1 to 3 of bioformats2raw, and rejects others", () => {
  for (const version of [1, 2, 3]) {
    const values = {
      ".zattrs": { "bioformats2raw.layout": version },
      ...image({ at: "0/" }),
      ...image({ at: "1/" }),
    };
    equal(list(values).images.length, 2);
  }
  for (const version of [0, 4, "3"]) {
    throws(
      () => list({ ".zattrs": { "bioformats2raw.layout": version } }),
      /bioformats2raw layout .* is unknown/,
    );
  }
});

Deno.test("says which images of a SpatialData store, its tables and its labels to open", () => {
  const values = {
    ".zattrs": { spatialdata_attrs: { version: "0.1" } },
    ...image({ at: "images/raw/" }),
    "images/.zattrs": {},
    "labels/.zattrs": { labels: ["cells", "../secret"] },
    ...image({ at: "labels/cells/" }),
    "tables/table/.zattrs": { "encoding-type": "anndata" },
  };
  const advice = (path: string, kind: string, image: string) =>
    throws(
      () => list(values, path),
      new RegExp(`^NoImage: "shown/${path}" is ${kind}; open one of its images: "shown/${image}"`),
    );
  advice("", "a SpatialData store", "images/raw");
  advice("tables/table", "a table", "images/raw");
  advice("labels", "a group of labels", "labels/cells");
  throws(() => list({ ".zattrs": {} }), /is a Zarr group without OME-Zarr image metadata \("multiscales"\)$/);
});
