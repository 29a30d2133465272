/**
 * Loads the planes that the page shows (all source channels at one position, and all reference channels) from the server,
 * or from the sample of the page. The sample is the answer to opening `examples/line_scan.oir`, and its planes, as files.
 */
import {
  AcqError,
  type ChannelInfo,
  type OnProgress,
  type OpenResponse,
  type PlaneInfo,
  type PlaneOptions,
  type Position,
} from "../../../client/v2/acq-client.ts";
import { titleAxes } from "../../../measure/axes.ts";
import type { LoadedGroup } from "../picture/channel_group.ts";

/** Note on the page and in everything saved from the sample. */
export const SAMPLE_NOTE = "Sample: a drawn line scan, not a recording";

/** The planes of a picture and of its reference image, or null without one. */
export type LoadedPlanes = { source: LoadedGroup; reference: LoadedGroup | null };

/** Reads planes, by the index of their channel. */
export type PlaneReader = {
  plane: (index: number, options: PlaneOptions) => Promise<{ samples: Float32Array }>;
};

/** An acquisition or the sample. */
export type Loadable = PlaneReader & { info: OpenResponse; reference: PlaneReader | null };

/** Fetches all planes concurrently; progress counts them together. */
export async function loadPlanes(
  of: Loadable,
  position: Position,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<LoadedPlanes> {
  const { info, reference } = of;
  // The first failure cancels the others.
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([signal, ending.signal]) };
  const all = [...info.channels, ...info.reference?.channels ?? []];
  const total = all.reduce((sum, { byteLength }) => sum + byteLength, 0);
  let sum = 0;
  const load = async (
    { plane, channels }: { plane: PlaneInfo; channels: ChannelInfo[] },
    planes: PlaneReader,
    at: Position,
  ): Promise<LoadedGroup> => ({
    plane: { ...plane, axes: titleAxes(plane.axes) },
    channels: await Promise.all(channels.map(async ({ index, name }) => {
      let before = 0;
      const count = (received: number) => {
        sum += received - before;
        before = received;
        onProgress(sum, total);
      };
      const { samples } = await planes.plane(index, { ...at, ...options, onProgress: count });
      return { index, name, samples };
    })),
  });
  onProgress(0, total);
  try {
    const [source, referenceGroup] = await Promise.all([
      load(info, of, position),
      info.reference && reference && load(info.reference, reference, {}),
    ]);
    return { source, reference: referenceGroup };
  } catch (error) {
    ending.abort();
    throw error;
  }
}

/** Opens the sample of the page. @throws {AcqError} the server does not answer, or lacks the sample */
export async function openSample(signal: AbortSignal): Promise<Loadable> {
  const planes = (prefix: string): PlaneReader => ({
    async plane(index) {
      const response = await get(`${prefix}_${index}.f32`, signal);
      return { samples: new Float32Array(await response.arrayBuffer()) };
    },
  });
  const info = await (await get("open.json", signal)).json();
  return { info, ...planes("channel"), reference: planes("reference") };
}

async function get(name: string, signal: AbortSignal) {
  const url = new URL(`../sample/${name}`, import.meta.url);
  const response = await fetch(url, { signal }).catch((cause) => {
    const code = signal.aborted ? "cancelled" : "server_unreachable";
    throw new AcqError(code, `The server at ${url.origin} does not answer`, { cause });
  });
  if (!response.ok) {
    throw new AcqError("not_found", `The sample has no "${name}"`, { status: response.status });
  }
  return response;
}
