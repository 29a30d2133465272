/** `deno task stress fuzz …` runs `fuzz/main.ts`, `… structures …` runs `fuzz/structures.ts`, `… soak …` runs `load/main.ts`, which explain their arguments. */
import { fuzzFromShell } from "./fuzz/main.ts";
import { damageFromShell } from "./fuzz/structures.ts";
import { soakFromShell } from "./load/main.ts";

const [what, ...args] = Deno.args;
if (what === "fuzz") await fuzzFromShell(args);
else if (what === "structures") await damageFromShell(args);
else if (what === "soak") await soakFromShell(args);
else {
  console.error(
    "usage: deno task stress fuzz [FORMAT] [--seconds N] …\n       deno task stress structures [--cases N] …\n" +
      "       deno task stress soak [--seconds N] …",
  );
  Deno.exit(2);
}
