/** Images of OME-Zarr, shaped by the collection that they belong to. */
import { imageScenes } from "../ome_zarr/mod.ts";
import type { Scenes, Source } from "../reader.ts";
import { acquisitionInCollection } from "./member_image.ts";

/** Opens the images of a directory or ZIP store. */
export function scenes(source: Source): Promise<Scenes> {
  const { path, files } = source;
  return Promise.try(() => imageScenes(source, (stored) => acquisitionInCollection(stored, path, files)));
}
