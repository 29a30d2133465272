import assert from "node:assert/strict";
import manifest from "../deno.json" with { type: "json" };
import { checkCitation, releaseNotes } from "./check_release.ts";

const CHANGELOG =
  "# Changelog\n\n## [0.4.0] - Unreleased\n\n- new\n\n## [0.2.0] - 2026-12-01\n\n- more\n\n### Fixed\n\n- less\n\n## 0.1.0\n\nFirst.\n\n## 0.0.1\n";

Deno.test("the notes of a version are the text under its heading", () => {
  assert.equal(releaseNotes("v0.2.0", "0.2.0", CHANGELOG), "- more\n\n### Fixed\n\n- less");
  assert.equal(releaseNotes("v0.1.0", "0.1.0", CHANGELOG), "First.");
});

Deno.test("rejects names that disagree", async (t) => {
  const rows: [string, string, RegExp][] = [
    ["v0.2.0", "0.1.0", /The tag is "v0.2.0", deno.json says "0.1.0"/],
    ["0.1.0", "0.1.0", /wanted "v0.1.0"/],
    ["v0.3.0", "0.3.0", /no section "## 0.3.0"; it has 0.4.0, 0.2.0, 0.1.0, 0.0.1/],
    ["v0.4.0", "0.4.0", /calls 0.4.0 unreleased/],
    ["v0.0.1", "0.0.1", /says nothing about 0.0.1/],
  ];
  for (const [tag, version, message] of rows) {
    await t.step(
      `${tag} ${version}`,
      () => assert.throws(() => releaseNotes(tag, version, CHANGELOG), message),
    );
  }
});

Deno.test("the citation has the version and date of the release", () => {
  const check = (citation: string, version = "0.2.0") => checkCitation(version, CHANGELOG, citation);
  check("title: a\nversion: 0.2.0\ndate-released: 2026-12-01\n");
  check('version: "0.2.0"\ndate-released: "2026-12-01"\n');
  assert.throws(() => check("date-released: 2026-12-01\n"), /version undefined; wanted 0\.2\.0/);
  assert.throws(() => check("version: 0.2.0\n"), /the date undefined, CHANGELOG\.md 2026-12-01/);
  assert.throws(() => check("version: 0.1.0\n", "0.1.0"), /CHANGELOG\.md has no date for 0\.1\.0/);
});

Deno.test("CITATION.cff has the version of deno.json", () => {
  const citation = Deno.readTextFileSync(new URL("../CITATION.cff", import.meta.url));
  assert.match(citation, new RegExp(`^version: ${RegExp.escape(manifest.version)}$`, "m"));
});
