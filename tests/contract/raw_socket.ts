/** Requests as bytes on a socket: what no HTTP client would send. */
import { PATIENCE, pause, within } from "../deadline.ts";

/** Sends text as Latin-1, part after part, and gives all that comes back until the server closes. */
export async function raw(port: number, ...parts: readonly string[]): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const answer = new Response(connection.readable).text().catch(String);
  try {
    for (const part of parts) {
      const bytes = Uint8Array.from(part, (c) => c.charCodeAt(0));
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      if (parts.length > 1) await pause(20);
    }
  } catch {
    // The server may answer and close before it has read everything.
  }
  return await within(PATIENCE, `the answer to "${parts.join("").slice(0, 60)}"`, answer);
}

/** Status, header lines in lower case and body of an answer; interim answers are left out. */
export function parts(answer: string): { status: number; head: string; body: string } {
  const text = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const end = text.indexOf("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? NaN);
  return { status, head: text.slice(0, end).toLowerCase(), body: text.slice(end + 4) };
}
