/**
 * The sample line scan that comes with the page: the answer to opening `examples/line_scan.oir`, and its planes, as
 * files. It needs no session.
 *
 * Tested in `tests/client/page_sample_test.ts`.
 */
import { AcqError } from "../../../client/v2/acq-client.js";
import { named } from "./loaded_planes.js";

/** @import { LoadedGroup } from "../picture/channel_group.js" */
/** @import { ChannelInfo, OpenResponse } from "../../../client/v2/acq-client.d.ts" */

/** Note on the page and in everything saved from the sample. */
export const SAMPLE_NOTE = "This is a sample: a drawn line scan, not a recording";

/** @param {AbortSignal} signal @returns {Promise<{info: OpenResponse, source: LoadedGroup, reference: LoadedGroup | null}>} */
export async function loadSample(signal) {
  const info = /** @type {OpenResponse} */ (await (await get("open.json", signal)).json());
  const group = async (
    /** @type {Pick<OpenResponse, "plane" | "channels">} */ { plane, channels },
    /** @type {string} */ prefix,
  ) => ({
    plane: named(plane),
    channels: await Promise.all(channels.map((channel) => load(channel, prefix, signal))),
  });
  const [source, reference] = await Promise.all([
    group(info, "channel"),
    info.reference && group(info.reference, "reference"),
  ]);
  return { info, source, reference };
}

/** @param {ChannelInfo} channel @param {string} prefix @param {AbortSignal} signal */
async function load({ index, name }, prefix, signal) {
  const file = `${prefix}_${index}.f32`;
  const bytes = new DataView(await (await get(file, signal)).arrayBuffer());
  const samples = Float32Array.from(
    { length: bytes.byteLength / 4 },
    (_, i) => bytes.getFloat32(4 * i, true),
  );
  return { index, name, dataUrl: urlOf(file).pathname, samples };
}

/** @param {string} name */
const urlOf = (name) => new URL(`../sample/${name}`, import.meta.url);

/** @param {string} name @param {AbortSignal} signal */
async function get(name, signal) {
  let response;
  try {
    response = await fetch(urlOf(name), { signal });
  } catch (cause) {
    throw new AcqError(signal.aborted ? "cancelled" : "server_gone", "The server does not answer", { cause });
  }
  if (!response.ok) {
    throw new AcqError("not_found", `The sample has no "${name}"`, { status: response.status });
  }
  return response;
}
