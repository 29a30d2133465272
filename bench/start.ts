/** Processes from their start to their answer: a server, and `info`, to which the samples of a file should not matter. */
import { join } from "node:path";
import type { BenchRow } from "./report.ts";
import { pageOf, type Shape } from "./sample_files.ts";
import { startServer } from "./server_process.ts";
import { TREE, withFolder } from "./setting.ts";
import { writePages } from "./tiff_pages.ts";
import { inTurns, timed, type TimedWork } from "./timing.ts";

const ROUNDS = 7;

function info(path: string, shape: Shape): TimedWork {
  writePages(path, [pageOf(shape, "deflate")]);
  const args = ["run", "-q", "-P", "--no-prompt", "main.ts", "info", path];
  const command = new Deno.Command(Deno.execPath(), { args, cwd: TREE, stderr: "null" });
  return () =>
    timed(async () => {
      if (!(await command.output()).success) throw new Error(`info failed for "${path}"`);
    });
}

async function server() {
  await using stack = new AsyncDisposableStack();
  return await timed(async () => stack.use(await startServer()));
}

/** Measures all. */
export const run = (): Promise<BenchRow[]> =>
  withFolder(async (folder) => {
    const times = await inTurns(ROUNDS, {
      server,
      tiny: info(join(folder, "tiny.tif"), { columns: 16, rows: 16 }),
      large: info(join(folder, "large.tif"), { columns: 4096, rows: 4096, channels: 4 }),
    });
    const [group, tiny, large] = ["start", times.tiny.least.clock, times.large.least.clock];
    return [
      { group, name: "server, to its first healthy answer", milliseconds: times.server.least.clock },
      { group, name: "info, a tiny TIFF", milliseconds: tiny },
      {
        ...{ group, name: "info, 4 x 4096 x 4096 in deflate", milliseconds: large },
        ratios: { "to a tiny TIFF": large / tiny },
      },
    ];
  });
