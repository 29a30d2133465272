/**
 * Nikon ND2, as NIS-Elements writes it. Little-endian, a list of chunks:
 *
 *     +0   DA CE BE 0A   +4  u32 length of the name field   +8  u64 length of the data   +16  name with `!`, padding
 *     then the data
 *
 *     ImageAttributes    size and type of the frames, all alike         ImageDataSeq|N   f64 time, frame N
 *     ImageMetadataSeq|0 channels, pixel size, time                     ImageMetadata    loops of the experiment
 *     ImageTextInfo      texts for people, the date among them          last 40 bytes    place of the map of all chunks
 *
 * Metadata are XML (version 2) or a binary tree (version 3, names end with `LV`). A frame holds all channels,
 * interleaved, raw or as one zlib stream. Time, stage and focus loops number the frames, the outermost varies slowest;
 * stage positions are scenes. Files from before 2010 are JPEG 2000 boxes (`legacy_image.ts`).
 *
 * Refused: lossy compression; kinds of loops without a known file.
 */
import { DecodeFailed } from "../errors.ts";
import type { Scenes, Source } from "../reader.ts";
import { CHUNK_MAGIC } from "./chunk.ts";
import { chunkedScenes } from "./chunked_image.ts";
import { legacyScenes } from "./legacy_image.ts";

/** Bytes of the signature chunk and of the place of the map. */
const LEAST_BYTES = 152;

/** Opens an ND2 file. @throws {DecodeFailed} it is damaged or refused */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const file = files.open(path);
    if (file.size < LEAST_BYTES) {
      throw new DecodeFailed(
        `the file is incomplete: ${file.size} of at least ${LEAST_BYTES} bytes are stored`,
      );
    }
    const first = file.read(0, CHUNK_MAGIC.length, "the first bytes");
    return CHUNK_MAGIC.every((byte, i) => first[i] === byte)
      ? chunkedScenes(file, files.stop)
      : legacyScenes(file, files.stop);
  });
}
