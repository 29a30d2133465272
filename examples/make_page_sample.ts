/**
 * Writes the sample that the page shows without a session: what opening `examples/line_scan.oir` answers, and its planes as they
 * are served, into `static/demo/v2/sample/`.
 *
 * usage: deno run -A examples/make_page_sample.ts
 */
import { fileURLToPath } from "node:url";
import { DEFAULTS } from "../cli/command_line.ts";
import { startServer } from "../main.ts";
import { connect } from "../static/client/v2/acq-client.ts";

/** Where the files lie. */
export const FOLDER = new URL("../static/demo/v2/sample/", import.meta.url);

const SCAN = fileURLToPath(new URL("./line_scan.oir", import.meta.url));

/** Files of the sample by their names, as the server at an address answers them. */
export async function pageSample(base: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  await using scan = await (await connect(base)).open(SCAN);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = async (prefix: string, index: number, dataUrl: string) => {
    const bytes = new Uint8Array(await (await fetch(base + dataUrl)).arrayBuffer());
    files.set(`${prefix}_${index}.f32`, bytes);
  };
  for (const { index, dataUrl } of scan.channels) await add("channel", index, dataUrl);
  for (const { index, dataUrl } of scan.reference?.channels ?? []) await add("reference", index, dataUrl);
  // Neither a session nor a path of this machine.
  const text = JSON.stringify(scan.info, null, 2).replaceAll(scan.sessionId, "0".repeat(32))
    .replaceAll(JSON.stringify(SCAN), JSON.stringify("line_scan.oir"));
  files.set("open.json", new TextEncoder().encode(text + "\n"));
  return files;
}

if (import.meta.main) {
  const server = await startServer({ ...DEFAULTS, port: 0, logLevel: "error" });
  try {
    await Deno.mkdir(FOLDER, { recursive: true });
    const files = await pageSample(server.baseUrl);
    for (const [name, bytes] of files) await Deno.writeFile(new URL(name, FOLDER), bytes);
  } finally {
    await server.stop();
  }
}
