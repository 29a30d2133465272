/**
 * Facts about the server: version, formats and lifetime of sessions.
 *
 * Tested in `tests/browser/opening_test.ts`.
 */
import { element } from "../controls/element.js";
import { remainingTime } from "../picture/readout.js";

/** @import { Server } from "../../../client/v2/acq-client.d.ts" */

/**
 * Asks the server.
 *
 * @param {Server} server
 * @returns {Promise<{line: string, formats: string, list: Node[], capabilities: Server["capabilities"]}>} `list` goes into a
 *   `<dl>`
 */
export async function serverFacts(server) {
  const [health, capabilities] = await Promise.all([server.readHealth(), server.readCapabilities()]);
  const formats = capabilities.allowedImportExtensions.join("  ");
  const rows = [
    ["Address", server.base],
    ["Version", `${health.server_version}, API ${health.api_version}`],
    ["Formats", formats],
    ["Sessions live", `${remainingTime(capabilities.sessionTtlSeconds)} after opening`],
  ];
  return {
    line: `acq-server ${health.server_version} · API ${health.api_version}`,
    formats,
    list: rows.flatMap(([term, text]) => [
      element("dt", { textContent: term }),
      element("dd", { textContent: text }),
    ]),
    capabilities,
  };
}
