/** The lines of the release workflow that publish, run against stand-ins of npm's registry and of GitHub. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PLATFORMS, ROOT, VERSION } from "./packages/release.ts";
import { output, programTest } from "../tests/programs.ts";
import { temporaryFolder } from "../tests/temporary_files.ts";

const WORKFLOW = Deno.readTextFileSync(`${ROOT}.github/workflows/release.yml`);
/** Packages in the order in which they have to be published: the launcher needs the executables. */
const NAMES = [
  ...PLATFORMS.map(({ node: [os, cpu] }) => `@acq-server/${os}-${cpu}`).sort(),
  "acq-server",
  "acq-client",
];
const ignore = Deno.build.os !== "linux";
if (ignore) console.log("Skipped: a release is published on Linux only");

function linesOf(step: string): string {
  const [, indent, block] = WORKFLOW.match(
    new RegExp(`- name: ${step}\\n +run: \\|\\n( +)((?:.*\\n(?:\\1|(?=\\n)))*.*\\n)`),
  ) ?? assert.fail(`release.yml has no step "${step}"`);
  return block!.replaceAll(`\n${indent}`, "\n");
}

/** Runs lines as GitHub does, in a folder, for two minutes at most, and gives what they print. */
const shell = (bash: string, lines: string, folder: string, env: Record<string, string>): Promise<string> =>
  output(bash, ["-eo", "pipefail", "-c", lines], { cwd: folder, env, seconds: 120 });

function registryOf(names: readonly string[]) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    if (!names.includes(name)) return Response.json({ error: "Not found" }, { status: 404 });
    return Response.json({
      name,
      "dist-tags": { latest: VERSION },
      versions: { [VERSION]: { name, version: VERSION } },
    });
  });
}

programTest(["bash", "npm"], {
  name: "the workflow publishes the npm packages that the registry does not have",
  ignore,
  fn: async ([bash]) => {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    for (const { name, executable } of PLATFORMS) {
      mkdirSync(join(folder, "binaries", name), { recursive: true });
      Deno.writeTextFileSync(join(folder, "binaries", name, executable), "stand-in");
    }
    const deno = `"${Deno.execPath()}" run -q -A --no-check "${ROOT}.ci`;
    await shell(
      bash!,
      `${deno}/packages/main.ts" binaries packages someone/acq-server
        ${deno}/client_package.ts" client someone/acq-server
        npm pack ./client --pack-destination packages`,
      folder,
      { npm_config_cache: join(folder, "cache") },
    );
    const published = ["acq-server", "@acq-server/linux-x64"];
    await using registry = registryOf(published);
    const out = await shell(bash!, linesOf("Publish what npm does not have, the executables first"), folder, {
      HOME: folder,
      npm_config_registry: `http://127.0.0.1:${registry.addr.port}/`,
      npm_config_cache: join(folder, "cache"),
      npm_config_dry_run: "true",
    });
    const wanted = NAMES.filter((name) => !published.includes(name)).map((name) => `${name}@${VERSION}`);
    assert.deepEqual([...out.matchAll(/^\+ (.+)$/gm)].map(([, id]) => id), wanted);
  },
});

/** A `gh` that keeps one release in a folder and fails at the first upload, as a network might. */
const GH = `#!/bin/sh
echo "$2" >> calls
case "$2" in
  view) cat draft ;;
  create) [ ! -e draft ] && echo true > draft ;;
  upload) [ "$(grep -c upload calls)" != 1 ] ;;
  edit) echo false > draft ;;
esac
`;

programTest(["bash"], {
  name: "a rerun continues the draft of the release, and leaves a published one",
  ignore,
  fn: async ([bash]) => {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    Deno.writeTextFileSync(join(folder, "gh"), GH, { mode: 0o755 });
    const lines = linesOf("Create a draft, and publish it when it is complete");
    const env = { TAG: "v0.1.0", PATH: `${folder}:${Deno.env.get("PATH")}` };
    await assert.rejects(shell(bash!, lines, folder, env));
    await shell(bash!, lines, folder, env);
    await shell(bash!, lines, folder, env);
    const calls = Deno.readTextFileSync(join(folder, "calls")).trim().split("\n");
    assert.deepEqual(calls, ["view", "create", "upload", "view", "upload", "edit", "view"]);
  },
});
