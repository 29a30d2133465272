/**
 * Colours and names of the channels of an LSM file. Offsets count from the start of the block: i32 bytes, i32 colours, i32
 * names, i32 offset of the colours (red, green, blue, 0), i32 offset of the names. A name is a u32 length, the zero at its
 * end included, and the text; old programs write texts that end with a zero alone.
 */
import { DecodeFailed } from "../errors.ts";
import { MAX_CHANNELS } from "../io/limits.ts";
import { BLACK, hexColor } from "../metadata/channels.ts";
import { decodeText } from "../tiff/text.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** What a file says of its channels, in their order. */
export interface ChannelColors {
  /** `#rrggbb` */
  readonly colors: readonly string[];
  /** Bytes of the block. */
  readonly size: number;
  /** As stored; may be blank. */
  readonly names: readonly string[];
}

const HEAD_BYTES = 20;

/** Bytes of a block: a name of a hundred characters for each of the most channels. */
const MAX_BYTES = MAX_CHANNELS * 108;

/** Reads the block. @throws {DecodeFailed} it does not lie in the file, or makes no sense */
export function readChannelColors(tiff: TiffFile, offset: number): ChannelColors {
  const head = tiff.window.view(offset, HEAD_BYTES, "the channel colours");
  const [size, colors, names, colorsAt, namesAt] = [0, 4, 8, 12, 16].map((at) => head.getInt32(at, true)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const sound = size >= HEAD_BYTES && size <= MAX_BYTES &&
    [colors, names].every((n) => n >= 0 && n <= MAX_CHANNELS) &&
    [colorsAt, namesAt].every((at) => at >= HEAD_BYTES && at <= size) && colorsAt + 4 * colors <= size;
  if (!sound) {
    throw new DecodeFailed(
      `the channel colours at ${offset} are ${colors} colours and ${names} names at ${colorsAt} and ${namesAt} of ` +
        `${size} bytes`,
    );
  }
  const bytes = tiff.file.read(offset, size, "the channel colours");
  return {
    size,
    colors: Array.from(
      { length: colors },
      (_, i) => colorOf(bytes.subarray(colorsAt + 4 * i, colorsAt + 4 * i + 3)),
    ),
    names: namesIn(bytes.subarray(namesAt), names),
  };
}

/** Black, which would show nothing, stands for no colour of its own, shown white. */
function colorOf(parts: Uint8Array): string {
  const [red = 0, green = 0, blue = 0] = parts;
  const color = hexColor(red, green, blue);
  return color === BLACK ? "#ffffff" : color;
}

function namesIn(bytes: Uint8Array<ArrayBuffer>, count: number): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  for (let at = 0; names.length < count && at < bytes.length;) {
    const length = at + 4 <= bytes.length ? view.getUint32(at, true) : Infinity;
    const counted = length <= bytes.length - at - 4;
    const start = counted ? at + 4 : at;
    const zero = bytes.indexOf(0, start);
    const end = counted ? start + length : zero < 0 ? bytes.length : zero + 1;
    names.push(decodeText(bytes.subarray(start, end)));
    at = end;
  }
  return names;
}
