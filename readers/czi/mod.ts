/**
 * Zeiss CZI (ZISRAW), as ZEN and libCZI write it. Little-endian.
 *
 *     segments      16 bytes id, i64 allocated, i64 used size, data; each at a multiple of 32, in any order
 *     ZISRAWFILE    the first: GUIDs, number of the part of a split document, where the directories and metadata are
 *     ZISRAWDIRECTORY   an entry for each subblock: pixel type, place, compression, and letter, start, size and stored
 *                       size of each dimension, the one that varies fastest first
 *     ZISRAWSUBBLOCK    three sizes, its own entry once more, XML, samples, a mask
 *     ZISRAWMETADATA    XML: channels, pixel size, date
 *     ZISRAWATTDIR, ZISRAWATTACH    time stamps, embedded documents
 *
 * A plane is painted from the subblocks that hold its indices along `T`, `Z`, `C`: one, or the tiles of a mosaic in the
 * order of their `M`. `S` numbers the scenes. Overviews (pyramids) are left out. A line scan has no `Y`: its lines are time
 * points.
 *
 * Refused: complex pixels, lossless JPEG, chunks, raw data of cameras, entries of the schema DE, parts of a split document
 * without the first.
 */
import { DecodeFailed } from "../errors.ts";
import { type Acquisition, type SceneEntry, type Scenes, sizesOf, type Source } from "../reader.ts";
import { axesOf } from "../metadata/axes.ts";
import type { Warning } from "../warning.ts";
import { acquisitionOf, type OpenedDocument } from "./acquisition.ts";
import { readAttachments } from "./attachments.ts";
import { readDocument } from "./document.ts";
import { openMain, openParts } from "./file_set.ts";
import { layOut, servedSizes } from "./scene_layout.ts";

/** Opens a CZI file with the other parts of its document. @throws {DecodeFailed} it is damaged or refused */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const main = openMain(path, files);
    const document = readDocument(main.file, files.stop);
    const set = openParts(main, document.table, files);
    const listed = readAttachments(main.file, document.header.attachments);
    return new CziScenes({
      document,
      set,
      attachments: listed.attachments,
      warnings: [...document.warnings, ...set.warnings, ...listed.warnings],
      stop: files.stop,
    });
  });
}

/** The scenes of a document, by ascending `S`. */
class CziScenes implements Scenes {
  readonly count: number;
  readonly own = 0;
  /** Each scene has those of the document. */
  readonly warnings: readonly Warning[] = [];
  readonly #opened: OpenedDocument;

  constructor(opened: OpenedDocument) {
    this.#opened = opened;
    this.count = opened.document.scenes.length;
  }

  entries(most: number): SceneEntry[] {
    const { document: { scenes, metadata, table }, stop } = this.#opened;
    return scenes.slice(0, most).map(({ s, entries }) => {
      const name = metadata.sceneNames.get(s) ?? null;
      try {
        return { name, sizes: sizesOf(axesOf(servedSizes(layOut(table, entries, stop)), {})) };
      } catch (error) {
        if (!(error instanceof DecodeFailed)) throw error;
        return { name, sizes: {} };
      }
    });
  }

  open(scene: number): Promise<Acquisition> {
    return acquisitionOf(this.#opened, scene);
  }
}
