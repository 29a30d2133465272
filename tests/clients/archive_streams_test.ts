/** Archives and the ZIP files of `measure`, as programs read them that take a ZIP file as a stream. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { FROM_SOURCE, ROOT } from "../binary/server_process.ts";
import { run } from "../child_process.ts";
import { output, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";
import { listZipEntries } from "../../static/demo/v2/saving/zip_entries.ts";

const LINE_SCAN = fileURLToPath(new URL("../../examples/line_scan.oir", import.meta.url));
const CLASSES = fileURLToPath(new URL("../fixtures/zip_stream", import.meta.url));

/** Runs `use` with an archive and a ZIP file of tables. */
async function withZips(use: (path: string) => Promise<void>): Promise<void> {
  using temporary = temporaryFolder();
  const path = temporary.at("file.zip");
  for (
    const args of [
      ["export", "--quiet", LINE_SCAN],
      ["measure", "--quiet", "--zip", LINE_SCAN],
      ["measure", "--quiet", "--write", "summary,events", LINE_SCAN],
    ]
  ) {
    const { code, stdout } = await run(FROM_SOURCE.program, {
      args: [...FROM_SOURCE.args, ...args],
      cwd: ROOT,
    });
    assert.equal(code, 0, args.join(" "));
    Deno.writeFileSync(path, stdout);
    await use(path);
  }
}

/** The names of the entries, by the directory. */
const namesIn = async (path: string): Promise<string[]> =>
  (await listZipEntries(new Blob([Deno.readFileSync(path)]))).map(({ name }) => name);

programTest(["java", "unzip"], {
  name: "Java's ZipInputStream reads an archive and tables as a stream",
  async fn([java, unzip]) {
    await withZips(async (path) => {
      const lines = (await output(java!, ["-cp", CLASSES, "ReadZip", path])).trimEnd().split("\n");
      const expected = (await namesIn(path)).map(async (name) => {
        const { stdout } = await run(unzip!, { args: ["-p", path, name], cwd: ROOT });
        return `${stdout.length} ${crc32(stdout).toString(16)} ${name}`;
      });
      assert.deepEqual(lines, await Promise.all(expected));
    });
  },
});

/** Prints names and SHA-256 of the entries. */
const UNZIP_STREAM = `import hashlib, sys
from stream_unzip import stream_unzip
def parts():
    with open(sys.argv[1], "rb") as file:
        while part := file.read(65536):
            yield part
for name, size, chunks in stream_unzip(parts()):
    print(name.decode(), hashlib.sha256(b"".join(chunks)).hexdigest())
`;

programTest(["python3", "unzip"], {
  name: "stream-unzip reads an archive and tables as a stream",
  modules: ["stream_unzip"],
  async fn([python, unzip]) {
    await withZips(async (path) => {
      const lines = (await output(python!, ["-c", UNZIP_STREAM, path])).trimEnd().split("\n");
      const expected = (await namesIn(path)).map(async (name) => {
        const { stdout } = await run(unzip!, { args: ["-p", path, name], cwd: ROOT });
        return `${name} ${createHash("sha256").update(stdout).digest("hex")}`;
      });
      assert.deepEqual(lines, await Promise.all(expected));
    });
  },
});
