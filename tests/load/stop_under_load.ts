/** A server process that is told to stop while clients open and fetch. */
import { join } from "node:path";
import { FROM_SOURCE } from "../binary/server_process.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { ended, spawn } from "../child_process.ts";
import { PATIENCE, until, within } from "../deadline.ts";

/** How it ended. */
export interface StopOutcome {
  /** Exit status. */
  readonly code: number;
  /** Planes that arrived as a whole with the right samples. */
  readonly whole: number;
  /** Planes that were wrong or short although the response ended well. */
  readonly short: number;
}

/** Starts a server and eight clients, sends SIGTERM once planes arrive, and waits for the end of all. */
export async function stopUnderLoad(): Promise<StopOutcome> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "acq_stop_" }));
  const path = join(folder, "image.ome.zarr");
  const [rows, columns] = [2000, 1024];
  const samples = ramp(rows, columns);
  const expected = new Uint32Array(Float32Array.from(samples).buffer);
  await writePlainStore(path, { planes: [samples], rows, columns });
  const child = spawn(FROM_SOURCE.program, {
    args: [...FROM_SOURCE.args, "--port", "0", "--log-level", "error"],
    stdout: "null",
    stderr: "piped",
  });
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("/docs")) {
    const { done, value } = await within(PATIENCE, "the addresses of the server", reader.read());
    if (done) throw new Error(`The server ended: ${text}`);
    text += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  const base = /http:\/\/\S+?:\d+/.exec(text)![0];
  let [whole, short, stopping] = [0, 0, false];
  const client = async () => {
    while (true) {
      let bytes: Uint8Array<ArrayBuffer>;
      try {
        const opened = await (await fetch(`${base}/api/v2/open`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ path }),
        })).json();
        if (!opened.ok) {
          if (stopping) return;
          continue;
        }
        bytes = new Uint8Array(await (await fetch(base + opened.channels[0].dataUrl)).arrayBuffer());
        if (!stopping) {
          await (await fetch(`${base}/api/v2/sessions/${opened.sessionId}`, { method: "DELETE" })).text();
        }
      } catch {
        // The connection broke, which no client takes for an answer.
        return;
      }
      const words = bytes.length === expected.byteLength ? new Uint32Array(bytes.buffer) : null;
      if (words?.every((word, i) => word === expected[i])) whole += 1;
      else short += 1;
    }
  };
  try {
    const clients = Array.from({ length: 8 }, client);
    await until(() => whole >= 10, "ten planes");
    stopping = true;
    child.kill("SIGTERM");
    const { code } = await ended(child, "the server");
    await within(PATIENCE, "the end of the clients", Promise.all([...clients, drained]));
    return { code, whole, short };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
