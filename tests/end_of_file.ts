/** Says when the tests of a file are over, loaded before them by `by_file.ts`. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { END_OF_FILE } from "./by_file.ts";

const file = relative(Deno.cwd(), fileURLToPath(Deno.mainModule)).replaceAll("\\", "/");
addEventListener("unload", () => console.log(END_OF_FILE + file));
