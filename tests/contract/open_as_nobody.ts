/** Judges a path as another user: run by the test of files without read permission. */
import { FileAccess } from "../../readers/random_access.ts";

try {
  new FileAccess().open(Deno.args[0]!);
  console.log("opened");
} catch (error) {
  console.log(String(error));
}
