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
import type { OpenResponse, RunOptions, RunPlane } from "../../../client/v2/acq-client.ts";
import type { ImagePart } from "../../../measure/image_parts.ts";
import type { PlaneIndices } from "../panels/plane_steps.ts";

/** Fetches consecutive planes of a channel, without those that were never recorded. */
export type FetchRun = (channel: number, run: RunOptions) => AsyncIterable<RunPlane>;

/** Images along an axis. */
export interface ImageSource extends SeriesAxis {
  /** Fetches images from `first` to `last`, at the shown places along the other axes. */
  fetch: (channel: number, first: number, last: number, signal: AbortSignal) => AsyncIterable<RunPlane>;
  /** Indices of the channels in the file. */
  channels: readonly number[];
  /** Describes the places along the other axes. */
  at: () => About;
}

/** Images of a channel that are fetched before those of the next channel, so that all channels grow together. */
const SPAN = 64;

/** Images along time and focus, for each axis with several. */
export function listImageSources(
  info: OpenResponse,
  place: () => PlaneIndices,
  run: FetchRun,
): Map<Over, ImageSource> {
  return new Map([...listStackAxes(info)].map(([name, along]) => [name, {
    ...along,
    channels: info.channels.map(({ index }) => index),
    fetch: (channel, first, last, signal) =>
      run(channel, {
        ...place(),
        along: name.toLowerCase() as "t" | "z",
        first,
        last,
        skipsMissing: true,
        signal,
      }),
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
    await fetchImages(sources.get(axis) as ImageSource, signal, (planes, index, done) => {
      onProgress(done, count);
      take(planes, index);
    });
  });
  return { order, found };
}

/**
 * Fetches all images of a series.
 *
 * @param take gets one channel of an image at a time; the others are null. `done` counts images of which all channels arrived
 * @throws {DOMException} `AbortError`
 */
export async function fetchImages(
  { count, channels, fetch }: ImageSource,
  signal: AbortSignal,
  take: (planes: readonly (Float32Array | null)[], index: number, done: number) => void,
): Promise<void> {
  for (let first = 0; first < count; first += SPAN) {
    const last = Math.min(count, first + SPAN) - 1;
    for (const [i, channel] of channels.entries()) {
      for await (const { samples, index } of fetch(channel, first, last, signal)) {
        signal.throwIfAborted();
        take(
          channels.map((_, other) => other === i ? samples : null),
          index,
          i + 1 < channels.length ? first : index + 1,
        );
      }
    }
  }
  signal.throwIfAborted();
}
