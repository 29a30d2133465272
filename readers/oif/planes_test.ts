import { deepEqual, equal, throws } from "node:assert/strict";
import { codesOf } from "../../tests/warning_codes.ts";
import { findPattern, PlaneGrid, sortPlaneNames } from "./planes.ts";
import { takeLastPart } from "./streams.ts";

Deno.test("distinguishes planes, reference images and other files by name", () => {
  const { places, references, warnings } = sortPlaneNames([
    "S_c001z002T0003.TIF",
    "s_C001Z001T0001.tif",
    "s_C001-R001.tif",
    "s_C001-R002.tif",
    "s_C001Z001T0001.pty",
    "s_C01.tif",
    "s_C000Z001T001.tif",
    "s_C001C002.tif",
    "s_Thumb.bmp",
    "other_C001.tif",
    "notes.txt",
  ]);
  deepEqual(places[0]!.planes.map(({ name, numbers }) => [name, Object.fromEntries(numbers)]), [
    ["S_c001z002T0003.TIF", { C: 1, Z: 2, T: 3 }],
    ["s_C001Z001T0001.tif", { C: 1, Z: 1, T: 1 }],
  ]);
  deepEqual(references.map(({ name }) => name), ["s_C001-R001.tif"]);
  deepEqual(codesOf(warnings), ["reference_unreadable"]);
});

Deno.test("rejects two files for one plane", () => {
  for (const other of ["s_C0001.tif", "S_c001.TIF"]) {
    const { places: [place] } = sortPlaneNames(["s_C001.tif", other]);
    throws(
      () => new PlaneGrid(place!.planes, 1),
      new RegExp(`"s_C001.tif" and "${other}" are the same plane`),
    );
  }
});

Deno.test("names a missing plane by its channel and the axes with several positions", () => {
  const grid = new PlaneGrid(sortPlaneNames(["s_C001Z001.tif", "s_C002Z002.tif"]).places[0]!.planes, 2);
  equal(grid.name({ channel: 1, z: 1, t: 0, l: 0 }), "s_C002Z002.tif");
  throws(() => grid.name({ channel: 1, z: 0, t: 0, l: 0 }), {
    tag: "plane_not_found",
    message: "there is no image for C002Z001",
  });
});

Deno.test("serves stage positions as scenes, and other axes at their first position", () => {
  const { places, warnings } = sortPlaneNames([
    "s_C001P002A001.tif",
    "s_C001P001A001.tif",
    "s_C001P001A002.tif",
  ]);
  deepEqual(places.map(({ number, planes }) => [number, planes.map(({ name }) => name)]), [
    [1, ["s_C001P001A001.tif"]],
    [2, ["s_C001P002A001.tif"]],
  ]);
  deepEqual(codesOf(warnings), ["axis_reduced"]);
});

Deno.test("drops storage and export marks from names of an OIB", () => {
  equal(takeLastPart("Storage00001/s_C001.tif"), "s_C001.tif");
  equal(takeLastPart("..\\..\\etc\\s_C001.tif"), "s_C001.tif");
  equal(takeLastPart("Storage00001/s_GSTabc=C001.tif"), "s_C001.tif");
  for (const name of ["GST.tif", "s=C001.tif", "a=GST.tif"]) equal(takeLastPart(name), name);
});

const served = ({ places }: { places: readonly { planes: readonly { name: string }[] }[] }) =>
  places.flatMap(({ planes }) => planes.map(({ name }) => name));

/** The images that settings of the same name, or of another one, describe. */
const described = (...names: (string | [settings: string, image: string | null])[]) =>
  names.map((one) => {
    const [settings, image] = typeof one === "string" ? [one, one] : one;
    return { settings: `${settings}.tif`, image: image && `${image}.tif` };
  });

Deno.test("serves the images that settings name, however many others there are", () => {
  const copies = ["a_C001.tif", "a_C002.tif", "a_C003.tif", "filt_s_C001.tif", "filt_s_C002.tif"];
  const planes = ["s_C001.tif", "s_C002.tif"];
  const warned = (named: Parameters<typeof sortPlaneNames>[1]) => {
    const found = sortPlaneNames([...copies, ...planes, "s_C001Z001.tif"], named);
    return [served(found), codesOf(found.warnings)];
  };
  deepEqual(warned(described("s_C001", "s_C002")), [planes, []]);
  // Without its own settings, an image belongs to those of its kind.
  deepEqual(warned(described("s_C002")), [planes, []]);
  deepEqual(warned(described(["t_C001", "a_C001"], ["t_C002", "a_C002"])), [copies.slice(0, 3), []]);
  // Copies that have settings too.
  deepEqual(warned(described("a_C001", "s_C001", "s_C002")), [planes, ["content_left_out"]]);
  // The name of the settings says where an image belongs whose own name does not.
  const renamed = sortPlaneNames(["x.tif", ...planes], described(["s_C003", "x"], "s_C001", "s_C002"));
  deepEqual(renamed.places[0]!.planes.map(({ name, numbers }) => [name, numbers.get("C")]), [
    ["x.tif", 3],
    ["s_C001.tif", 1],
    ["s_C002.tif", 2],
  ]);
  // Of two files for one plane, the one that is named.
  deepEqual(served(sortPlaneNames(["s_C0001.tif", "s_C001.tif"], described("s_C001"))), ["s_C001.tif"]);
});

Deno.test("serves no copies instead of planes that are missing", () => {
  deepEqual(served(sortPlaneNames(["filt_s_C001.tif"], described(["s_C001", null]))), []);
  deepEqual(served(sortPlaneNames(["filt_s_C001.tif"], [], [findPattern("s_C%03d.pty")!])), []);
});

Deno.test("takes the planes from the pattern of the main settings if no image has settings", () => {
  const names = ["MAX_C001.tif", "MAX_C002.tif", "cell_C001Z001.tif", "cell_C001.tif", "cell_C002.tif"];
  const at = (...settings: string[]) =>
    served(sortPlaneNames(names, [], settings.map((one) => findPattern(one)!)));
  deepEqual(at("cell_C%03dZ%03d.pty"), ["cell_C001Z001.tif"]);
  deepEqual(at("cell_C%03d.pty"), ["cell_C001.tif", "cell_C002.tif"]);
  deepEqual(at("cell_C002.pty"), ["cell_C001.tif", "cell_C002.tif"]);
  throws(
    () => sortPlaneNames(names),
    /nothing says whether images like "MAX_C001.tif" and "cell_C001Z001.tif" are/,
  );
  equal(findPattern("s_first.pty"), null);
});

Deno.test("serves no copy of a reference image", () => {
  const names = ["filt_s_C001-R001.tif", "s_C001-R001.tif", "s_C001.tif"];
  deepEqual(sortPlaneNames(names).references.map(({ name }) => name), ["s_C001-R001.tif"]);
});
