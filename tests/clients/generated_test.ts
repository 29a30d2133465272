/** The OpenAPI document as food for generators and judges of documents. Each is skipped, with a line, where it is not installed. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { output, type Program, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

const HERE = join(ROOT, "tests", "clients");
const SCAN = join(ROOT, "tests", "fixtures", "oir", "line_scan.oir");

/** Of the second channel, as oirfile reads it (tests/fixtures/oir/expected.json). */
const EXPECTED = {
  shape: [40, 6],
  unit: "seconds",
  line: [1, 2, 4, 6],
  sha256: "b6ed0356027944bbbe923004a97671d6a8a56f330c3afd1b0d920f897451edcf",
};

interface Place {
  readonly server: ServerProcess;
  /** Empty, and gone after the test. */
  readonly folder: string;
  /** The document as a file in it. */
  readonly document: string;
}

/** @param others further programs that the test needs */
function generatorTest(
  name: string,
  tool: Program,
  run: (tool: string, place: Place, others: string[]) => Promise<void>,
  others: readonly Program[] = [],
): void {
  programTest([tool, ...others], {
    name,
    fn: async ([program = "", ...others]) => {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      await using server = await ServerProcess.start(FROM_SOURCE);
      const document = join(folder, "openapi.json");
      Deno.writeTextFileSync(document, await (await fetch(`${server.baseUrl}/openapi.json`)).text());
      await run(program, { server, folder, document }, others);
    },
  });
}

generatorTest("redocly finds no fault", "redocly", async (redocly, { document }) => {
  await output(redocly, ["lint", "--config", join(ROOT, ".ci", "redocly.yaml"), document]);
});

generatorTest(
  "a client of openapi-typescript fetches a plane",
  "openapi-typescript",
  async (generator, { server, folder, document }) => {
    await output(generator, [document, "--output", join(folder, "api.d.ts")]);
    const client = join(folder, "client.ts");
    Deno.copyFileSync(join(HERE, "generated_client.ts.txt"), client);
    const printed = await output(Deno.execPath(), [
      ...["run", "--quiet", "--check", "--no-config", "--allow-net=127.0.0.1", client],
      ...[server.baseUrl, SCAN],
    ]);
    assert.deepEqual(JSON.parse(printed), EXPECTED);
  },
);

generatorTest(
  "a client of openapi-python-client fetches a plane",
  "openapi-python-client",
  async (generator, { server, folder, document }) => {
    const client = join(folder, "client");
    await output(generator, ["generate", "--path", document, "--output-path", client]);
    // Its Python has what the client needs (httpx, attrs).
    const python = join(dirname(Deno.realPathSync(generator)), "python");
    const printed = await output(python, [join(HERE, "generated_client.py"), client, server.baseUrl, SCAN]);
    assert.deepEqual(JSON.parse(printed), EXPECTED);
  },
);

/** Runs openapi-generator, which leaves its settings in the folder of the shell. */
async function generate(generator: string, folder: string, args: readonly string[]): Promise<void> {
  await output(generator, ["generate", ...args, "-o", folder], { cwd: folder, env: { PWD: folder } });
}

generatorTest(
  "a client of openapi-generator in Python fetches a plane",
  "openapi-generator-cli",
  async (generator, { server, folder, document }, [python3]) => {
    await generate(generator, folder, ["-i", document, "-g", "python"]);
    const python = join(folder, "environment");
    await output(python3!, ["-m", "venv", python]);
    const program = join(python, "bin", "python");
    await output(program, ["-m", "pip", "install", "--quiet", "-r", join(folder, "requirements.txt")]);
    const printed = await output(program, [
      join(HERE, "openapi_generator_client.py"),
      ...[folder, server.baseUrl, SCAN],
    ]);
    assert.deepEqual(JSON.parse(printed), EXPECTED);
  },
  ["python3"],
);

generatorTest(
  "a client of openapi-generator in Java fetches a plane",
  "openapi-generator-cli",
  async (generator, { server, folder, document }, [mvn, java]) => {
    await generate(generator, folder, ["-i", document, "-g", "java", "--library", "native"]);
    const main = join(folder, "src", "main", "java", "GeneratedClient.java");
    Deno.copyFileSync(join(HERE, "generated_client.java.txt"), main);
    const paths = join(folder, "paths.txt");
    const goals = ["compile", "dependency:build-classpath", `-Dmdep.outputFile=${paths}`];
    await output(mvn!, ["--quiet", "--batch-mode", ...goals], { cwd: folder });
    const classes = `${join(folder, "target", "classes")}:${Deno.readTextFileSync(paths).trim()}`;
    const printed = await output(java!, ["-cp", classes, "GeneratedClient", server.baseUrl, SCAN]);
    assert.deepEqual(JSON.parse(printed), EXPECTED);
  },
  ["mvn", "java"],
);

generatorTest(
  "a client of oapi-codegen in Go fetches a plane",
  "oapi-codegen",
  async (generator, { server, folder, document }, [program]) => {
    const written = join(folder, "client.go");
    await output(generator, ["-generate", "types,client", "-package", "main", "-o", written, document]);
    Deno.copyFileSync(join(HERE, "generated_client.go.txt"), join(folder, "main.go"));
    const go = (...args: string[]) => output(program!, args, { cwd: folder });
    await go("mod", "init", "client");
    await go("mod", "tidy");
    assert.deepEqual(JSON.parse(await go("run", ".", server.baseUrl, SCAN)), EXPECTED);
  },
  ["go"],
);

generatorTest("schemathesis finds no fault", "schemathesis", async (schemathesis, { server }) => {
  await output(schemathesis, [
    ...["--config-file", join(ROOT, ".ci", "schemathesis.toml")],
    ...["run", `${server.baseUrl}/openapi.json`, "--phases", "examples,stateful", "--max-examples", "10"],
    ...["--generation-database", "none", "--seed", "1"],
  ], { cwd: ROOT, env: { SAMPLE: SCAN, DISPLAY: "", WAYLAND_DISPLAY: "" } });
});
