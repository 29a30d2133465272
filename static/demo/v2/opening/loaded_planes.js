/**
 * Loads the planes that the page shows (all source channels at one position, and all reference channels) from the server,
 * or from the sample of the page. The sample is the answer to opening `examples/line_scan.oir`, and its planes, as files.
 */
import { AcqError } from "../../../client/v2/acq-client.js";
import { titled } from "../../../measure/axes.js";

/** @import { Acquisition, ChannelInfo, OnProgress, OpenResponse, PlaneInfo, Position } from "../../../client/v2/acq-client.d.ts" */
/** @import { LoadedGroup } from "../picture/channel_group.js" */

/** Note on the page and in everything saved from the sample. */
export const SAMPLE_NOTE = "Sample: a drawn line scan, not a recording";

/** @typedef {{source: LoadedGroup, reference: LoadedGroup | null}} LoadedPlanes */

/**
 * Fetches all planes concurrently; progress counts them together.
 *
 * @type {(acquisition: Acquisition, position: Position, options: {signal: AbortSignal, onProgress: OnProgress}) => Promise<LoadedPlanes>}
 */
export async function loadPlanes(acquisition, position, { signal, onProgress }) {
  const { info, reference } = acquisition;
  // The first failure cancels the others.
  const ending = new AbortController();
  const options = { signal: AbortSignal.any([signal, ending.signal]) };
  const channels = [...info.channels, ...info.reference?.channels ?? []];
  const total = channels.reduce((sum, { byteLength }) => sum + byteLength, 0);
  let sum = 0;
  /** @param {Pick<Acquisition, "plane">} of @param {Position} at @returns {LoadChannel} */
  const from = (of, at) => async ({ index }) => {
    let before = 0;
    const count = (/** @type {number} */ received) => {
      sum += received - before;
      before = received;
      onProgress(sum, total);
    };
    return (await of.plane(index, { ...at, ...options, onProgress: count })).samples;
  };
  onProgress(0, total);
  try {
    return await loadGroups(info, from(acquisition, position), reference && from(reference, {}));
  } catch (error) {
    ending.abort();
    throw error;
  }
}

/** @param {AbortSignal} signal @returns {Promise<LoadedPlanes & {info: OpenResponse}>} */
export async function loadSample(signal) {
  const info = /** @type {OpenResponse} */ (await (await get("open.json", signal)).json());
  /** @param {string} prefix @returns {LoadChannel} */
  const from = (prefix) => async ({ index }) => {
    const response = await get(`${prefix}_${index}.f32`, signal);
    return new Float32Array(await response.arrayBuffer());
  };
  return { info, ...await loadGroups(info, from("channel"), from("reference")) };
}

/** @typedef {(channel: ChannelInfo) => Promise<Float32Array>} LoadChannel */

/** @param {OpenResponse} info @param {LoadChannel} loadSource @param {LoadChannel | null} loadReference @returns {Promise<LoadedPlanes>} */
async function loadGroups(info, loadSource, loadReference) {
  /** @param {{plane: PlaneInfo, channels: ChannelInfo[]}} group @param {LoadChannel} load @returns {Promise<LoadedGroup>} */
  const loaded = async ({ plane, channels }, load) => ({
    plane: { ...plane, axes: titled(plane.axes) },
    channels: await Promise.all(channels.map(async (channel) => {
      const { index, name } = channel;
      return { index, name, samples: await load(channel) };
    })),
  });
  const [source, reference] = await Promise.all([
    loaded(info, loadSource),
    info.reference && loadReference && loaded(info.reference, loadReference),
  ]);
  return { source, reference };
}

/** @param {string} name @param {AbortSignal} signal */
async function get(name, signal) {
  const url = new URL(`../sample/${name}`, import.meta.url);
  const response = await fetch(url, { signal }).catch((cause) => {
    const code = signal.aborted ? "cancelled" : "server_unreachable";
    throw new AcqError(code, "The server does not answer", { cause });
  });
  if (!response.ok) {
    throw new AcqError("not_found", `The sample has no "${name}"`, { status: response.status });
  }
  return response;
}
