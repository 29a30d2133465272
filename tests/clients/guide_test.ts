/** The code of README.md, docs/build-a-client.md and docs/start/, run as it stands on the sample line scan. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { PATIENCE, within } from "../deadline.ts";
import { canImport, findProgram, output } from "./program.ts";
import { temporaryFolder } from "../temporary_files.ts";

const python = findProgram("python3", "the Python code of the guide for clients");
const curl = findProgram("curl", "the commands of README.md");
const numpy = ["python3", "/usr/bin/python3"].find((program) => canImport(program, "numpy")) ?? null;
if (numpy === null) console.log("Skipped: the Python page needs a python3 with NumPy");

/** The first code block of a page that holds a text, for a server at `baseUrl`. */
function block(page: string, text: string, baseUrl: string): string {
  const blocks = Deno.readTextFileSync(join(ROOT, page)).matchAll(/^( *)```\w+\n([^]*?)^ *```/gm);
  const found = [...blocks].map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .find((code) => code.includes(text));
  assert.ok(found, `${page} has no code with ${text}`);
  return found.replaceAll("http://127.0.0.1:8767", baseUrl);
}

const LINE_SCAN = join(ROOT, "examples", "line_scan.oir");

/** The commands of docs/start/program.md in one script, with the links of each answer in place of the placeholders. */
function programCommands(baseUrl: string): string {
  const code = (text: string) =>
    block("docs/start/program.md", text, baseUrl).replaceAll("/data/scan.oir", LINE_SCAN)
      .replaceAll("<dataUrl>", "$url").replaceAll("<sessionId>", "$id").replace("?t=3", "?t=0");
  return `set -e
answer=$(${code("/api/v2/open").trim()})
url=$(printf %s "$answer" | grep -o '"dataUrl":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
id=$(printf %s "$answer" | grep -o '"sessionId":"[^"]*"' | cut -d '"' -f 4)
${code("curl -f")}
cmp plane.f32 another.f32
wc -c < plane.f32
${code("DELETE")}`;
}

/** Runs a script of a page of the server, where a dialog chooses `path`. What it logs. */
async function runAsPage(code: string, path: string, baseUrl: string): Promise<unknown[][]> {
  const logged: unknown[][] = [];
  const choose = async (url: string, init?: RequestInit) => {
    const answer = url === "/api/v2/pick-and-open"
      ? await fetch(`${baseUrl}/api/v2/open`, { ...init, body: JSON.stringify({ path }) })
      : await fetch(baseUrl + url, init);
    if (init?.method === "DELETE") await answer.body?.cancel();
    return answer;
  };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  await new AsyncFunction("fetch", "console", code)(choose, {
    log: (...values: unknown[]) => logged.push(values),
  });
  return logged;
}

Deno.test("the code of the guide and of README.md", async (t) => {
  await using server = await ServerProcess.start(FROM_SOURCE);
  const path = LINE_SCAN;
  const { body } = await server.post("/api/v2/open", { path });
  const [channel] = body.channels as { dataUrl: string }[];
  const plane = new Float32Array(await (await fetch(server.baseUrl + channel!.dataUrl)).arrayBuffer());

  await t.step("JavaScript without a module", async () => {
    const code = block("docs/build-a-client.md", "pick-and-open", server.baseUrl);
    const logged = await within(PATIENCE, "the code of the guide", runAsPage(code, path, server.baseUrl));
    assert.deepEqual(logged, [["CH1", plane[0]]]);
  });

  await t.step({
    name: "Python without a module",
    ignore: python === null,
    async fn() {
      const code = block("docs/build-a-client.md", "urllib.request", server.baseUrl);
      const lines = (await output(python!, ["-c", code], { cwd: ROOT })).trim().split(/\r?\n/);
      const [, , first] = lines;
      assert.deepEqual(lines.slice(0, 2), ["Y 600 x 0.002118 seconds", "X 48 x 0.45 um"]);
      assert.equal(lines.length, 4);
      // Sums of 16-bit counts are exact in doubles.
      assert.equal(first, `CH1 mean ${plane.reduce((sum, value) => sum + value, 0) / plane.length}`);
    },
  });

  await t.step({
    name: "curl",
    ignore: curl === null || Deno.build.os === "windows",
    async fn() {
      const answers = await output("sh", ["-c", block("README.md", "$PWD", server.baseUrl)], { cwd: ROOT });
      assert.equal(answers.match(/"ok":true/g)?.length, 2, answers);
    },
  });

  await t.step({
    name: "five minutes with a program",
    ignore: curl === null || Deno.build.os === "windows",
    async fn() {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      const lines = await output("sh", ["-c", programCommands(server.baseUrl)], { cwd: folder });
      // 600 lines of 48 pixels, 4 bytes each.
      assert.match(lines, /^ *115200\n/);
      assert.match(lines, /"ok":true/);
    },
  });

  await t.step({
    name: "five minutes with Python",
    ignore: numpy === null || curl === null || Deno.build.os === "windows",
    async fn() {
      using temporary = temporaryFolder();
      const folder = temporary.path;
      const page = "docs/start/python.md";
      await output("sh", ["-c", block(page, "curl -O", server.baseUrl)], { cwd: folder });
      Deno.copyFileSync(LINE_SCAN, join(folder, "scan.oir"));
      const code = [block(page, "a.names", server.baseUrl), block(page, "acq.list", server.baseUrl)].join(
        "",
      )
        .replace("import acq_client as acq\n", `$&acq.SERVER = "${server.baseUrl}"\n`)
        .replace("/data/scan.oir", join(folder, "scan.oir")).replace("/data/2025-10-30", folder);
      const lines = (await output(numpy!, ["-c", code], { cwd: folder })).split("\n");
      const mean = plane.reduce((sum, value) => sum + value, 0) / plane.length;
      assert.equal(lines[2], "X 48 x 0.45 um");
      assert.match(lines[3]!, /^\(600, 48\) /);
      // NumPy sums float32 in pairs.
      assert.ok(Math.abs(Number(lines[3]!.split(" ")[2]) / mean - 1) < 1e-6, lines[3]);
      assert.match(lines[4]!, /^scan\.oir \[/);
    },
  });
});
