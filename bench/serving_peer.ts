/**
 * A server that also copies 64 MiB to whoever connects to a second port, so that both ways share one pair of processes. Who
 * sends a number of four bytes gets so many bytes, and may ask again. A browser gets them as the answer to its GET.
 */
import { parseCommandLine } from "../command_line.ts";
import { startServer } from "../main.ts";

/** Bytes of a copy. */
export const COPY_BYTES = 64 << 20;

/** The least that a browser takes for an answer; pages of any origin may read it. */
const HEAD = new TextEncoder().encode(
  [
    "HTTP/1.1 200 OK",
    "Content-Type: application/octet-stream",
    `Content-Length: ${COPY_BYTES}`,
    "Access-Control-Allow-Origin: *",
    "Connection: close\r\n\r\n",
  ].join("\r\n"),
);

/** First bytes of a GET, as the number that they would be. */
const GET = 0x47455420;

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

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
          const number = new DataView(asked.buffer).getUint32(0);
          const isAgain = n === 4 && number !== GET;
          const length = isAgain ? number : bytes.length;
          if (n === 4 && number === GET) {
            // What is not read when the connection is closed would have it cut.
            await connection.read(new Uint8Array(8192));
            await writeAll(connection, HEAD);
          }
          // Each plane lies elsewhere in memory, as those of a server do.
          const start = turn++ % Math.floor(bytes.length / length) * length;
          await writeAll(connection, bytes.subarray(start, start + length));
          if (!isAgain) break;
        }
      } catch {
        // The client has left.
      }
      connection.close();
    })();
  }
}
