/** `deno task stress fuzz …` runs `fuzz/main.ts`, `deno task stress soak …` runs `load/main.ts`, which explain their arguments. */
import { fuzzFromShell } from "./fuzz/main.ts";
import { soakFromShell } from "./load/main.ts";

const [what, ...args] = Deno.args;
if (what === "fuzz") await fuzzFromShell(args);
else if (what === "soak") await soakFromShell(args);
else {
  console.error(
    "usage: deno task stress fuzz [FORMAT] [--seconds N] …\n       deno task stress soak [--seconds N] …",
  );
  Deno.exit(2);
}
