/**
 * What the page says of the server: version, formats, how long sessions live.
 *
 * Tested in `tests/browser/opening_test.ts`.
 */
import { readCapabilities, readHealth } from "./api.js";
import { element } from "./element.js";
import { remainingTime } from "./readout.js";

/**
 * Asks the server.
 *
 * @returns {Promise<{line: string, formats: string, list: Node[]}>} `list` goes into a `<dl>`
 * @throws {import("./api.js").ApiError}
 */
export async function serverFacts() {
  const [health, capabilities] = await Promise.all([readHealth(), readCapabilities()]);
  const formats = capabilities.allowedImportExtensions.join("  ");
  const rows = [
    ["Address", location.origin],
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
  };
}
