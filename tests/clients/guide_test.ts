/** The code of docs/build-a-client.md and the commands of README.md, run as they stand on the sample line scan. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { PATIENCE, within } from "../deadline.ts";
import { findProgram, output } from "./program.ts";

const python = findProgram("python3", "the Python code of the guide for clients");
const curl = findProgram("curl", "the commands of README.md");

/** The first code block of a page that holds a text, for a server at `baseUrl`. */
function block(page: string, text: string, baseUrl: string): string {
  const blocks = Deno.readTextFileSync(join(ROOT, page)).matchAll(/^```\w+\n([^]*?)^```/gm);
  const found = [...blocks].map(([, code]) => code!).find((code) => code.includes(text));
  assert.ok(found, `${page} has no code with ${text}`);
  return found.replaceAll("http://127.0.0.1:8767", baseUrl);
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
  const server = await ServerProcess.start(FROM_SOURCE);
  try {
    const path = join(ROOT, "examples", "line_scan.oir");
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
  } finally {
    await server.stop();
  }
});
