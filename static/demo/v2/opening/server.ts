/** Facts about the server, and whether it answers. */
import { formatDigits } from "../../../measure/axes.ts";
import { byId, element } from "../controls/element.ts";
import type { Capabilities, Server } from "../../../client/v2/acq-client.ts";

/** Interval of the checks. */
const ASK_EVERY_MS = 10_000;

/** A server without an answer in this time counts as gone, even if it accepts connections. */
const ANSWER_WITHIN_MS = 5000;

/** Shows version, formats and lifetime of sessions, and returns the capabilities. */
export async function showServer(server: Server): Promise<Capabilities> {
  const [health, capabilities] = await Promise.all([server.readHealth(), server.readCapabilities()]);
  const { server_version: version, api_version: api } = health;
  const formats = capabilities.allowedImportExtensions.join("  ");
  byId("server").textContent = `acq-server ${version} · API ${api}`;
  byId("formats").textContent = formats;
  const rows = [
    ["Address", server.base],
    ["Version", `${version}, API ${api}`],
    ["Formats", formats],
    ["Sessions end", `${formatDigits(capabilities.sessionTtlSeconds / 60)} min after opening`],
  ];
  byId("server-facts").replaceChildren(...rows.flatMap(([term, text]) => [
    element("dt", { textContent: term }),
    element("dd", { textContent: text }),
  ]));
  return capabilities;
}

/**
 * Checks every few seconds, and when the page becomes visible, whether the server answers; nothing while `isBusy`. The
 * returned function checks now; concurrent callers share the answer.
 */
export function watchServer(
  { readHealth, onGone, onBack, isBusy }: {
    readHealth: (signal: AbortSignal) => Promise<unknown>;
    onGone: () => void;
    onBack: () => void;
    isBusy: () => boolean;
  },
): () => Promise<void> {
  let isGone = false;
  let asking: Promise<void> | null = null;
  const askNow = async () => {
    try {
      await readHealth(AbortSignal.timeout(ANSWER_WITHIN_MS));
      if (isGone) onBack();
      isGone = false;
    } catch (error) {
      if ((error as { code?: string }).code !== "server_unreachable") return;
      if (!isGone) onGone();
      isGone = true;
    }
  };
  const ask = () => asking ??= askNow().finally(() => asking = null);
  const askUnlessBusy = () => document.hidden || isBusy() || ask();
  setInterval(askUnlessBusy, ASK_EVERY_MS);
  document.addEventListener("visibilitychange", askUnlessBusy);
  addEventListener("focus", askUnlessBusy);
  return ask;
}
