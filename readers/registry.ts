/** The formats of this build. Their readers are loaded on first use, and none of them imports this file. */
import type { DirectoryFormat, Format } from "./format.ts";
import { OME_ZARR } from "./collection/format.ts";
import { CZI } from "./czi/format.ts";
import { LIF, LOF } from "./lif/format.ts";
import { LSM } from "./lsm/format.ts";
import { ND2 } from "./nd2/format.ts";
import { OIF } from "./oif/format.ts";
import { OIR } from "./oir/format.ts";
import { PRAIRIE } from "./prairie/format.ts";
import { TIFF } from "./tiff/format.ts";

/** All formats, in the order in which they are compared with a file's first bytes. */
export const FORMATS: readonly Format[] = [TIFF, LSM, OIR, CZI, ND2, LIF, LOF, ...OIF, PRAIRIE, ...OME_ZARR];

/** Formats whose images may be directories. */
export const MARKED_FORMATS: readonly Format[] = FORMATS.filter(({ markers }) => markers !== undefined);

/** Formats whose images are directories. */
export const DIRECTORY_FORMATS: readonly DirectoryFormat[] = FORMATS.filter((format) =>
  format.container === "directory"
);
