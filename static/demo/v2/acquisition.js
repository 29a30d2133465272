/**
 * Opens an acquisition as the contract describes: pick and open, read the session, then fetch all source and
 * reference planes at once. Knows nothing of the page.
 *
 * Tested in `tests/browser/opening_test.ts` and `surroundings_test.ts`.
 */
import { ApiError, deleteSession, fetchPlane, pickAndOpen, readSession } from "./api.js";
import { checkPlane, decodeFloat32 } from "./decode.js";

/**
 * @param {object} options
 * @param {AbortSignal} options.signal ends the dialog or the transfer
 * @param {(opened: object) => void} options.onOpened called with the open response before the planes are fetched
 * @param {(received: number, total: number) => void} options.onProgress bytes
 * @returns {Promise<{opened: object, session: object, source: Group, reference: Group | null}>}
 *   where `Group` is `{plane, channels: [{index, name, dataUrl, samples}]}`
 * @throws {ApiError} with the new session deleted, once it exists
 */
export async function openAcquisition({ signal, onOpened, onProgress }) {
  const opened = await pickAndOpen(signal);
  try {
    onOpened(opened);
    const groups = [opened, opened.reference].filter(Boolean);
    for (const { plane, channels } of groups) channels.forEach((channel) => check(plane, channel));
    const session = await readSession(opened.sessionId, signal);
    const total = groups.flatMap(({ channels }) => channels).reduce(
      (sum, channel) => sum + channel.byteLength,
      0,
    );
    let received = 0;
    onProgress(0, total);
    const onBytes = (bytes) => onProgress(received += bytes, total);
    const [source, reference = null] = await Promise.all(
      groups.map((group) => fetchGroup(group, signal, onBytes)),
    );
    return { opened, session, source, reference };
  } catch (error) {
    deleteSession(opened.sessionId).catch(() => {});
    throw error;
  }
}

function check(plane, channel) {
  try {
    checkPlane(plane, channel);
  } catch (error) {
    throw new ApiError("bad_answer", `Channel ${channel.index}: ${error.message}`);
  }
}

async function fetchGroup({ plane, channels }, signal, onBytes) {
  const filled = await Promise.all(channels.map(async (channel) => {
    const buffer = await fetchPlane(channel.dataUrl, channel.byteLength, signal, onBytes);
    const name = channel.name ?? `CH${channel.index + 1}`;
    return { ...channel, name, samples: decodeFloat32(buffer) };
  }));
  return { plane, channels: filled };
}
