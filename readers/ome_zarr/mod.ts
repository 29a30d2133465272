/**
 * OME-Zarr 0.1 to 0.5: a Zarr hierarchy (version 2 or 3) in a directory or a ZIP file.
 *
 * The outermost group holds the attributes (`.zattrs`, or `attributes` of `zarr.json`, there under `ome` from 0.5
 * on). `multiscales[0]` names the axes and the datasets from full resolution down; `datasets[0].path` is the array
 * that is read. Its metadata (`.zarray` or `zarr.json`) give shape, type, chunk grid, codecs and fill value; chunk
 * (1, 0, 2) lies under `1.0.2`, `1/0/2` or `c/1/0/2`, and an absent one stands for the fill value. A shard is a
 * chunk with an index of inner chunks. `omero.channels` has names and colours; `OME/METADATA.ome.xml` of the
 * bioformats2raw layout names, pixel sizes, time stamps and the date of acquisition.
 *
 * Scenes are the series of a bioformats2raw layout and the fields of a plate; any other image is the only one.
 *
 * Refused: wells (a field is opened instead, or the plate), groups without an image, versions from 0.6 on, data types
 * that are no number, unknown codecs, chunk grids, key encodings and metadata fields, chunks that do not decode to
 * their exact length, absent chunks without a fill value, links that leave the store, encrypted ZIP entries.
 */
import type { Acquisition, Scenes, Source } from "../reader.ts";
import { imageList } from "./image_list.ts";
import { ImageScenes } from "./image_scenes.ts";
import { openStore } from "./opened_store.ts";
import { acquisitionOf, type StoredImage } from "./stored_image.ts";

/**
 * Opens the images of a directory or ZIP store.
 *
 * @param shape shapes the image that a collection can have as a member: the first one of what is not a plate
 */
export function imageScenes(
  { path, files }: Source,
  shape: (stored: StoredImage) => Promise<Acquisition>,
): Scenes {
  const opened = openStore({ path, files });
  const list = imageList(opened);
  const isMember = (scene: number) => list.kind !== "plate" && scene === 0;
  return new ImageScenes(
    opened,
    list,
    (stored, scene) => isMember(scene) ? shape(stored) : Promise.resolve(acquisitionOf(stored, files)),
  );
}
