/** Where the chunks are: frames by number, metadata by name. */
import { DecodeFailed } from "../errors.ts";

/** Frames of one file, 60 bytes of heap each; at 64 KiB a frame they are 128 GiB. */
export const MAX_FRAMES = 2_000_000;

/** Chunks of metadata that are kept by name; files have some thirty. */
const MAX_NAMES = 10_000;

const FRAME = /^ImageDataSeq\|(\d{1,10})!$/;

/** What is read: the metadata of the image and of its first frame, times, and the documents of the program. */
const READ = /^(?:Image(?!DataSeq\||MetadataSeq(?:LV)?\|(?!0!))|CustomData\|Acq|CustomDataVar\|)/;

/** Offsets of the chunks that are read; those of masks, regions and later frames' metadata are left out. */
export class StoredChunks {
  /** Offset of each frame by its number. */
  readonly frames = new Map<number, number>();
  /** Offset of each chunk of metadata by its name. */
  readonly named = new Map<string, number>();

  /** Notes a chunk; of several with one name the last counts. @throws {DecodeFailed} there are too many */
  add(name: string, offset: number): void {
    const frame = FRAME.exec(name);
    if (frame) {
      this.frames.set(Number(frame[1]), offset);
      if (this.frames.size > MAX_FRAMES) {
        throw new DecodeFailed(`the file has more than ${MAX_FRAMES} frames`);
      }
    } else if (READ.test(name)) {
      this.named.set(name, offset);
      if (this.named.size > MAX_NAMES) {
        throw new DecodeFailed(`the file has more than ${MAX_NAMES} chunks of metadata`);
      }
    }
  }

  /** The first of some names that there is, with its offset, or `null`. */
  find(names: readonly string[]): { readonly name: string; readonly at: number } | null {
    for (const name of names) {
      const at = this.named.get(name);
      if (at !== undefined) return { name, at };
    }
    return null;
  }

  /** Bytes that stay in memory, about. */
  get bytes(): number {
    return 60 * this.frames.size + 100 * this.named.size;
  }
}
