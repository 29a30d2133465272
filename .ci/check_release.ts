/**
 * Checks that a tag, deno.json, CHANGELOG.md and CITATION.cff name the same version, and prints what the changelog says of it:
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

/**
 * Checks that CITATION.cff has the version, and the date of its heading in the changelog.
 *
 * @throws {Error} it has others
 */
export function checkCitation(version: string, changelog: string, citation: string): void {
  const [, stated] = /^version: "?([^"\n]+)"?$/m.exec(citation) ?? [];
  if (stated !== version) throw new Error(`CITATION.cff has the version ${stated}; wanted ${version}`);
  const heading = changelog.split("\n").find((line) => line.startsWith("## ") && line.includes(version)) ??
    "";
  const [date] = /\d{4}-\d\d-\d\d/.exec(heading) ?? [];
  const [, released] = /^date-released: "?([^"\n]+)"?$/m.exec(citation) ?? [];
  if (date === undefined) throw new Error(`CHANGELOG.md has no date for ${version}`);
  if (released !== date) throw new Error(`CITATION.cff has the date ${released}, CHANGELOG.md ${date}`);
}

if (import.meta.main) {
  try {
    const changelog = Deno.readTextFileSync(new URL("../CHANGELOG.md", import.meta.url));
    const notes = releaseNotes(Deno.args[0] ?? "", manifest.version, changelog);
    checkCitation(
      manifest.version,
      changelog,
      Deno.readTextFileSync(new URL("../CITATION.cff", import.meta.url)),
    );
    console.log(notes);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
