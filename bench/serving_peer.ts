/**
 * A server that also copies 64 MiB to whoever connects to a second port, so that both ways share one pair of processes. Who
 * sends a number of four bytes gets so many bytes, and may ask again.
 */
import { parseCommandLine } from "../command_line.ts";
import { startServer } from "../main.ts";

/** Bytes of a copy. */
export const COPY_BYTES = 64 << 20;

if (import.meta.main) {
  const command = parseCommandLine(Deno.args);
  if (command.kind !== "serve") throw new Error("only serving is measured");
  const server = await startServer(command.configuration);
  const bytes = new Uint8Array(COPY_BYTES).fill(1);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  console.error(`bare copy at port ${listener.addr.port}`);
  console.error(`${server.baseUrl}/docs`);
  Deno.addSignalListener("SIGINT", () => Deno.exit(0));
  for await (const connection of listener) {
    void (async () => {
      const asked = new Uint8Array(4);
      let turn = 0;
      try {
        for (let n = await connection.read(asked); n !== null; n = await connection.read(asked)) {
          const length = n === 4 ? new DataView(asked.buffer).getUint32(0) : bytes.length;
          // Each plane lies elsewhere in memory, as those of a server do.
          const start = turn++ % Math.floor(bytes.length / length) * length;
          for (let at = start; at < start + length;) {
            at += await connection.write(bytes.subarray(at, start + length));
          }
          if (n !== 4) break;
        }
      } catch {
        // The client has left.
      }
      connection.close();
    })();
  }
}
