/** The images of a series, and how they are fetched. */
import {
  describePosition,
  listStackAxes,
  measureStack,
  type Over,
  type ProjectionOf,
  type SeriesAxis,
  type StackFound,
  type StackOrder,
} from "../../../measure/stack.ts";
import type { About, Scan } from "../drawing/scan.ts";
import type { OpenResponse } from "../../../client/v2/acq-client.ts";
import type { ImagePart } from "../../../measure/image_parts.ts";
import type { PlaneIndices } from "../panels/plane_steps.ts";

/** Fetches the planes of all channels; null for planes never recorded. */
export type ImagesAt = (index: number, signal: AbortSignal) => Promise<readonly (Float32Array | null)[]>;

/** Images along an axis, at the shown places along the other axes, which `at` describes. */
export type ImageSource = SeriesAxis & { images: () => ImagesAt; at: () => About };

/** Concurrent requests for planes: the server queues 16 per session. */
const AT_ONCE = 3;

/** Images along time and focus, for each axis with several. @param planesAt of all channels */
export function listImageSources(
  info: OpenResponse,
  place: () => PlaneIndices,
  planesAt: (place: PlaneIndices, signal: AbortSignal) => Promise<readonly Float32Array[]>,
): Map<Over, ImageSource> {
  const imagesAlong = (name: Over): ImagesAt => {
    const here = place();
    return async (index, signal) => {
      try {
        return await planesAt({ ...here, [name.toLowerCase()]: index }, signal);
      } catch (error) {
        // The plane is declared but was never recorded.
        if ((error as { code?: string }).code === "plane_not_found") return [];
        throw error;
      }
    };
  };
  return new Map([...listStackAxes(info)].map(([name, along]) => [name, {
    ...along,
    images: () => imagesAlong(name),
    at: () => describePosition({ ...info.header.sizes, [name]: 1 }, place()),
  }]));
}

/**
 * Measures parts of the images, and projects them.
 *
 * @throws {DOMException} `AbortError`
 * @throws {RangeError} an axis has only one image, or a line is degenerate
 */
export async function measureSeries(
  sources: ReadonlyMap<Over, ImageSource>,
  { plane, channels }: Pick<Scan["group"], "plane" | "channels">,
  wanted: { parts: readonly ImagePart[]; over: Over | null; projection: ProjectionOf | null },
  signal: AbortSignal,
  onProgress: (done: number, count: number) => void = () => {},
): Promise<{ order: StackOrder; found: StackFound }> {
  const order = { plane, channels: channels.map(({ name }) => name), along: sources, ...wanted };
  const found = await measureStack(order, async (axis, count, take) => {
    const { images } = sources.get(axis) as ImageSource;
    await fetchImages(count, images(), signal, (planes, index, done) => {
      onProgress(done, count);
      take(planes, index);
    });
  });
  return { order, found };
}

/**
 * Fetches all images of a series, a few at once.
 *
 * @param take in the order in which they arrive
 * @throws {DOMException} `AbortError`
 */
export async function fetchImages(
  count: number,
  imagesAt: ImagesAt,
  signal: AbortSignal,
  take: (planes: readonly (Float32Array | null)[], index: number, done: number) => void,
): Promise<void> {
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const planes = await imagesAt(index, signal);
      signal.throwIfAborted();
      done += 1;
      take(planes, index, done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work));
}
