/** Components of a colour image, which are stored as channels. */
import { DecodeFailed } from "../errors.ts";
import { COLOURS } from "../metadata/channels.ts";
import { warning } from "../warning.ts";
import { type ChannelList, shortened } from "./described_channels.ts";
import { orderedIds } from "./main_image.ts";
import type { Metadata } from "./metadata.ts";

/**
 * The components of a colour image, named by the camera documents, else in the order of their ids.
 *
 * @param stored ids with pixels, in the order in which they are stored
 * @param lost why pixels may be lost, or `null`
 * @throws {DecodeFailed} one of them has no pixels
 */
export function colourComponents(
  stored: ReadonlySet<string>,
  { properties, camera }: Metadata,
  lost: string | null,
): ChannelList {
  const ids = orderedIds(stored, properties);
  if (ids.length < COLOURS.length) {
    const why = lost === null ? "" : `: ${lost}`;
    throw new DecodeFailed(
      `${ids.length} of the ${COLOURS.length} components of a colour image have pixels${why}`,
    );
  }
  const absent = [...camera.names.keys()].find((id) => !stored.has(id));
  const stranger = ids.find((id) => !camera.names.has(id));
  if (absent !== undefined && stranger !== undefined && camera.names.size >= COLOURS.length) {
    const missing = `component "${camera.names.get(absent)}" has no pixels under its id ${shortened(absent)}`;
    throw new DecodeFailed(
      `${missing}, and no document describes the component ${shortened(stranger)}, which has some`,
    );
  }
  const described = properties.channels;
  const names = ids.map((id) => camera.names.get(id) ?? described.get(id)?.name ?? null);
  if (ids.length !== COLOURS.length || names.some((name) => name !== null)) {
    return { ids, described, names, warnings: [] };
  }
  const elsewhere = ids.join() === [...stored].join()
    ? ""
    : ", which is not the order in which they are stored";
  return {
    ids,
    described,
    names: COLOURS,
    warnings: [
      warning(
        "metadata_missing",
        "The file does not say which component has which colour; they are named in the order of their ids" +
          elsewhere,
      ),
    ],
  };
}
