/** Numbers and steps as texts state them: decimal commas, texts that are not numbers, and numbers that are not steps. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { concat } from "../fixtures/bytes.ts";
import { FIXTURES } from "../fixtures/expected.ts";
import { block, element, header, image, lifFile, samples, text } from "../fixtures/lif_writer.ts";
import { microManagerBytes } from "../fixtures/micromanager_writer.ts";
import { omeImage, omeXml } from "../fixtures/ome_xml.ts";
import { write, writeChunks } from "../fixtures/plain_store.ts";
import { type Field, filledPages, grayLayout } from "../fixtures/tiff_writer.ts";
import { loadHere, openHere } from "../load_here.ts";
import { axesIn } from "../planes.ts";
import { inFolder, type Put } from "../temporary_files.ts";

const GRAY = grayLayout(12, 8, 16);

/** Three pages of 12 x 8 samples with this description. */
const paged = (description: string, fields: readonly Field[] = []) =>
  filledPages(3, [[270, 2, description], ...fields], 1, GRAY);

/** Four pixels per unit along X, two along Y. */
const RESOLUTION: readonly Field[] = [[282, 3, [4]], [283, 3, [2]]];

type Write = (put: Put) => string;

const ome = (pixels: Readonly<Record<string, string | number>>, planes = ""): Write => (put) =>
  put("a.ome.tif", paged(omeXml(omeImage(pixels, `<TiffData/>${planes}`))));

const imageJ = (...lines: readonly string[]): Write => (put) =>
  put("a.tif", paged(["ImageJ=1.54f", "images=3", ...lines, ""].join("\n"), RESOLUTION));

const microManager = (summary: object): Write => (put) =>
  put(
    "x_MMStack_A.ome.tif",
    microManagerBytes(
      GRAY,
      { Slices: 3, PixelSize_um: 0.5, UUID: "a", ...summary },
      [0, 1, 2].map((z) => [0, z, 0, 0, z] as const),
      { described: true },
    ),
  );

const metaMorph = (x: string): Write => (put) =>
  put(
    "a.tif",
    paged(`<MetaData>${
      [["spatial-calibration-state", "on"], ["spatial-calibration-units", "um"]]
        .concat(["x", "y"].map((letter) => [`spatial-calibration-${letter}`, x]))
        .map(([id, value]) => `<prop id="${id}" type="string" value="${value}"/>`).join("")
    }</MetaData>`),
  );

/** A store of the axes Z, Y and X. */
const zarr = (scale: readonly number[], further: readonly object[] = []): Write => (put) => {
  const path = join(put("a.ome.zarr/note", ""), "..");
  writeChunks(path, {
    axes: ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" })),
    shape: [2, 3, 4],
    scale,
    chunks: [0, 1].map(() => new Uint16Array(12)),
  });
  const file = join(path, "zarr.json");
  const group = JSON.parse(Deno.readTextFileSync(file));
  group.attributes.ome.multiscales.push(...further);
  write(file, group);
  return path;
};

/** A fixture of Imaris with decimal commas in its extents, which are texts: -1.5 to 3.75 along 21 columns, and so on. */
const imaris: Write = (put) => {
  const bytes = Deno.readFileSync(join(FIXTURES, "hdf5/padded.ims"));
  const characters = new TextDecoder("latin1").decode(bytes);
  for (const extent of ["-1.5", "3.75", "8.0", "6.0"]) {
    const at = [...characters.matchAll(RegExp(extent.replace(".", "\\.") + "(?![\\d.])", "g"))];
    ok(at.length > 0);
    for (const { index } of at) bytes[index + extent.indexOf(".")] = ",".charCodeAt(0);
  }
  return put("a.ims", bytes);
};

const lif = (Length: string): Write => (put) =>
  put(
    "a.lif",
    lifFile(image([[1, 4, 1, { Length, Unit: "m" }], [2, 3, 4, { Length: 4e-6, Unit: "m" }]]), samples(12)),
  );

const seen = (written: Write) =>
  inFolder((put) =>
    openHere(written(put), (acquisition) => ({
      axes: axesIn(acquisition),
      warnings: acquisition.warnings.map((one) => `${one.code}: ${one.text}`).join("; "),
    }))
  );

const COMMAS: Readonly<Record<string, readonly [write: Write, axes: string]>> = {
  "OME-TIFF": [
    ome({ SizeZ: 3, PhysicalSizeX: "0,25", PhysicalSizeY: "0,500", PhysicalSizeZ: "-1,5" }),
    "Z3 1.5 um, Y8 0.5 um, X12 0.25 um",
  ],
  "OME-TIFF with times of planes": [
    ome(
      { SizeT: 3 },
      [0, 1, 2].map((t) => `<Plane TheC="0" TheZ="0" TheT="${t}" DeltaT="${t},5"/>`).join(""),
    ),
    "T3 1 seconds, Y8 1 Pixels, X12 1 Pixels",
  ],
  "ImageJ": [imageJ("slices=3", "unit=um", "spacing=1,5"), "Z3 1.5 um, Y8 0.5 um, X12 0.25 um"],
  "ImageJ with a frame interval": [
    imageJ("frames=3", "unit=um", "finterval=0,05"),
    "T3 0.05 seconds, Y8 0.5 um, X12 0.25 um",
  ],
  "Micro-Manager": [microManager({ "z-step_um": "1,5" }), "Z3 1.5 um, Y8 0.5 um, X12 0.5 um"],
  "MetaMorph": [metaMorph("0,25"), "Z3 1 Pixels, Y8 0.25 um, X12 0.25 um"],
  "Imaris": [imaris, "T3 2.5 seconds, C2 1 Pixels, Z5 1.5 um, Y19 0.5 um, X21 0.25 um"],
  // Three distances between four pixels.
  "LIF": [lif("0,000006"), "Y3 2 um, X4 2 um"],
};

for (const [format, [written, axes]] of Object.entries(COMMAS)) {
  Deno.test(`reads a decimal comma, and says so: ${format}`, async () => {
    const found = await seen(written);
    equal(found.axes, axes);
    match(found.warnings, /number_assumed: .* has numbers with a comma, which is read as decimal: /);
  });
}

const INVALID: Readonly<Record<string, readonly [write: Write, named: string]>> = {
  "OME-TIFF": [ome({ SizeZ: 3, PhysicalSizeZ: "1.234,5" }), 'PhysicalSizeZ "1.234,5"'],
  "ImageJ": [imageJ("slices=3", "unit=um", "spacing=1,5,2"), 'spacing "1,5,2"'],
  "Micro-Manager": [microManager({ "z-step_um": "1,234.5" }), 'z-step_um "1,234.5"'],
  "MetaMorph": [metaMorph("wide"), 'spatial-calibration-x "wide"'],
  "LIF": [lif("6 um"), 'Length "6 um"'],
};

for (const [format, [written, named]] of Object.entries(INVALID)) {
  Deno.test(`names a text in place of a number, and gives no step: ${format}`, async () => {
    const found = await seen(written);
    match(found.warnings, /metadata_damaged: .* has texts in place of numbers: /);
    ok(found.warnings.includes(named), found.warnings);
    match(found.axes, /(?:Z3|X4) 1 Pixels/);
  });
}

/** A step, the axis that it belongs to, and what is served; an axis with a step has no warning. */
const STEPS: Readonly<Record<string, readonly [write: Write, axis: string, isKnown: boolean]>> = {
  "OME-TIFF, Z below 0": [ome({ SizeZ: 3, PhysicalSizeZ: -2 }), "Z3 2 um", true],
  "OME-TIFF, Z of 0": [ome({ SizeZ: 3, PhysicalSizeZ: 0 }), "Z3 1 Pixels", false],
  "OME-TIFF, Z that is not finite": [ome({ SizeZ: 3, PhysicalSizeZ: "NaN" }), "Z3 1 Pixels", false],
  "OME-TIFF, X below 0": [ome({ SizeZ: 3, PhysicalSizeX: -0.5 }), "X12 1 Pixels", false],
  "OME-TIFF, T below 0": [ome({ SizeT: 3, TimeIncrement: -1 }), "T3 1 Pixels", false],
  "OME-TIFF, an axis of length 1": [ome({ SizeT: 3, PhysicalSizeZ: 0 }), "T3 1 Pixels", true],
  "OME-TIFF, T of 0 beside times": [
    ome(
      { SizeT: 3, TimeIncrement: 0 },
      [0, 1, 2].map((t) => `<Plane TheC="0" TheZ="0" TheT="${t}" DeltaT="${2 * t}"/>`).join(""),
    ),
    "T3 2 seconds",
    true,
  ],
  "ImageJ, Z below 0": [imageJ("slices=3", "unit=um", "spacing=-2.0"), "Z3 2 um", true],
  "ImageJ, Z of 0": [imageJ("slices=3", "unit=um", "spacing=0"), "Z3 1 Pixels", false],
  "ImageJ, T below 0": [imageJ("frames=3", "unit=um", "finterval=-2"), "T3 1 Pixels", false],
  "OME-Zarr, Z below 0": [zarr([-2, 0.5, 0.5]), "Z2 2 um", true],
  "OME-Zarr, Y of 0": [zarr([2, 0, 0.5]), "Y3 1 Pixels", false],
  "OME-Zarr, X below 0": [zarr([2, 0.5, -0.5]), "X4 1 Pixels", false],
  "Micro-Manager, Z below 0": [microManager({ "z-step_um": -2 }), "Z3 2 um", true],
  "Micro-Manager, Z of 0": [microManager({ "z-step_um": 0 }), "Z3 1 Pixels", false],
  "LIF, X of 0": [lif("0"), "X4 1 Pixels", false],
};

for (const [name, [written, axis, isKnown]] of Object.entries(STEPS)) {
  Deno.test(`takes the amount of a step along Z, and no other step that is not above 0: ${name}`, async () => {
    const found = await seen(written);
    ok(found.axes.includes(axis), found.axes);
    if (isKnown) equal(found.warnings, "");
    else match(found.warnings, RegExp(`^step_unknown: The file states a step of .* along ${axis[0]}`));
  });
}

Deno.test("names the multiscales that are not served", async () => {
  const second = { name: "second", axes: [], datasets: [{ path: "1" }] };
  match(
    (await seen(zarr([2, 0.5, 0.5], [second]))).warnings,
    /^content_left_out: The group holds 2 multiscales, of which the first is served; the others are left out: "second"$/,
  );
});

Deno.test("cuts scene names that are absolute paths to their last part", async () => {
  const names = ["/home/anna/data/one.czi", "C:\\Users\\anna\\two.lif", "\\\\server\\anna\\three", "A/1/0"];
  const document = omeXml(
    names.map((Name, i) => omeImage({}, `<TiffData IFD="${i}" PlaneCount="1"/>`, { Name })),
  );
  await inFolder(async (put) => {
    const path = put("a.ome.tif", filledPages(4, [[270, 2, document]], 1, GRAY));
    const { summary } = await loadHere(path);
    deepEqual(summary.scenes.map(({ name }) => name), ["one.czi", "two.lif", "three", "A/1/0"]);
  });
});

Deno.test("cuts the names of a LIF file's elements, and keeps the folders between them", async () => {
  const inner = element("/home/anna/one.lif", image(), "M1");
  const document = header(element("file", "", "", element("Day 1", "", "", inner)));
  await inFolder(async (put) => {
    const path = put("a.lif", concat(text(document), block("M1", samples(12))));
    deepEqual((await loadHere(path)).summary.scenes.map(({ name }) => name), ["Day 1/one.lif"]);
  });
});

const annotation = (letter: string) =>
  `<StructuredAnnotations><XMLAnnotation ID="Annotation:0"><Value><Modulo>` +
  `<ModuloAlong${letter} Type="lifetime" Unit="ps" Start="0" End="100" Step="50"/></Modulo></Value>` +
  `</XMLAnnotation></StructuredAnnotations>`;

for (const letter of ["T", "Z"]) {
  Deno.test(`names an axis that runs inside ${letter}`, async () => {
    const document = omeXml([omeImage({ [`Size${letter}`]: 3 }, "<TiffData/>"), annotation(letter)]);
    const { warnings } = await seen((put) => put("a.ome.tif", paged(document)));
    match(
      warnings,
      RegExp(`axes_assumed: ${letter} also holds the axis "lifetime" \\(ModuloAlong${letter}\\)`),
    );
  });
}
