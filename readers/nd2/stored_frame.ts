/** One frame: a time in milliseconds, then its rows, raw or as one zlib stream. */
import type { ByteSource } from "../io/byte_source.ts";
import { SURPLUS } from "../codecs/segment.ts";
import { deflate } from "../codecs/zlib.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { type Warning, warning } from "../warning.ts";
import { type Chunk, MAX_NAME_BYTES, requireChunk } from "./chunk.ts";
import type { FrameLayout } from "./frame_layout.ts";
import type { StoredChunks } from "./stored_chunks.ts";

/** Bytes of the time before the samples. */
const TIME_BYTES = 8;

/** Bytes of the name field of every frame that NIS-Elements writes, so that samples begin at a multiple of 4096. */
const FRAME_NAME_FIELD = 4072;

/** Where the samples of a frame are. */
export interface StoredFrame {
  /** Offset of the first byte behind the time. */
  readonly offset: number;
  /** Bytes from there on that are in the file. */
  readonly stored: number;
  /** Bytes that the chunk declares and the file lacks. */
  readonly lacking: number;
  /** Bytes that the chunk of a raw frame declares beyond the last row, 0 for a zlib stream. */
  readonly surplus: number;
  /** True for a zlib stream. */
  readonly zlib: boolean;
  /** What makes its place doubtful, as a warning, or `null`. */
  readonly doubt: Warning | null;
  /** Names it in messages: `frame 3 at 81920`. */
  readonly what: string;
}

/**
 * Finds a frame and checks its length against what is needed of it.
 *
 * @param cut whether rows may be missing at its end
 * @throws {PlaneNotFound} the file does not hold it
 * @throws {DecodeFailed} it is incomplete, or its place holds something else
 */
export function findFrame(
  file: ByteSource,
  { frames }: StoredChunks,
  number: number,
  { layout, cut }: { readonly layout: FrameLayout; readonly cut: boolean },
): StoredFrame {
  const at = frames.get(number);
  if (at === undefined) {
    throw new PlaneNotFound(`frame ${number} is not in the file, which holds ${frames.size} frames`);
  }
  const chunk = requireChunk(file, `ImageDataSeq|${number}!`, at);
  const what = `frame ${number} at ${at}`;
  const length = chunk.length - TIME_BYTES;
  const stored = chunk.stored - TIME_BYTES;
  const zlib = isZlib(file, { offset: chunk.offset + TIME_BYTES, length, stored, what }, layout);
  const needed = zlib ? Math.max(length, 0) : layout.neededBytes;
  if (stored < needed && !(cut && !zlib && stored >= layout.usedRowBytes)) {
    throw new DecodeFailed(`${what} is incomplete: ${Math.max(stored, 0)} of ${needed} bytes are stored`);
  }
  // No stream of that length can give the frame, so nothing is allocated for it.
  if (zlib && stored * deflate.maxExpansion < layout.neededBytes) {
    throw new DecodeFailed(
      `${what} is incomplete: ${stored} bytes of zlib cannot give ${layout.neededBytes} bytes`,
    );
  }
  const doubt = placeDoubt(chunk, number);
  const surplus = zlib ? 0 : Math.max(0, length - layout.bytes);
  return { offset: chunk.offset + TIME_BYTES, stored, lacking: length - stored, surplus, zlib, doubt, what };
}

/** Samples lie behind the name field, so one of another length than the program writes may be damaged. */
function placeDoubt({ nameField }: Chunk, number: number): Warning | null {
  // Other programs do not pad names.
  if (nameField <= MAX_NAME_BYTES || nameField === FRAME_NAME_FIELD) return null;
  return warning(
    "file_damaged",
    `The name field of frame ${number} has ${nameField} bytes, not ${FRAME_NAME_FIELD}; its samples may lie elsewhere`,
  );
}

/** The attributes tell whether frames are zlib streams; some programs state the wrong one, and lengths tell then. */
function isZlib(
  file: ByteSource,
  frame: { offset: number; length: number; stored: number; what: string },
  { zlib, bytes, neededBytes }: FrameLayout,
): boolean {
  const asRaw = frame.length === bytes || frame.length === neededBytes;
  if (zlib ? !asRaw : frame.length >= neededBytes) return zlib;
  if (frame.stored < 2) return zlib;
  const [first = 0, second = 0] = file.read(frame.offset, 2, frame.what);
  // RFC 1950, section 2.2: method 8, and a check over both bytes.
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/** The rows of a frame in a zlib stream. @throws {DecodeFailed} it is damaged, or gives another length */
export async function inflatedFrame(
  file: ByteSource,
  { offset, stored, what }: StoredFrame,
  layout: FrameLayout,
  segment: Pick<Parameters<typeof deflate.decode>[1], "stop">,
): Promise<Uint8Array> {
  const { columns, rows, components, bytes, neededBytes } = layout;
  return await deflate.decode(file.read(offset, stored, what), {
    width: columns,
    rows,
    samples: components,
    fullRows: rows,
    bytes: neededBytes,
    mostBytes: bytes,
    settings: { bits: [], kind: "uint" },
    what,
    stop: segment.stop,
  });
}

/** What inflating takes beside the planes. */
export const inflatedBytes = ({ stored }: StoredFrame, { bytes }: FrameLayout): number =>
  stored + 2 * (bytes + SURPLUS);
