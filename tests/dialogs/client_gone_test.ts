/** A client that leaves while its dialog is open, through the whole server and with a fake zenity. */
import { join } from "node:path";
import { FROM_SOURCE, ServerProcess } from "../binary/server_process.ts";
import { isAlive } from "../child_process.ts";
import { until } from "../deadline.ts";

const ignore = Deno.build.os === "windows";
if (ignore) console.log("Skipped: the fake dialog program is a shell script");

const HEADERS = "POST /api/v2/pick-and-open HTTP/1.1\r\nHost: localhost\r\n" +
  "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n";

/** Asks 20 times, sooner or later, since what is read at once depends on the moment. */
const REPETITIONS = 20;

Deno.test({ name: "a client that leaves ends its dialog, however it sent its body", ignore, fn: leave });

async function leave(t: Deno.TestContext): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "client_gone_" });
  const note = join(folder, "pid");
  const script = `#!/bin/sh\nprintf '%s\\n' "$$" >> '${note}'\nexec /bin/sleep 60\n`;
  Deno.writeTextFileSync(join(folder, "zenity"), script, { mode: 0o755 });
  const server = await ServerProcess.start(FROM_SOURCE, [], { PATH: folder, DISPLAY: ":0" });
  const port = Number(new URL(server.baseUrl).port);
  let started: number[] = [];
  const shown = () => {
    try {
      started = Deno.readTextFileSync(note).trim().split("\n").map(Number);
    } catch {
      // Nothing was started yet.
    }
    return started.length;
  };
  try {
    for (const writes of [[HEADERS + "{}"], [HEADERS, "{}"]]) {
      await t.step(`${writes.length} writes`, async () => {
        for (let n = 0; n < REPETITIONS; n += 1) {
          const before = shown();
          const connection = await Deno.connect({ hostname: "127.0.0.1", port });
          connection.setNoDelay(true);
          for (const text of writes) await connection.write(new TextEncoder().encode(text));
          await until(() => shown() > before, "a dialog");
          connection.close();
          await until(() => !isAlive(started.at(-1)!), `the end of dialog ${n}`);
        }
      });
    }
  } finally {
    await server.stop();
    Deno.removeSync(folder, { recursive: true });
  }
}
