/** The code of README.md, docs/build-a-client.md and docs/start/, run as it stands on the sample line scan. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { tableOf } from "../browser/saved_table.ts";
import { PATIENCE, within } from "../deadline.ts";
import { output, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** The first code block of a page that holds a text, for a server at `baseUrl`. */
function block(page: string, text: string, baseUrl: string): string {
  const blocks = Deno.readTextFileSync(join(ROOT, page)).matchAll(/^( *)```\w+\n([^]*?)^ *```/gm);
  const found = [...blocks].map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .find((code) => code.includes(text));
  assert.ok(found, `${page} has no code with ${text}`);
  return found.replaceAll("http://127.0.0.1:8767", baseUrl);
}

const LINE_SCAN = join(ROOT, "examples", "line_scan.oir");

/** All shell commands of a page, pasted into one shell, for a server at `baseUrl`. */
function commandsOf(page: string, baseUrl: string): string {
  const blocks = Deno.readTextFileSync(join(ROOT, page)).matchAll(/^( *)```sh\n([^]*?)^ *```/gm);
  return [...blocks].map(([, indent, code]) => code!.replaceAll(new RegExp(`^${indent}`, "gm"), "")).join("")
    .replaceAll("http://127.0.0.1:8767", baseUrl);
}

/** A folder with the sample, as a download has it. */
function folderWithSample() {
  const temporary = temporaryFolder();
  Deno.mkdirSync(temporary.at("examples"));
  Deno.copyFileSync(LINE_SCAN, temporary.at("examples/line_scan.oir"));
  return temporary;
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

/** A server, and the first plane of the sample as it serves it. */
async function withPlane(work: (baseUrl: string, plane: Float32Array) => Promise<void>): Promise<void> {
  await using server = await ServerProcess.start(FROM_SOURCE);
  const { body } = await server.post("/api/v2/open", { path: LINE_SCAN });
  const [channel] = body.channels as { dataUrl: string }[];
  await work(
    server.baseUrl,
    new Float32Array(await (await fetch(server.baseUrl + channel!.dataUrl)).arrayBuffer()),
  );
}

/** Sums of 16-bit counts are exact in doubles. */
const meanOf = (plane: Float32Array) => plane.reduce((sum, value) => sum + value, 0) / plane.length;

const isWindows = Deno.build.os === "windows";

Deno.test("guide: JavaScript without a module", () =>
  withPlane(async (baseUrl, plane) => {
    const code = block("docs/build-a-client.md", "pick-and-open", baseUrl);
    const logged = await within(PATIENCE, "the code of the guide", runAsPage(code, LINE_SCAN, baseUrl));
    assert.deepEqual(logged, [["CH1", plane[0]]]);
  }));

programTest(["python3"], {
  name: "guide: Python without a module",
  fn: ([python]) =>
    withPlane(async (baseUrl, plane) => {
      const code = block("docs/build-a-client.md", "urllib.request", baseUrl);
      const lines = (await output(python!, ["-c", code], { cwd: ROOT })).trim().split(/\r?\n/);
      assert.deepEqual(lines.slice(0, 2), ["Y 600 x 0.002118 seconds", "X 48 x 0.45 um"]);
      assert.equal(lines.length, 4);
      assert.equal(lines[2], `CH1 mean ${meanOf(plane)}`);
    }),
});

programTest(["sh", "curl"], {
  name: "README.md: curl",
  ignore: isWindows,
  fn: ([sh]) =>
    withPlane(async (baseUrl, plane) => {
      using folder = folderWithSample();
      const code = `set -e\n${block("README.md", "curl", baseUrl)}`;
      const answers = await output(sh!, ["-c", code], { cwd: folder.path });
      assert.equal(answers.match(/"ok":true/g)?.length, 2, answers);
      assert.deepEqual(Deno.readFileSync(folder.at("plane.f32")), new Uint8Array(plane.buffer));
    }),
});

programTest(["python3"], {
  name: "README.md: Python",
  modules: ["numpy"],
  fn: ([python]) =>
    withPlane(async (baseUrl, plane) => {
      using folder = folderWithSample();
      const client = await (await fetch(`${baseUrl}/client/v2/acq_client.py`)).text();
      Deno.writeTextFileSync(folder.at("acq_client.py"), client);
      const code = block("README.md", "acq.open", baseUrl)
        .replace("import acq_client as acq\n", `$&acq.SERVER = "${baseUrl}"\n`);
      const said = await output(python!, ["-c", `${code}print(plane[0, 0])`], { cwd: folder.path });
      const [rows, columns, first] = said.split(/\r?\n/);
      assert.deepEqual([rows, columns, Number(first)], [
        "Y 600 x 0.002118 seconds",
        "X 48 x 0.45 um",
        plane[0],
      ]);
    }),
});

programTest(["sh", "curl"], {
  name: "five minutes with a program",
  ignore: isWindows,
  fn: ([sh]) =>
    withPlane(async (baseUrl, plane) => {
      using folder = folderWithSample();
      const code = `set -e\n${commandsOf("docs/start/program.md", baseUrl)}`;
      const answers = await output(sh!, ["-c", code], { cwd: folder.path });
      assert.match(answers, /"deleted":true/);
      for (const name of ["plane.f32", "another.f32"]) {
        assert.deepEqual(Deno.readFileSync(folder.at(name)), new Uint8Array(plane.buffer), name);
      }
    }),
});

Deno.test("docs/start/line-scan.md says what the sample has", async () => {
  const page = Deno.readTextFileSync(join(ROOT, "docs/start/line-scan.md")).replaceAll(/\s+/g, " ");
  using folder = temporaryFolder();
  const settings = folder.at("settings.json");
  // The lowest cell of CH2: column 8 of 0.45 µm.
  const cell = { bands: [{ name: "Cell", from: 4, to: 13 }], traces: { isChange: true } };
  Deno.writeTextFileSync(settings, JSON.stringify(cell));
  const measure = async (...flags: string[]) => {
    const args = [...FROM_SOURCE.args, "measure", LINE_SCAN, ...flags];
    const { rows, head } = tableOf(await output(FROM_SOURCE.program, args), "{}");
    return rows.map((row) => (name: string) => Number(row[head.indexOf(name)]));
  };
  const [velocity] = await measure("--channel", "CH1");
  const [, median, beats] = /the median is (\d+) µm\/s, and the heart beats (\d+) times a minute/.exec(page)!;
  assert.equal(velocity!("Median velocity (um/s)").toFixed(0), median);
  assert.equal(velocity!("Heart rate of velocity (1/min)").toFixed(0), beats);
  const events = await measure("--channel", "CH2", "--settings", settings, "--write", "events");
  const [, first, second] = /two, at ([\d.]+) and ([\d.]+) s, two to two and a half times/.exec(page)!;
  assert.deepEqual(events.map((event) => event("Time (s)").toFixed(2)), [first, second]);
  const [, least, most] = /half as high for ([\d.]+) to ([\d.]+) s/.exec(page)!;
  for (const event of events) {
    assert(event("Amplitude") > 1.9 && event("Amplitude") < 2.5, `${event("Amplitude")}`);
    const duration = event("Duration at half maximum (s)");
    assert(duration >= Number(least) - 0.01 && duration <= Number(most) + 0.01, `${duration}`);
  }
});

Deno.test("commands in README.md and docs/start/ have no placeholders", () => {
  const pages = [...Deno.readDirSync(join(ROOT, "docs/start"))].map(({ name }) => `docs/start/${name}`);
  for (const page of ["README.md", ...pages]) {
    const code = commandsOf(page, "");
    assert.doesNotMatch(code, /<[\w-]+>|…|\.\.\.|\/data\/|\bPATH\b/, page);
  }
});

programTest(["sh", "curl", "python3"], {
  name: "five minutes with Python",
  modules: ["numpy"],
  ignore: isWindows,
  fn: ([sh, , numpy]) =>
    withPlane(async (baseUrl, plane) => {
      using temporary = folderWithSample();
      const folder = temporary.path;
      const page = "docs/start/python.md";
      await output(sh!, ["-c", block(page, "curl -O", baseUrl)], { cwd: folder });
      const code = [block(page, "a.names", baseUrl), block(page, "acq.list", baseUrl)].join("")
        .replace("import acq_client as acq\n", `$&acq.SERVER = "${baseUrl}"\n`);
      const lines = (await output(numpy!, ["-c", code], { cwd: folder })).split("\n");
      assert.equal(lines[2], "X 48 x 0.45 um");
      assert.match(lines[3]!, /^\(600, 48\) /);
      // NumPy sums float32 in pairs.
      assert.ok(Math.abs(Number(lines[3]!.split(" ")[2]) / meanOf(plane) - 1) < 1e-6, lines[3]);
      assert.match(lines[4]!, /^line_scan\.oir \[/);
    }),
});
