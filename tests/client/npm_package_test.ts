/** The npm package of the client module, as its user gets it. Skipped, with a line, where npm or Node is not installed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { expectedFile, firstPlanes, FIXTURES } from "../fixtures/expected.ts";
import { output, programTest } from "../programs.ts";
import manifest from "../../deno.json" with { type: "json" };

/** A project with the packed package in it, installed without any registry. */
async function projectIn(folder: string, npm: string): Promise<string> {
  const [made, project] = [join(folder, "made"), join(folder, "project")];
  const env = { npm_config_cache: join(folder, "cache"), npm_config_update_notifier: "false" };
  await output(Deno.execPath(), [
    ...["run", "--no-prompt", "--allow-read", "--allow-write", "--allow-run"],
    ...[join(ROOT, ".ci", "client_package.ts"), made],
  ]);
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  await output(npm, ["pack", made], { cwd: project, env });
  const packed = `acq-client-${manifest.version}.tgz`;
  await output(npm, ["install", "--offline", "--no-audit", "--no-fund", `./${packed}`], {
    cwd: project,
    env,
  });
  return project;
}

/** The program of the package's README with another address and file. */
function readmeProgram(base: string, path: string, end: string): string {
  const readme = Deno.readTextFileSync(join(ROOT, ".ci", "client_package.md"));
  const [, code] = /^```js\n(.*?)^```/ms.exec(readme)!;
  const lines = { "connect()": `connect(${JSON.stringify(base)})`, '"/data/scan.oir"': JSON.stringify(path) };
  return Object.entries(lines).reduce((text, [from, to]) => {
    assert(text.includes(from), from);
    return text.replace(from, to);
  }, code!) + end;
}

programTest(["npm", "node"], {
  name: "the npm package has the served bytes, works in Node and has types",
  fn: async ([npm, node], t) => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "npm_client_" }));
    const server = await ServerProcess.start(FROM_SOURCE);
    try {
      const project = await projectIn(folder, npm!);
      const installed = join(project, "node_modules", "acq-client");
      await t.step("its files", async () => {
        const names = [...Deno.readDirSync(installed)].map(({ name }) => name).sort();
        assert.deepEqual(names, ["LICENSE", "README.md", "acq-client.d.ts", "acq-client.js", "package.json"]);
        const served = await (await fetch(`${server.baseUrl}/client/v2/acq-client.js`)).text();
        assert.equal(Deno.readTextFileSync(join(installed, "acq-client.js")), served);
        assert.doesNotMatch(served, /^(import|export .* from)\b/m, "imports at run time");
        const types = Deno.readTextFileSync(join(installed, "acq-client.d.ts"));
        assert.doesNotMatch(types, /^import\b|file:/m, "paths of the machine that made them");
        const { version, license } = JSON.parse(Deno.readTextFileSync(join(installed, "package.json")));
        assert.deepEqual([version, license], [manifest.version, manifest.license]);
      });
      await t.step("the program of its README reads a plane in Node", async () => {
        const path = join(FIXTURES, "oir", "line_scan.oir");
        const end = `
import { createHash } from "node:crypto";
console.log(createHash("sha256").update(new Uint8Array(samples.buffer)).digest("hex"));
`;
        Deno.writeTextFileSync(join(project, "scan.js"), readmeProgram(server.baseUrl, path, end));
        const said = await output(node!, ["scan.js"], { cwd: project });
        const [first] = firstPlanes(expectedFile("oir", "line_scan.oir").scenes[0]!);
        assert.match(said, /^line_scan\.oir \[ 40, 6 \] \[ '0\.002118 seconds', '0\.45 um' \]/);
        assert.equal(said.trimEnd().split("\n").at(-1), first);
      });
      await t.step("its types", async () => {
        const check = (code: string) => {
          Deno.writeTextFileSync(
            join(project, "scan.ts"),
            `import { connect } from "acq-client";\n${code}\n`,
          );
          return output(Deno.execPath(), ["check", "--quiet", "--node-modules-dir=manual", "scan.ts"], {
            cwd: project,
            env: { NO_COLOR: "1" },
          });
        };
        await check(
          'export const samples: Float32Array = (await (await (await connect()).open("/x")).plane(0)).samples;',
        );
        await assert.rejects(check("export const base: number = (await connect()).base;"), /TS2322/);
      });
      await t.step("its types with an older library of the project", async () => {
        const config = join(project, "deno.json");
        Deno.writeTextFileSync(config, '{ "compilerOptions": { "lib": ["es2022", "dom"] } }');
        const types = join(project, "node_modules", "acq-client", "acq-client.d.ts");
        await output(Deno.execPath(), ["check", "--quiet", "--config", config, types]);
      });
    } finally {
      await server.stop();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
