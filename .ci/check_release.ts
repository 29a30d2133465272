/**
 * Checks that a tag, deno.json and CHANGELOG.md name the same version, and prints what the changelog says of it:
 * `deno run --allow-read .ci/check_release.ts v0.1.0`.
 */
import manifest from "../deno.json" with { type: "json" };

/**
 * The text under the heading of a version in a changelog (`## 0.1.0`, `## [0.1.0] - 2026-11-21`).
 *
 * @throws {Error} the names do not agree, or there is nothing to say
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`The tag is "${tag}", deno.json says "${version}"; wanted "v${version}"`);
  }
  const sections = changelog.split(/^## /m).slice(1);
  const names = sections.map((section) => /^\[?v?([^\]\s]+)\]?/.exec(section)?.[1]);
  const section = sections[names.indexOf(version)];
  if (section === undefined) {
    throw new Error(`CHANGELOG.md has no section "## ${version}"; it has ${names.join(", ") || "none"}`);
  }
  if (/^.*\bunreleased\b/i.test(section)) throw new Error(`CHANGELOG.md calls ${version} unreleased`);
  const notes = section.slice(section.indexOf("\n") + 1).trim();
  if (!section.includes("\n") || notes === "") throw new Error(`CHANGELOG.md says nothing about ${version}`);
  return notes;
}

if (import.meta.main) {
  try {
    const changelog = Deno.readTextFileSync(new URL("../CHANGELOG.md", import.meta.url));
    console.log(releaseNotes(Deno.args[0] ?? "", manifest.version, changelog));
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
