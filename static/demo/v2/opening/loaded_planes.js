/**
 * Loads the planes that the page shows (all source channels at one position, and all reference channels) from the server,
 * or from the sample of the page. The sample is the answer to opening `examples/line_scan.oir`, and its planes, as files.
 */
import { AcqError } from "../../../client/v2/acq-client.js";
import { titled } from "../../../measure/axes.js";

/** @import { Acquisition, ChannelInfo, OnProgress, OpenResponse, PlaneInfo, PlaneOptions, Position } from "../../../client/v2/acq-client.d.ts" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */

/** Note on the page and in everything saved from the sample. */
export const SAMPLE_NOTE = "Sample: a drawn line scan, not a recording";

/**
 * @typedef {{source: LoadedGroup, reference: LoadedGroup | null}} LoadedPlanes
 * @typedef {{plane: (index: number, options: PlaneOptions) => Promise<{samples: Float32Array}>}} Planes by channel
 * @typedef {Planes & {info: OpenResponse, reference: Planes | null}} Loadable an acquisition or the sample
 */

/**
 * Fetches all planes concurrently; progress counts them together.
 *
 * @type {(of: Loadable, position: Position, options: {signal: AbortSignal, onProgress: OnProgress}) => Promise<LoadedPlanes>}
 */
export async function loadPlanes(of, position, { signal, onProgress }) {
  const { info, reference } = of;
  // The first failure cancels the others.
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([signal, ending.signal]) };
  const all = [...info.channels, ...info.reference?.channels ?? []];
  const total = all.reduce((sum, { byteLength }) => sum + byteLength, 0);
  let sum = 0;
  /** @param {{plane: PlaneInfo, channels: ChannelInfo[]}} group @param {Planes} planes @param {Position} at @returns {Promise<LoadedGroup>} */
  const load = async ({ plane, channels }, planes, at) => ({
    plane: { ...plane, axes: titled(plane.axes) },
    channels: await Promise.all(channels.map(async ({ index, name }) => {
      let before = 0;
      const count = (/** @type {number} */ received) => {
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

/** @param {AbortSignal} signal @returns {Promise<Loadable>} */
export async function openSample(signal) {
  /** @param {string} prefix @returns {Planes} */
  const planes = (prefix) => ({
    async plane(index) {
      const response = await get(`${prefix}_${index}.f32`, signal);
      return { samples: new Float32Array(await response.arrayBuffer()) };
    },
  });
  const info = await (await get("open.json", signal)).json();
  return { info, ...planes("channel"), reference: planes("reference") };
}

/** @param {string} name @param {AbortSignal} signal */
async function get(name, signal) {
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
