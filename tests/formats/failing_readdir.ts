/**
 * Loads every set while `failing_readdir.c`, which is preloaded, has one `readdir` fail. Prints as JSON how often it did, by set, and
 * the answers that must not be given.
 */
import { basename, join } from "node:path";
import { FIXTURES, SETS } from "../fixtures/sets.ts";
import { inFolder } from "../temporary_files.ts";
import { answer, objection } from "./fault_answers.ts";

/** EIO, ESTALE: a damaged disk, a network drive. */
const CODES = [5, 116];

const faults: Record<string, number> = {};
const objections: string[] = [];

for (const [name, from] of Object.entries(SETS)) {
  await inFolder(async (_, folder) => {
    const path = typeof from === "string" ? join(FIXTURES, from) : join(folder, from(folder));
    const root = typeof from === "string" ? join(FIXTURES, from.split("/")[0]!) : folder;
    const sound = await answer(path, [root]);
    Deno.env.set("READDIR_FAILS_IN", root);
    for (let at = 1; at < 1000; at += 1) {
      const errno = CODES[at % CODES.length]!;
      Deno.env.delete("READDIR_FAILED");
      Deno.env.set("READDIR_ERRNO", `${errno}`);
      Deno.env.set("READDIR_FAILS_AT", `${at}`);
      const result = await answer(path, [root]).then((value) => ({ value }), (error) => ({ error }));
      const failed = Deno.env.get("READDIR_FAILED");
      Deno.env.set("READDIR_FAILS_AT", "0");
      if (failed === undefined) break;
      faults[name] = at;
      const reason = objection({ result, failed: basename(failed) }, sound, "EIO");
      if (reason !== null) objections.push(`${name}: call ${at} in "${failed}" (${errno}) ${reason}`);
    }
    Deno.env.delete("READDIR_FAILS_IN");
  });
}
console.log(JSON.stringify({ faults, objections }));
