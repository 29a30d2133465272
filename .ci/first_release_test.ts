/** What is true until 0.1.0 is out: pages mark what needs the release, and docs/developers/releases.md says how to make it. */
import assert from "node:assert/strict";
import { PLATFORMS, repositoryText, ROOT } from "./packages/release.ts";

const MARK = /from\s+release\s+0\.1\.0\s+on/;
/** What people can type or download once there is a release. */
const NEEDS =
  /(npx|uvx) acq-server|uv tool install|(npm|pip) install.* "?acq-|`acq-client` on npm|releases\/latest|acq-server-(linux|macos|windows)-/;
// The changelog has a date once a version is out; .ci/check_release.ts refuses the tag before.
const released = /^## \[0\.1\.0\] - \d{4}-\d\d-\d\d$/m.test(repositoryText("CHANGELOG.md"));

/** Paths of pages below a folder, relative to the root. */
function pagesBelow(folder: string): string[] {
  return [...Deno.readDirSync(ROOT + folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? pagesBelow(`${folder}/${name}`) : name.endsWith(".md") ? [`${folder}/${name}`] : []
  );
}

/** Sections of second level of the pages for users, by page and heading, that match. */
function sectionsWith(pattern: RegExp): string[] {
  const pages = pagesBelow("docs").filter((page) => !page.startsWith("docs/developers/"));
  return ["README.md", ...pages].flatMap((page) =>
    repositoryText(page).split(/^(?=## )/m).filter((section) => pattern.test(section))
      .map((section) => `${page}: ${section.split("\n", 1)[0]}`)
  );
}

Deno.test("marks what needs release 0.1.0 until that release is published", () => {
  const wanted = sectionsWith(NEEDS);
  assert(wanted.length > 5, wanted.join("\n"));
  assert.deepEqual(sectionsWith(MARK), released ? [] : wanted);
});

/** What only holds before the first release, or waits for the name of the repository. */
const BEFORE = /no\s+release\s+yet|until\s+the\s+first\s+release|OWNER\/REPOSITORY/i;

Deno.test("nothing says that there is no release once there is one", () => {
  const issues = ".github/ISSUE_TEMPLATE/config.yml";
  const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CITATION.cff", issues, ...pagesBelow("docs")]
    .filter((page) => page !== "docs/developers/releases.md" && BEFORE.test(repositoryText(page)));
  const wanted = released ? [] : ["README.md", "SECURITY.md", issues, "docs/install.md"];
  assert.deepEqual(pages, wanted);
});

Deno.test("README.md begins with what works: source before the release, then the download", () => {
  const readme = repositoryText("README.md");
  const [source, download] = ["\n## Run it from source\n", "\n## Download and run\n"].map((title) =>
    readme.indexOf(title)
  );
  assert(source! > 0 && download! > 0);
  assert.equal(download! < source!, released);
});

Deno.test("the checklist of the first release names all packages of npm", () => {
  const [, checklist = ""] = repositoryText("docs/developers/releases.md").split("## The first release\n");
  const names = checklist.match(/(?<=`)(@acq-server\/[\w-]+|acq-\w+)(?=`)/g);
  const platforms = PLATFORMS.map(({ node: [os, cpu] }) => `@acq-server/${os}-${cpu}`);
  assert.deepEqual(new Set(names), new Set([...platforms, "acq-server", "acq-client"]));
});
