/** What {@link ./permission_probe.ts} has to find under the permissions of the program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Launch } from "./server_process.ts";

const REFUSED = "NotCapable, permission";

const EXPECTED = {
  write: REFUSED,
  remove: REFUSED,
  connect: REFUSED,
  resolve: REFUSED,
  listenEverywhere: REFUSED,
  run: REFUSED,
  runDialogUnderOtherPath: REFUSED,
  environment: REFUSED,
  system: REFUSED,
  library: REFUSED,
  importRemote: "TypeError, permission",
  importPackageHost: "TypeError, permission",
  read: "done",
  listen: "done",
  display: "done",
};

/** Runs the probe in a folder of its own and compares. */
export async function checkProbe({ program, args }: Launch): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "probe_" });
  try {
    Deno.writeTextFileSync(join(folder, "kept"), "");
    Deno.writeTextFileSync(join(folder, "zenity"), "#!/bin/sh\n", { mode: 0o755 });
    const { stdout, stderr } = await new Deno.Command(program, { args: [...args, folder] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), EXPECTED);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["kept", "zenity"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
