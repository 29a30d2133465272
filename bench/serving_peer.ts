/** A server that also copies 64 MiB to whoever connects to a second port, so that both ways share one pair of processes. */
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
      await connection.read(new Uint8Array(1));
      try {
        for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      } catch {
        // The client has left.
      }
      connection.close();
    })();
  }
}
