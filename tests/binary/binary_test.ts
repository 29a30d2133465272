/**
 * The executable as people download it: `dist/acq-server`, or what ACQ_SERVER_BINARY names. Without one, or with
 * one that is built around deno itself, the test is skipped; with REQUIRE_BINARY=1 that is a failure.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { readExecutable } from "./executable.ts";
import { writeCollection } from "../collection_tree.ts";
import { formatSamples, openSample } from "./format_samples.ts";
import { checkProbe } from "./probe_outcomes.ts";
import { startClicked } from "./started_by_click.ts";
import { ROOT, ServerProcess } from "./server_process.ts";
import { run } from "../child_process.ts";
import { temporaryFolder } from "../temporary_files.ts";

const EXE = Deno.build.os === "windows" ? ".exe" : "";
const binary = Deno.env.get("ACQ_SERVER_BINARY") ?? join(ROOT, "dist", `acq-server${EXE}`);
const required = Deno.env.get("REQUIRE_BINARY") === "1";
const fault = existsSync(binary)
  ? isDenoItself(binary) ? `"${binary}" is built around deno (DENORT_BIN) and acts like it` : null
  : `there is no executable at "${binary}"; "deno task compile" builds it`;
const ignore = !required && fault !== null;
if (ignore) console.log(`Skipped: ${fault}`);

Deno.test({ name: "the executable", ignore, fn: useBinary });

/** `DENORT_BIN` can name deno, whose program then starts in place of the embedded one. */
function isDenoItself(path: string): boolean {
  const { stdout } = new Deno.Command(path, { args: ["--version"], stderr: "null" }).outputSync();
  return new TextDecoder().decode(stdout).startsWith("deno ");
}

async function useBinary(t: Deno.TestContext): Promise<void> {
  assert.equal(fault, null, `REQUIRE_BINARY is set, and ${fault}`);
  using temporary = temporaryFolder();
  const folder = temporary.path;
  await t.step("--version prints version and commit", async () => {
    const { code, stdout } = await run(binary, { args: ["--version"] });
    assert.equal(code, 0);
    const line = new TextDecoder().decode(stdout);
    assert.match(line, /^acq-server \S+ \(commit ([0-9a-f]{12}(, modified)?|unknown)\)\n$/);
    assert.equal(line.split(" ")[1], manifest.version);
  });

  await t.step("describes a file and writes a plane without a server", async () => {
    const [sample] = formatSamples(folder);
    const command = (name: string) => run(binary, { args: [name, sample!.path] });
    const [info, plane] = [await command("info"), await command("plane")];
    assert.deepEqual([info.code, plane.code, info.stderr.length + plane.stderr.length], [0, 0, 0]);
    assert.equal(JSON.parse(new TextDecoder().decode(info.stdout)).source.path, sample!.path);
    assert.equal(createHash("sha256").update(plane.stdout).digest("hex"), sample!.sha256[0]);
  });

  await t.step("judges a collection and prints a schema", () => useCollection(join(folder, "collection")));

  // PATH has no dialog program, which must cause no warning.
  const scratch = join(folder, "temporary");
  Deno.mkdirSync(scratch);
  const env = {
    ...{ PATH: folder, DISPLAY: ":0", LD_LIBRARY_PATH: "/opt/environment/lib" },
    ...{ TMPDIR: scratch, TMP: scratch, TEMP: scratch },
  };
  await using server = await ServerProcess.start({ program: binary, args: [] }, [], env);
  await t.step("prints its addresses without a warning", () => {
    assert.match(server.stderr, /\/demo\/v2\//);
    assert.doesNotMatch(server.stderr, /warn|info|failed|permission/i);
  });
  for (const sample of formatSamples(folder)) {
    await t.step(`opens ${sample.format}`, () => openSample(server, sample));
  }
  await t.step("its pages load with all their resources", () => checkPages(server));
  if (Deno.build.os === "linux") {
    await t.step("reports a missing dialog program", async () => {
      const { status, body } = await server.post("/api/v2/pick-and-open", {});
      assert.deepEqual([status, body.error], [501, "dialog_unavailable"]);
      assert.match(String(body.message), /neither "zenity" nor "kdialog" was in PATH/);
    });
  }

  await t.step("opens the client on a click, and shows errors", () => startClicked(binary, scratch));

  await t.step("writes nothing to the temporary folder", () => {
    assert.deepEqual([...Deno.readDirSync(scratch)].map(({ name }) => name), []);
  });

  await t.step("denies writes, outbound connections and foreign programs", async () => {
    // The executable tries none of them, so a probe with the same runtime and the same permissions does.
    const probe = join(folder, `probe${EXE}`);
    const built = await run(Deno.execPath(), {
      args: [
        "compile",
        "--quiet",
        "--permission-set",
        "--no-prompt",
        "--no-check",
        "--no-code-cache",
        "--output",
        probe,
        join(ROOT, "tests", "binary", "permission_probe.ts"),
      ],
      cwd: ROOT,
    });
    if (!built.success) {
      const words = new TextDecoder().decode(built.stderr);
      assert(!required && /\bdenort\b/.test(words), words);
      console.log("Skipped: the runtime for a probe cannot be downloaded");
      return;
    }
    assert.deepEqual(
      readExecutable(probe).metadata.permissions,
      readExecutable(binary).metadata.permissions,
    );
    await checkProbe({ program: probe, args: [] }, "not found");
  });
}

/** Validates a collection, unchanged and without its table. */
async function useCollection(collection: string): Promise<void> {
  const command = async (...args: string[]) => {
    const { code, stdout } = await run(binary, { args });
    return { code, text: new TextDecoder().decode(stdout) };
  };
  writeCollection(collection);
  const whole = await command("validate", collection);
  assert.equal(whole.code, 0, whole.text);
  Deno.removeSync(join(collection, "tables", "all.csv"));
  const damaged = await command("validate", collection);
  assert.equal(damaged.code, 1);
  assert.match(damaged.text, /all\.csv/);
  const schema = await command("schema", "collection");
  assert.deepEqual([schema.code, JSON.parse(schema.text).type], [0, "object"]);
}

/** Loads the pages and every script, style and picture that their HTML names, and what the scripts import. */
async function checkPages(server: ServerProcess): Promise<void> {
  const wanted = ["/docs", "/demo/v2/", "/openapi.json"];
  const seen = new Set<string>();
  while (wanted.length > 0) {
    const path = wanted.pop()!;
    if (seen.has(path)) continue;
    seen.add(path);
    const response = await fetch(server.baseUrl + path);
    const text = await response.text();
    assert.equal(response.status, 200, path);
    const type = response.headers.get("Content-Type") ?? "";
    const names = type.startsWith("text/html")
      ? [...text.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="([^"#]+)"/g)].map(([, name]) => name!)
      : type.startsWith("text/javascript") && text.length < 100_000
      ? [...text.matchAll(/^(?:import|export)\b[^;]*?"(\.\.?\/[^"]+)"/gm)].map(([, name]) => name!)
      : [];
    const urls = names.map((name) => new URL(name, server.baseUrl + path)).filter((url) =>
      url.protocol !== "data:"
    );
    for (const url of urls) assert.equal(url.origin, server.baseUrl, `${path} names ${url}`);
    wanted.push(...urls.map((url) => url.pathname));
  }
  assert(seen.size > 10, [...seen].join(" "));
}
