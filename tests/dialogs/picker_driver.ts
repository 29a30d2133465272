/**
 * A picker driven by standard input, so that tests can run it as a process of its own with the permissions of the
 * server: one JSON value a line, `{"pick": system, "extensions": [...], "asker": null}`, `"abort"` or `"close"`; each pick answers one line.
 */
import { Picker } from "../../session/dialog/picker.ts";

const pickers = new Map<string, Picker>();
let client = new AbortController();

async function pick(system: string, extensions: string[], asker: string | null): Promise<void> {
  const picker = pickers.get(system) ?? new Picker({ system, hasDisplay: () => true });
  pickers.set(system, picker);
  const title = "Open \"ä\" for 'https://a.example' $(b) `c` 🔬";
  try {
    const path = await picker.pick({ title, extensions, asker, signal: client.signal });
    console.log(JSON.stringify({ path }));
  } catch (error) {
    const { name, message } = error as Error;
    console.log(JSON.stringify({ error: name, message }));
  }
}

let text = "";
for await (const part of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (text + part).split("\n");
  text = lines.pop()!;
  for (const line of lines) {
    const order = JSON.parse(line);
    if (order === "abort") {
      client.abort();
      client = new AbortController();
    } else if (order === "close") { for (const picker of pickers.values()) await picker.close(); }
    else void pick(order.pick, order.extensions, order.asker);
  }
}
