/** The version of this build. */
import manifest from "../deno.json" with { type: "json" };

/** Version of the package. */
export const VERSION: string = manifest.version;

/** One line for `--version`: `acq-server 0.1.0 (commit 0123456789ab)`. */
export function formatVersion(): string {
  // `deno task compile` writes and embeds the file; in a checkout it may be left from another build.
  const built = Deno.build.standalone
    ? `commit ${Deno.readTextFileSync(new URL("../dist/commit.txt", import.meta.url)).trim()}`
    : "from source";
  return `${manifest.name} ${VERSION} (${built})`;
}
