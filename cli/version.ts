/** The version of this build. */
import manifest from "../deno.json" with { type: "json" };

/** Version of the package. */
export const VERSION: string = manifest.version;

/** The commit that the executable was built from; `null` when the program runs from its sources. */
function commit(): string | null {
  // `deno task compile` writes and embeds the file; in a checkout it may be left from another build.
  if (!Deno.build.standalone) return null;
  return Deno.readTextFileSync(new URL("../dist/commit.txt", import.meta.url)).trim();
}

/** One line for `--version`: `acq-server 0.1.0 (commit 0123456789ab)`. */
export function versionLine(): string {
  const built = commit();
  return `${manifest.name} ${VERSION} (${built === null ? "from source" : `commit ${built}`})`;
}
