/** OME-Zarr images, which may be members of a collection. */
import type { Format } from "../format.ts";
import { omeZarr } from "../ome_zarr/format.ts";

/** Images in a directory and in a ZIP file. */
export const OME_ZARR: readonly Format[] = omeZarr(() => import("./mod.ts"));
