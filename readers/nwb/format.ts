import type { FileFormat } from "../format.ts";
import { inHdf5 } from "../hdf5/format.ts";

/** Neurodata Without Borders, version 2. */
export const NWB: FileFormat = {
  name: "nwb",
  title: "NWB",
  extensions: [".nwb"],
  ...inHdf5((file) => file.attributeNames("/").includes("nwb_version")),
  load: () => import("./mod.ts"),
};
