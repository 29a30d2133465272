/** Codecs of strips and tiles: parts of an image that are compressed on their own, and how they are decoded. */
import { DecodeFailed, ReaderError } from "../errors.ts";
import type { StopFlag } from "../io/stop_flag.ts";

/** What the container of a stream states beside it, where a codec asks for it. */
export interface StreamSettings {
  /** Bits of each interleaved sample. */
  readonly bits: readonly number[];
  readonly kind: "uint" | "int" | "float";
  /** JPEG: tables that streams share. */
  readonly jpegTables?: Uint8Array | null;
  /**
   * JPEG: the colours that the container names, `stream` if it leaves them to the markers of the stream, or `null` for other samples.
   * A JFIF header says YCbCr even where the container says RGB.
   */
  readonly colours?: "ycbcr" | "rgb" | "stream" | null;
  /** LERC: 0 plain, 1 deflate, 2 zstd around it. */
  readonly lercPacking?: number;
}

/** A picture that is compressed apart from others: a strip, a tile, a block of a mosaic, a frame. */
export interface Segment {
  readonly width: number;
  readonly rows: number;
  /** Interleaved samples. */
  readonly samples: number;
  /** Rows of a full strip or tile; the last strip may hold more than `rows`, never more than this. */
  readonly fullRows: number;
  /** Bytes that must come out: `rows` rows, each padded to a whole byte. */
  readonly bytes: number;
  /** Bytes that may come out: `fullRows` rows. */
  readonly mostBytes: number;
  /** What the container states beside the stream. */
  readonly settings: StreamSettings;
  /** Names it in messages: `strip 3 at 81920 + 4096`. */
  readonly what: string;
  /** Looked at while it is decoded. */
  readonly stop: StopFlag;
  /** A result that is not needed any more; where its size fits, the next one goes there. Only of a codec that {@linkcode Codec.refills}. */
  readonly room?: Uint8Array | null;
}

/** The largest strip or tile of a page, as far as the directory states. */
export interface LargestSegment {
  /** Stored bytes. */
  readonly stored: number;
  readonly width: number;
  /** Rows of a full strip or tile. */
  readonly rows: number;
  /** Interleaved samples. */
  readonly samples: number;
  /** Bytes of these samples, rows padded to whole bytes. */
  readonly bytes: number;
}

/** The extent of one strip or tile. */
export const measureSegment = (
  input: Uint8Array,
  { width, fullRows, samples, mostBytes }: Segment,
): LargestSegment => ({
  stored: input.length,
  width,
  rows: fullRows,
  samples,
  bytes: mostBytes,
});

/**
 * Bounds of one call of a decoder in WebAssembly. Nothing can stop such a call, not even the end of its worker, so they
 * let it end within 10 s on one core of 2020 (measured with noise, the slowest content).
 */
export interface WebAssemblyBounds {
  /** Most samples of a strip or tile. */
  readonly maxSamples: number;
  /** Most stored bytes of a strip or tile. */
  readonly maxStored: number;
  /** Bytes that the memory of the module may reach for a strip or tile; a module that wants more is refused them. */
  memoryBytes(extent: LargestSegment): number;
}

/** One way to compress a picture. */
export interface Codec {
  /** For messages: `deflate`. */
  readonly title: string;
  /** True when it codes samples rather than bytes: its output is little-endian and takes no predictor. */
  readonly image: boolean;
  /** Whether FillOrder 2 reverses the bits of its input. */
  readonly bitOrder: boolean;
  /**
   * No input can give more bytes than this many times its length, so that what a file declares can be judged
   * before anything is allocated.
   */
  readonly maxExpansion: number;
  /** Whether it takes {@linkcode Segment.room}; each byte that it gives is then one that it wrote. */
  readonly refills?: boolean;
  /** Most bytes that {@linkcode decode} takes at once, the stored and the decoded ones and {@linkcode Segment.room} included. */
  workingBytes(extent: LargestSegment): number;
  /** Bounds of one call of a decoder in WebAssembly. */
  readonly webAssembly?: WebAssemblyBounds;
  /** True where its package keeps one instance in WebAssembly for ever: its memory is given back when its worker ends. */
  readonly endsWithWorker?: boolean;
  /**
   * Decodes one strip or tile.
   *
   * @param input stored bytes, bits in order; not to be changed
   * @returns at least `segment.bytes` bytes
   * @throws {DecodeFailed} damaged or short
   */
  decode(input: Uint8Array, segment: Segment): Uint8Array | Promise<Uint8Array>;
}

/** A picture of its own, which gives exactly its rows. */
export const wholePicture = (
  { width, rows, samples, bytes }: LargestSegment,
  rest: Pick<Segment, "settings" | "what" | "stop">,
): Segment => ({ width, rows, samples, fullRows: rows, bytes, mostBytes: bytes, ...rest });

/**
 * Checks a picture of its own before anything is allocated for it.
 *
 * @param what its name in messages
 * @throws {DecodeFailed} its stream is too short for its size, or it exceeds the bounds of its decoder
 */
export function requireDecodable(codec: Codec, extent: LargestSegment, what: string): void {
  const { stored, bytes } = extent;
  if (bytes > stored * codec.maxExpansion) {
    throw new DecodeFailed(`${what} has ${stored} bytes, too few for ${bytes} bytes of ${codec.title}`);
  }
  requireBounded(codec, extent, what);
}

/** Checks the bounds of a decoder in WebAssembly. @throws {DecodeFailed} */
export function requireBounded(
  { title, webAssembly }: Codec,
  { stored, width, rows, samples }: LargestSegment,
  what: string,
): void {
  if (!webAssembly) return;
  const { maxSamples, maxStored } = webAssembly;
  const total = width * rows * samples;
  if (total > maxSamples || stored > maxStored) {
    throw new DecodeFailed(
      `${what} has ${total} samples of ${title} in ${stored} bytes; this decoder cannot be stopped, so at most ` +
        `${maxSamples} in ${maxStored} are decoded`,
    );
  }
}

/** The memory of the result before, where it is enough, else new memory. The caller gives no byte on that it did not write. */
export const reuseRoom = ({ room }: Segment, length: number): Uint8Array<ArrayBuffer> =>
  room && room.buffer.byteLength >= length
    ? new Uint8Array(room.buffer as ArrayBuffer, 0, length)
    : new Uint8Array(length);

/** Working memory of a decoder that fills one buffer. */
export const estimateOneBuffer = ({ stored, bytes }: LargestSegment): number => stored + bytes;

/** Working memory of a decoder that collects its output in pieces and joins them. */
export const estimateJoinedPieces = ({ stored, bytes }: LargestSegment): number => stored + 2 * bytes;

/**
 * Decoded bytes beyond the declared ones that are dropped, since encoders round up to words. More of them mean that the
 * declared shape is damaged.
 */
export const SURPLUS = 3;

/** The error for damaged input; one that names the segment already, or a stop, stays as it is. */
export function damagedSegment(segment: Segment, title: string, reason: unknown): ReaderError {
  if (reason instanceof ReaderError) return reason;
  const text = reason instanceof Error ? reason.message : String(reason);
  return new DecodeFailed(`${segment.what} is damaged ${title}: ${text}`, { cause: reason });
}

/** The error for output that ends before the segment is full. */
export function shortSegment(segment: Segment, title: string, got: number): DecodeFailed {
  return new DecodeFailed(`${segment.what} gives ${got} bytes of ${title}, ${segment.bytes} are needed`);
}

/** Input bytes after the last code that are ignored, since writers round the lengths of strips up. */
export const MAX_PADDING = 15;

/** The error for input that gives more than the segment. */
export function surplusSegment(segment: Segment, title: string): ReaderError {
  return damagedSegment(
    segment,
    title,
    `it holds more than the ${segment.mostBytes} bytes that are declared`,
  );
}
