/**
 * OME-Zarr 0.1 to 0.5: a Zarr hierarchy (version 2 or 3) in a directory or a ZIP file.
 *
 * The outermost group holds the attributes (`.zattrs`, or `attributes` of `zarr.json`, there under `ome` from 0.5
 * on). `multiscales[0]` names the axes and the datasets from full resolution down; `datasets[0].path` is the array
 * that is read. Its metadata (`.zarray` or `zarr.json`) give shape, type, chunk grid, codecs and fill value; chunk
 * (1, 0, 2) lies under `1.0.2`, `1/0/2` or `c/1/0/2`, and an absent one stands for the fill value. A shard is a
 * chunk with an index of inner chunks. `omero.channels` has names; `OME/METADATA.ome.xml` of the bioformats2raw
 * layout (first series) names, pixel sizes and the date of acquisition.
 *
 * Refused: plates and wells (a field is opened instead), groups without an image, versions from 0.6 on, data types
 * that are no number, unknown codecs, chunk grids, key encodings and metadata fields, chunks that do not decode to
 * their exact length, absent chunks without a fill value, links that leave the store, encrypted ZIP entries.
 */
import { oneScene, type Scenes, type Source } from "../reader.ts";
import { acquisitionInCollection } from "./collection_member.ts";
import { readStoredImage } from "./stored_image.ts";

/** Opens the image of a directory or ZIP store, shaped by the collection that it belongs to. */
export async function scenes(source: Source): Promise<Scenes> {
  return oneScene(await acquisitionInCollection(readStoredImage(source), source.path, source.files));
}
