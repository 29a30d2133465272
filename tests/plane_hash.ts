/** Planes at any position, as the hashes that the writers of fixtures state for them. */
import { createHash } from "node:crypto";
import type { Acquisition, AxisLetter } from "../readers/reader.ts";

/** The first 16 hexadecimal digits of the SHA-256 of a plane's samples, float32, little-endian. */
export const hashOf = (plane: Float32Array): string =>
  createHash("sha256").update(new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength)).digest("hex")
    .slice(0, 16);

/** The hash of a plane. @param at `t,z,l,channel` @throws {PlaneNotFound | DecodeFailed} */
export async function hashAt(acquisition: Acquisition, at: string): Promise<string> {
  const [t = 0, z = 0, l = 0, channel = 0] = at.split(",").map(Number);
  const plan = await acquisition.plan([channel], { t, z, l });
  // What is not decoded shows.
  const plane = new Float32Array(plan.rows * plan.columns).fill(-1);
  await plan.decode([plane]);
  return hashOf(plane);
}

/** Each `t,z,l,channel` of an image of these sizes. */
export function* positionsOf({ T = 1, Z = 1, L = 1, C = 1 }: Readonly<Partial<Record<AxisLetter, number>>>) {
  for (let t = 0; t < T; t += 1) {
    for (let z = 0; z < Z; z += 1) {
      for (let l = 0; l < L; l += 1) for (let c = 0; c < C; c += 1) yield [t, z, l, c].join();
    }
  }
}
