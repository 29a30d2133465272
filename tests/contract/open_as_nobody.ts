/** Judges a path as another user: run by the test of files without read permission. */
import { checkPath } from "../../session/source_path.ts";

try {
  await checkPath(Deno.args[0]!, null);
  console.log("opened");
} catch (error) {
  console.log(String(error));
}
