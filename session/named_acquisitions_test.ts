import { deepEqual } from "node:assert/strict";
import { loadGroupings, SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { groupByName } from "./named_acquisitions.ts";

const GROUPINGS = await loadGroupings();

/** Each acquisition as the file to open, its format, and what belongs to it. */
function named(names: readonly string[], folder = "day", allowed: readonly string[] = SUPPORTED_EXTENSIONS) {
  const folders = names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1));
  const files = names.filter((name) => !name.endsWith("/"));
  return groupByName(GROUPINGS, folder, files, folders, allowed)
    .map(({ name, format, files, folder }) => {
      const rest = files.filter((file) => file !== name);
      return [`${format} ${name}`, ...rest, ...folder === null ? [] : [`${folder}/`]].join(" + ");
    });
}

Deno.test("finds single files by their extension", () => {
  deepEqual(
    named([
      "a.tif",
      "a.oir",
      "A.CZI",
      "a.nd2",
      "a.lif",
      "a.ome.zarr.zip",
      "a.oib",
      "notes.txt",
      "a.mdb",
      "tif",
    ]),
    [
      "tif a.tif",
      "oir a.oir",
      "czi A.CZI",
      "nd2 a.nd2",
      "lif a.lif",
      "ome.zarr.zip a.ome.zarr.zip",
      "oib a.oib",
    ],
  );
});

Deno.test("numbered names alone do not make a set", () => {
  const alone = [
    "20250722_A89_0003.tif",
    "20250722_A89_0005.tif",
    "cell_00001.tif",
    "cell_00002.tif",
    "cell_T1.ome.tif",
    "cell_T2.ome.tif",
    "scan_0001.oir",
    "scan_0002.oir",
  ];
  deepEqual(named(alone).map((text) => text.split(" ")[1]), alone);
});

Deno.test("joins an OIR file with its files of five digits, with or without the extension", () => {
  deepEqual(named(["s.oir", "s_00001", "s_00002.oir", "s_0001.oir", "t_00001.oir", "u_00001"]), [
    "oir s.oir + s_00001 + s_00002.oir",
    "oir s_0001.oir",
    "oir t_00001.oir",
  ]);
});

Deno.test("joins a CZI file with its parts numbered in parentheses", () => {
  deepEqual(named(["a.czi", "a (1).czi", "a(2).czi", "b (1).czi"]), [
    "czi a.czi + a (1).czi + a(2).czi",
    "czi b (1).czi",
  ]);
});

Deno.test("joins an OIF file with its folder of planes", () => {
  deepEqual(named(["a.oif", "a.oif.files/", "b.OIF", "b.oif.files/", "c.oif.files/"]), [
    "oif a.oif + a.oif.files/",
    "oif b.OIF + b.oif.files/",
  ]);
  deepEqual(named(["s_C001T001.tif", "s_C001T002.tif", "s_C001-R001.tif", "a.pty"], "a.oif.files"), [
    "tif s_C001T001.tif + s_C001T002.tif + s_C001-R001.tif",
  ]);
});

Deno.test("joins a Prairie View document with its images and sources", () => {
  const parts = [
    "n_Cycle00001_Ch1_000001.ome.tif",
    "n_Cycle00002_Ch1_000001.ome.tif",
    "n-Cycle00001_Ch1Source.tif",
  ];
  deepEqual(named(["n.xml", "n.env", ...parts]), [`prairie n.xml + ${parts.join(" + ")}`]);
  deepEqual(named(["moved.xml", "x.xml", ...parts], "moved"), [`prairie moved.xml + ${parts.join(" + ")}`]);
  deepEqual(named(["only.xml", ...parts]), [`prairie only.xml + ${parts.join(" + ")}`]);
  deepEqual(named(parts), [`tif ${parts[0]} + ${parts[1]}`, `tif ${parts[2]}`]);
  // Many programs write XML.
  deepEqual(named(["settings.xml"]), []);
  deepEqual(named(["n.xml", ...parts], "day", [".tif", ".ome.tif"]), [
    `tif ${parts[0]} + n.xml + ${parts[1]} + ${parts[2]}`,
  ]);
});

Deno.test("joins sets of TIFF by the naming of each program", () => {
  const sets: Record<string, readonly string[]> = {
    "ScanImage": ["a_00001_00001.tif", "a_00001_00002.tif"],
    "another acquisition": ["a_00002_00001.tif"],
    "NDTiff": ["b_NDTiffStack.tif", "b_NDTiffStack_1.tif", "b_NDTiffStack_10.tif"],
    "Micro-Manager": ["c_MMStack_Pos0.ome.tif", "c_MMStack_Pos0_1.ome.tif", "c_MMStack_Pos1.ome.tif"],
    "FluoView": ["d_0001_C001T001.tif", "d_0001_C002T001.tif"],
    "another recording": ["d_0002_C001T001.tif"],
    "OME-TIFF": ["e_C0_TP0.ome.tif", "e_C1_TP0.ome.tif"],
    "a companion": ["f.companion.ome", "f-Z1.ome.tiff", "f-Z2.ome.tiff"],
    "no part of it": ["fg.ome.tif"],
  };
  deepEqual(
    named(Object.values(sets).flat()),
    Object.values(sets).map((names) => `tif ${names.join(" + ")}`),
  );
  deepEqual(named(["a.ome.tif", "companion.ome", "b.ome.tif", "c.tif"]), [
    "tif companion.ome + a.ome.tif + b.ome.tif",
    "tif c.tif",
  ]);
  deepEqual(named(["img_000000000__000.tif", "img_000000001__000.tif", "metadata.txt"]), [
    "tif img_000000000__000.tif + img_000000001__000.tif",
  ]);
  deepEqual(named(["ChanA_0001_0001_0001_0001.tif", "ChanA_0001_0001_0001_0002.tif"]), [
    "tif ChanA_0001_0001_0001_0001.tif + ChanA_0001_0001_0001_0002.tif",
  ]);
  deepEqual(named(["ChanA_001_001_001_001.tif", "ChanB_001_001_001_001.tif", "Experiment.xml"]), [
    "tif ChanA_001_001_001_001.tif + ChanB_001_001_001_001.tif",
  ]);
});

Deno.test("lists only files that may be opened", () => {
  deepEqual(named(["a.tif", "a.oir", "b.ome.tif"], "day", [".oir"]), ["oir a.oir"]);
  deepEqual(named(["a.tif", "b.ome.tif"], "day", [".tif"]), ["tif a.tif"]);
});
