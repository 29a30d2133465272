import { startsTiff } from "../first_bytes.ts";
import type { FileFormat } from "../format.ts";
import { inHdf5 } from "../hdf5/format.ts";

/** Imaris 5.5 and later. */
export const IMARIS: FileFormat = {
  name: "ims",
  title: "Imaris",
  extensions: [".ims"],
  ...inHdf5((file) =>
    file.attributeNames("/").some((name) => name === "ImarisDataSet" || name === "DataSetInfoDirectoryName")
  ),
  explains: (head) =>
    startsTiff(head)
      ? "it is a file of Imaris 2.7, which is a kind of TIFF: save it in a newer version"
      : null,
  load: () => import("./mod.ts"),
};
