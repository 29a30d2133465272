/** Stops a server process while clients open and fetch. */
import { join } from "node:path";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { ramp, writePlainStore } from "../fixtures/plain_store.ts";
import { PATIENCE, until, within } from "../deadline.ts";
import { temporaryFolder } from "../temporary_files.ts";

/**
 * Starts a server and eight clients, and stops the server once planes arrive.
 *
 * @returns planes that arrived as a whole with the right samples, and those that were wrong or short although the response
 *   ended well
 * @throws {AssertionError} exit status not 0
 */
export async function stopUnderLoad(): Promise<{ readonly whole: number; readonly short: number }> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const path = join(folder, "image.ome.zarr");
  const [rows, columns] = [2000, 1024];
  const samples = ramp(rows, columns);
  const expected = new Uint32Array(Float32Array.from(samples).buffer);
  await writePlainStore(path, { planes: [samples], rows, columns });
  const server = await ServerProcess.start(FROM_SOURCE, ["--log-level", "error"]);
  const base = server.baseUrl;
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
        // The connection broke: no client takes this for a plane.
        return;
      }
      const words = bytes.length === expected.byteLength ? new Uint32Array(bytes.buffer) : null;
      if (words?.every((word, i) => word === expected[i])) whole += 1;
      else short += 1;
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await until(() => whole >= 10, "ten planes");
  stopping = true;
  await server.stop();
  await within(PATIENCE, "the end of the clients", Promise.all(clients));
  return { whole, short };
}
