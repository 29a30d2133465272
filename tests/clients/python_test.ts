/** examples/python against a server process. Skipped, with a line, where no Python has NumPy. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { formatSamples } from "../binary/format_samples.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { checkPlanes, hasSharedSamples, type Planes, type Question, sharedCases } from "./shared_samples.ts";
import { outputOf, run, spawn } from "../child_process.ts";
import { PATIENCE } from "../deadline.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const EXAMPLES = join(ROOT, "examples");
const CLIENT = join(EXAMPLES, "python");
const HERE = join(ROOT, "tests", "clients");

interface Answer extends Planes {
  readonly error?: string;
}

/** Asks all in one Python. */
async function ask(python: string, server: ServerProcess, questions: readonly Question[]): Promise<Answer[]> {
  const child = spawn(python, {
    args: [join(HERE, "planes_of.py"), CLIENT, server.baseUrl],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  });
  const lines = questions.map((question) => `${JSON.stringify(question)}\n`).join("");
  const [{ stdout }] = await Promise.all([
    outputOf(child, "the client in Python", 4 * PATIENCE),
    new Blob([lines]).stream().pipeTo(child.stdin),
  ]);
  const answers = new TextDecoder().decode(stdout).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(answers.length, questions.length);
  return answers;
}

async function withServer(use: (server: ServerProcess) => Promise<void>): Promise<void> {
  await using server = await ServerProcess.start(FROM_SOURCE);
  await use(server);
}

programTest(["python3"], {
  name: "python: reads the planes of the fixtures of every format",
  modules: ["numpy"],
  fn: ([python]) =>
    withServer(async (server) => {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      const samples = formatSamples(folder);
      const answers = await ask(python!, server, samples.map(({ path }) => ({ path })));
      for (const [i, { format, sha256 }] of samples.entries()) {
        const hashes = answers[i]!.sha256.map((hash, channel) => hash.slice(0, sha256[channel]?.length));
        assert.deepEqual(hashes, sha256, format);
      }
    }),
});

programTest(["python3"], {
  name: "python: handles errors, retries, reference, xarray and dask",
  modules: ["numpy"],
  fn: ([python]) =>
    withServer(async (server) => {
      const { success, stderr } = await run(python!, {
        args: [
          "-W",
          "error::ResourceWarning",
          join(HERE, "acq_client_cases.py"),
          CLIENT,
          server.baseUrl,
          EXAMPLES,
          join(ROOT, "tests", "fixtures"),
        ],
      });
      assert.ok(success, new TextDecoder().decode(stderr));
    }),
});

programTest(["python3"], {
  name: "python: the walk-through ends with a picture",
  modules: ["numpy", "matplotlib"],
  fn: ([python]) =>
    withServer(async (server) => {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      const picture = join(folder, "picture.png");
      // It asks the address that the client has by default.
      const code = `import runpy, sys; sys.path.insert(0, sys.argv.pop(1))
import acq_client; acq_client.SERVER = sys.argv.pop(1)
runpy.run_path(sys.argv.pop(1), run_name="__main__")`;
      const { success, stdout, stderr } = await run(python!, {
        args: [
          "-c",
          code,
          CLIENT,
          server.baseUrl,
          join(CLIENT, "walk_through.py"),
          join(EXAMPLES, "line_scan.oir"),
          picture,
        ],
      });
      assert.ok(success, new TextDecoder().decode(stderr));
      assert.match(new TextDecoder().decode(stdout), /path_not_found - .*\n(.*\n)*the picture is in/);
      assert.deepEqual(
        [...Deno.readFileSync(picture).subarray(1, 4)],
        [..."PNG"].map((c) => c.charCodeAt(0)),
      );
    }),
});

programTest(["python3"], {
  name: "python: reads planes, positions, scenes and references of the shared samples",
  modules: ["numpy"],
  ignore: !hasSharedSamples,
  fn: ([python]) =>
    withServer(async (server) => {
      const cases = sharedCases();
      const answers = await ask(python!, server, cases.map(({ question }) => question));
      for (const [i, one] of cases.entries()) {
        assert.equal(answers[i]!.error, undefined, one.question.path);
        checkPlanes(one, answers[i]!);
      }
    }),
});
