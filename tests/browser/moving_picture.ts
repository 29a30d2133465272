/** Joins still WebP pictures into a moving one (RFC 9649, section 2.7). */

/** A picture of a moving one. */
export interface Frame {
  /** A WebP file without transparency. */
  readonly still: Uint8Array;
  /** How long it is shown, in milliseconds. */
  readonly duration: number;
}

const ANIMATION = 0x02;
/** Of `ANMF`: overwrites what was shown, and leaves it there. */
const NO_BLENDING = 0x02;

/**
 * A WebP file that plays the pictures.
 *
 * @param size width and height of all pictures in pixels
 * @param plays how often it plays before it stops at the last picture; 0 without end
 * @throws {Error} a picture has no lossy samples
 */
export function joinFrames(
  frames: readonly Frame[],
  [width, height]: readonly [number, number],
  plays: number,
): Uint8Array<ArrayBuffer> {
  const size = [...littleEndian(width - 1, 3), ...littleEndian(height - 1, 3)];
  const chunks = frames.map(({ still, duration }) =>
    chunk("ANMF", [
      ...[0, 0, 0, 0, 0, 0],
      ...size,
      ...littleEndian(duration, 3),
      NO_BLENDING,
      ...chunk("VP8 ", findSamples(still)),
    ])
  );
  const head = [
    ...chunk("VP8X", [ANIMATION, 0, 0, 0, ...size]),
    ...chunk("ANIM", [255, 255, 255, 255, ...littleEndian(plays, 2)]),
  ];
  return Uint8Array.from(chunk("RIFF", [...letters("WEBP"), ...head, ...chunks.flat()]));
}

const letters = (text: string) => [...new TextEncoder().encode(text)];

const littleEndian = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 255);

/** A chunk with its name and size, of an even number of bytes. */
const chunk = (name: string, content: readonly number[]) => [
  ...letters(name),
  ...littleEndian(content.length, 4),
  ...content,
  ...(content.length % 2 === 1 ? [0] : []),
];

/** Content of the chunk `VP8 `. */
function findSamples(still: Uint8Array): number[] {
  const view = new DataView(still.buffer, still.byteOffset, still.byteLength);
  for (let at = 12; at + 8 <= still.length;) {
    const size = view.getUint32(at + 4, true);
    const name = new TextDecoder().decode(still.subarray(at, at + 4));
    if (name === "VP8 ") return [...still.subarray(at + 8, at + 8 + size)];
    at += 8 + size + size % 2;
  }
  throw new Error("The picture has no lossy samples");
}
