import assert from "node:assert/strict";
import { parseCommandLine } from "../../cli/command_line.ts";
import { manPage } from "./man_page.ts";
import { run } from "../../tests/child_process.ts";
import { programTest } from "../../tests/programs.ts";
import { temporaryFolder } from "../../tests/temporary_files.ts";

const page = manPage(0);

Deno.test("the man page has every flag and command of the help, in short lines", () => {
  assert.match(page, /^\.TH ACQ\\-SERVER 1 1970-01-01 "acq\\-server \d/);
  const command = parseCommandLine(["--help"]);
  assert(command.kind === "help");
  const heads = [...page.matchAll(/^\.B (.+)$/gm)].map(([, head]) => head!.replaceAll("\\-", "-"));
  for (const [, flag] of command.text.matchAll(/^ +(?:-\w, )?(--\S+)/gm)) {
    assert(heads.some((head) => head.split(" ").includes(flag!)), flag);
  }
  for (const name of ["info", "measure", "plane", "validate", "schema"]) assert(heads.includes(name), name);
  // mandoc -T lint: "input text line longer than 80 bytes"
  assert.deepEqual(page.split("\n").filter((line) => line.length > 80), []);
});

programTest(["groff"], {
  name: "groff sets it without a warning, in lines of 80 columns",
  async fn([groff]) {
    using temporary = temporaryFolder();
    const path = temporary.at("page.1");
    Deno.writeTextFileSync(path, page);
    const args = ["-man", "-ww", "-Tutf8", "-P-c", "-P-b", "-P-u", "-rLL=80n", path];
    const { stdout, stderr } = await run(groff!, { args });
    assert.equal(new TextDecoder().decode(stderr), "");
    const text = new TextDecoder().decode(stdout);
    assert.match(text, /--max-session-memory <SIZE>\n +Memory for all planes/);
    // A line that begins with a dot is not lost.
    assert.match(text, /such as\s+\.oir,\.tif/);
    assert.deepEqual(text.split("\n").filter((line) => line.length > 80), []);
  },
});
