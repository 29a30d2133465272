/** Where the samples of a plane go. */

/**
 * glibc maps each block above 32 MiB by itself and unmaps it when it is freed. Smaller blocks stay in its arenas; 160 MiB
 * were measured. Memory that is not touched takes no room.
 */
const MAPPED_BYTES = (32 << 20) + (64 << 10);

/** Smaller planes leave too little behind for the pages that their mapping costs. */
const SMALLEST = 4 << 20;

/**
 * A plane of zeros, or of what stood in its memory where that does not matter.
 *
 * @param samples of the plane
 * @param buffers of planes that are no longer needed; one that is large enough is taken out
 * @param cleared `false` where each sample of the plane will be written, so that those of another one may stand in it
 */
export function newPlane(
  samples: number,
  buffers: ArrayBuffer[],
  cleared = true,
): Float32Array<ArrayBuffer> {
  const bytes = 4 * samples;
  const at = buffers.findIndex(({ byteLength }) => byteLength >= bytes);
  if (at >= 0) {
    const plane = new Float32Array(buffers.splice(at, 1)[0]!, 0, samples);
    return cleared ? plane.fill(0) : plane;
  }
  return new Float32Array(newBuffer(bytes), 0, samples);
}

/** Zeros for decoded bytes that live as long as one strip; large ones would stay with the allocator as planes would. */
export function newBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(newBuffer(length), 0, length);
}

function newBuffer(bytes: number): ArrayBuffer {
  const mapped = Deno.build.os === "linux" && bytes >= SMALLEST && bytes < MAPPED_BYTES;
  return new ArrayBuffer(mapped ? MAPPED_BYTES : bytes);
}
