import { startsWithText } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";
import { inHdf5 } from "../hdf5/format.ts";

/** Femtonics MESc. */
export const MESC: FileFormat = {
  name: "mesc",
  title: "Femtonics MESc",
  extensions: [".mesc"],
  ...inHdf5((file) =>
    file.attributeNames("/").includes("FileFormatVersion") &&
    file.names("/").some((name) => /^MSession_\d+$/.test(name))
  ),
  relatives: [".mes"],
  explains: (head, name) =>
    name.toLowerCase().endsWith(".mes") || startsWithText(head, "MATLAB")
      ? "it is an older file of Femtonics, a MATLAB file: export it as .mesc"
      : null,
  load: () => import("./mod.ts"),
};
