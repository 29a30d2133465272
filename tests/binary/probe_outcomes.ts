/** What {@link ./permission_probe.ts} has to find under the permissions of the program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Launch } from "./server_process.ts";
import { run } from "../child_process.ts";
import { temporaryFolder } from "../temporary_files.ts";

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
  read: "done",
  listen: "done",
  display: "done",
};

/**
 * Runs the probe in a folder of its own and compares.
 *
 * @param noImport why a module of another host is not imported, so that nothing is fetched: `deno run` refuses it, and a
 *   compiled program looks for modules in itself alone
 */
export async function checkProbe(
  { program, args }: Launch,
  noImport: "permission" | "not found",
): Promise<void> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  Deno.writeTextFileSync(join(folder, "kept"), "");
  Deno.writeTextFileSync(join(folder, "zenity"), "#!/bin/sh\n", { mode: 0o755 });
  const { stdout, stderr } = await run(program, { args: [...args, folder] });
  assert.equal(new TextDecoder().decode(stderr), "");
  const imported = `TypeError, ${noImport}`;
  assert.deepEqual(
    JSON.parse(new TextDecoder().decode(stdout)),
    { ...EXPECTED, importRemote: imported, importPackageHost: imported },
  );
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["kept", "zenity"]);
}
