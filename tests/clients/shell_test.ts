/** The commands `info`, `plane` and `export`, as processes with the permissions of deno.json. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { formatSamples } from "../binary/format_samples.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { expectedFile, FIXTURES } from "../fixtures/expected.ts";
import { ended, run, spawn } from "../child_process.ts";
import { PATIENCE, within } from "../deadline.ts";
import { programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

interface Ended {
  readonly code: number;
  readonly bytes: Uint8Array;
  readonly out: string;
  readonly err: string;
}

async function shell(args: readonly string[], env: Record<string, string> = {}, cwd = ROOT): Promise<Ended> {
  const options = { args: [...FROM_SOURCE.args, ...args], env, cwd };
  const { code, stdout, stderr } = await run(FROM_SOURCE.program, options);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, bytes: stdout, out: text(stdout), err: text(stderr) };
}

/** What `open` answers, without the session and the paths below it. */
function withoutSession({ sessionId: _id, ...body }: Record<string, unknown>) {
  const text = JSON.stringify(body, (key, value) => key === "dataUrl" ? undefined : value);
  return JSON.parse(text);
}

Deno.test("info prints the answer of an open for every format, one line per path", async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const samples = formatSamples(folder);
  await using server = await ServerProcess.start(FROM_SOURCE);
  const { code, out, err } = await shell(["info", ...samples.map(({ path }) => path)]);
  assert.deepEqual([code, err], [0, ""]);
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines.length, samples.length);
  for (const [i, { path }] of samples.entries()) {
    const { body } = await server.post("/api/v2/open", { path });
    assert.deepEqual(lines[i], withoutSession(body), path);
  }
});

Deno.test("info: prints a failure as one line with its code", async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const cut = join(folder, "cut\u009b2J.oir");
  Deno.writeFileSync(cut, Deno.readFileSync(join(ROOT, "examples", "line_scan.oir")).subarray(0, 900));
  Deno.writeTextFileSync(join(folder, "notes.docx"), "notes");
  Deno.symlinkSync("loop", join(folder, "loop"));
  const paths = [
    "nowhere.tif",
    "notes.docx",
    cut,
    "loop",
    folder,
    "",
    join(ROOT, "examples/line_scan.oir"),
  ];
  const { code, out, err } = await shell(["info", ...paths], {}, folder);
  assert.deepEqual([code, err], [1, ""]);
  assert.ok(!out.includes("\u009b"), "a character that steers terminals");
  const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ ok, error }) => ok || error), [
    "path_not_found",
    "unsupported_format",
    "decode_failed",
    "path_not_found",
    "unsupported_format",
    "request_validation_failed",
    true,
  ]);
  assert.deepEqual(lines.slice(0, -1).map(({ path }) => path), paths.slice(0, -1));
  assert.ok(lines.slice(0, -1).every(({ message, details }) => message.length > 10 && details === null));
});

programTest(["sh"], {
  name: "info: says that a path is not UTF-8, like the dialog",
  ignore: Deno.build.os !== "linux",
  fn: async ([sh]) => {
    using temporary = temporaryFolder();
    const script = ': > "$(printf \'a\\377.tif\')"; exec "$@" "$(printf \'a\\377.tif\')"';
    const { code, stdout } = await run(sh!, {
      args: ["-c", script, "sh", FROM_SOURCE.program, ...FROM_SOURCE.args, "info"],
      cwd: temporary.path,
    });
    assert.equal(code, 1);
    const { error, message } = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(error, "path_not_found");
    assert.match(message, /: its path is not UTF-8; rename it$/);
  },
});

Deno.test("info: prints another scene indented", async () => {
  const path = join(FIXTURES, "nd2", "positions.nd2");
  const { code, out } = await shell(["info", "--scene=1", "--pretty", path]);
  assert.equal(code, 0);
  assert.match(out, /^\{\n {2}"ok": true,\n/);
  assert.equal(JSON.parse(out).scene, 1);
  const beyond = await shell(["info", "--scene", "-1", path]);
  assert.deepEqual([beyond.code, JSON.parse(beyond.out).error], [1, "scene_out_of_range"]);
});

Deno.test("plane: writes planes of positions and scenes", async () => {
  const cases: [string[], string][] = [
    [
      ["lsm/series_tzc.lsm", "--t", "1", "--z", "1", "--channel", "1"],
      expectedFile("lsm", "series_tzc.lsm").scenes[0]!.planes["1,1,0,1"]!,
    ],
    [
      ["nd2/positions.nd2", "--scene", "1", "--t", "1"],
      expectedFile("nd2", "positions.nd2").scenes[1]!.planes["1,0,0,0"]!,
    ],
  ];
  for (const [[file = "", ...flags], hash] of cases) {
    const { code, bytes, err } = await shell(["plane", join(FIXTURES, file), ...flags]);
    assert.deepEqual([code, err], [0, ""], file);
    const found = createHash("sha256").update(bytes).digest("hex");
    assert.ok(hash.length >= 8 && found.startsWith(hash), `${file} ${flags.join(" ")}: ${found}`);
  }
});

Deno.test("plane: writes consecutive planes one after the other", async () => {
  const file = join(FIXTURES, "lsm/series_tzc.lsm");
  const { scenes: [scene] } = expectedFile("lsm", "series_tzc.lsm");
  const { code, bytes, err } = await shell(["plane", file, "--t", "0-1", "--z=1"]);
  assert.deepEqual([code, err], [0, ""]);
  const half = bytes.length / 2;
  for (const t of [0, 1]) {
    const found = createHash("sha256").update(bytes.subarray(t * half, (t + 1) * half)).digest("hex");
    assert.ok(found.startsWith(scene!.planes[`${t},1,0,0`]!), `t ${t}: ${found}`);
  }
  const array = await shell(["plane", file, "--t", "0-1", "--z=1", "--format", "npy"]);
  assert.match(array.out, /'shape': \(2, \d+, \d+\), \}/);
});

Deno.test("plane: prints a failure as one line with its code, and nothing on standard output", async () => {
  const scan = join(ROOT, "examples", "line_scan.oir");
  const cases: [string[], number, RegExp][] = [
    [["nowhere.tif"], 1, /^path_not_found: Cannot open ".*nowhere\.tif": nothing exists there\n$/],
    [["README.md"], 1, /^unsupported_format: [^\n]+\n$/],
    [[scan, "--channel", "2"], 1, /^channel_out_of_range: Channel 2 does not exist: [^\n]+\n$/],
    [[scan, "--channel", "-1"], 1, /^channel_out_of_range: [^\n]+ -1 is negative\n$/],
    [[scan, "--t", "1"], 1, /^position_out_of_range: Index 1 along T [^\n]+\n$/],
    [[scan, "--z=-3"], 1, /^position_out_of_range: Index -3 along Z [^\n]+\n$/],
    [[scan, "--scene", "4"], 1, /^scene_out_of_range: [^\n]+\n$/],
    [[scan, "--max-session-memory", "1KiB"], 1, /^session_memory_exceeded: [^\n]+\n$/],
    [[scan, "--t", "x"], 2, /^--t takes an index from 0, not "x"\n$/],
    [[scan, "--t", "0-1"], 1, /^position_out_of_range: Index 1 along T [^\n]+\n$/],
    [[scan, "--t", "1-0"], 2, /^--t 1-0 ends before it begins\n$/],
    [[scan, "--t", "0-0", "--z", "0-0"], 2, /^Only one of [^\n]+ may be a range\n$/],
    [[scan, "--t", "0-0", "--format", "pgm"], 2, /^A picture has one plane[^\n]+\n$/],
    [
      [scan, "--format", "tiff"],
      2,
      /^--format takes f32, npy, pgm, not "tiff"\n$/,
    ],
    [[scan, "--chanel", "0"], 2, /^[^\n]+ did you mean --channel\? [^\n]+\n$/],
    [[scan, "--channel"], 2, /^--channel needs a value[^\n]+\n$/],
    [[], 2, /^Missing path: [^\n]+\n$/],
    [[scan, scan], 2, /^Expected one path, not 2[^\n]+\n$/],
  ];
  for (const [args, status, words] of cases) {
    const { code, out, err } = await shell(["plane", ...args]);
    assert.deepEqual([code, out], [status, ""], args.join(" "));
    assert.match(err, words);
  }
  const { code, out, err } = await shell(["info"]);
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /^Missing path: [^\n]+\n$/);
});

Deno.test("each command has its help", async () => {
  for (
    const [name, words] of [
      ["info", /--pretty/],
      ["plane", /--format <NAME>/],
      ["validate", /--json/],
      ["schema", /reference-image/],
    ] as const
  ) {
    for (const flag of ["--help", "-h"]) {
      const { code, out, err } = await shell([name, flag]);
      assert.deepEqual([code, err], [0, ""]);
      assert.match(out, words);
      assert.ok(out.split("\n").every((line) => line.length <= 100), out);
    }
  }
});

Deno.test({
  name: "a closed pipe ends a command silently",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const scan = join(ROOT, "examples", "line_scan.oir");
    // More than a pipe holds (64 KiB), so that a write finds nobody.
    for (const command of [["plane", scan], ["info", ...Array.from({ length: 60 }, () => scan)]]) {
      const child = spawn(FROM_SOURCE.program, {
        args: [...FROM_SOURCE.args, ...command],
        stdout: "piped",
        stderr: "piped",
      });
      const reader = child.stdout.getReader();
      await within(PATIENCE, "output", reader.read());
      await reader.cancel();
      const { code } = await ended(child, "a command whose reader is gone");
      const err = await new Response(child.stderr).text();
      assert.deepEqual([code, err], [0, ""]);
    }
  },
});

programTest(["sh"], {
  name: "reports a full disk in one line",
  ignore: Deno.build.os !== "linux",
  fn: async ([sh]) => {
    const scan = join(ROOT, "examples", "line_scan.oir");
    const calls = [
      ["plane", scan],
      ["validate", scan],
      ["validate", "--json", scan],
      ["schema", "collection"],
      ["schema", "--help"],
      ["--help"],
      ["--version"],
    ];
    for (const args of calls) {
      const line = [FROM_SOURCE.program, ...FROM_SOURCE.args, ...args];
      const { code, stderr } = await run(sh!, { args: ["-c", '"$@" > /dev/full', "sh", ...line] });
      assert.equal(code, 1, args.join(" "));
      const said = new TextDecoder().decode(stderr);
      assert.match(said, /^Cannot write to standard output: No space left[^\n]*\n$/, args.join(" "));
    }
  },
});

Deno.test("the commands need only the permission to read", async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const log = join(folder, "audit.jsonl");
  const scan = join(ROOT, "examples", "time_series.ome.tif");
  for (const args of [["info", scan], ["plane", scan, "--t", "2", "--format", "pgm"]]) {
    const { code, err } = await shell(args, { DENO_AUDIT_PERMISSIONS: log });
    assert.deepEqual([code, err], [0, ""]);
  }
  const entries = Deno.readTextFileSync(log).trimEnd().split("\n").map((line) => JSON.parse(line));
  // The audit lists a write beside each read of an open call, as tests/binary/permissions_test.ts shows.
  const kinds = new Set(entries.map(({ permission }) => permission));
  assert.deepEqual([...kinds].filter((kind) => !["read", "write"].includes(kind)), []);
});

Deno.test("export names a recording that cannot be read, and archives the others", async () => {
  using temporary = temporaryFolder();
  const scan = join(ROOT, "examples", "line_scan.oir");
  const cut = temporary.at("cut.oir");
  Deno.writeFileSync(cut, Deno.readFileSync(scan).subarray(0, 900));
  const { code, bytes, err } = await shell(["export", "-q", cut, scan, temporary.at("missing.oir")]);
  assert.equal(code, 1);
  const lines = err.trimEnd().split("\n");
  assert.equal(lines.length, 2, err);
  assert.match(lines[0]!, /^warning: .*"cut\.oir".*; it is left out$/);
  assert.match(lines[1]!, /^warning: .*missing\.oir".*; it is left out$/);
  const archive = temporary.at("others.zip");
  Deno.writeFileSync(archive, bytes);
  const validated = await shell(["validate", archive]);
  assert.equal(validated.code, 0, validated.out);
  assert.equal(JSON.parse((await shell(["info", archive])).out).sceneCount, 1);
});

Deno.test("export writes an archive that validate accepts, or explains why not", async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const scan = join(ROOT, "examples/line_scan.oir");
  const { code, bytes, err } = await shell(["export", "--name", "Both", scan, scan]);
  assert.deepEqual([code, err.trim()], [0, `4 planes, ${(bytes.length / 2 ** 20).toFixed(1)} MiB`]);
  const archive = join(folder, "both.zip");
  Deno.writeFileSync(archive, bytes);
  assert.deepEqual((await shell(["validate", archive])).out, `VALID ${archive}\n`);
  const described = JSON.parse((await shell(["info", archive])).out);
  assert.deepEqual([described.source.format, described.sceneCount], ["collection", 2]);
  const missing = await shell(["export", "-q", join(folder, "missing.oir")]);
  assert.deepEqual([missing.code, missing.bytes.length], [1, 0]);
  assert.match(missing.err, /^path_not_found: /);
  for (const args of [[], ["--images", "some", scan], ["--scene", "x", scan]]) {
    assert.equal((await shell(["export", ...args])).code, 2, args.join(" "));
  }
  const scene = await shell(["export", "--scene", "7", scan]);
  assert.match(scene.err, /^scene_out_of_range: /);
});
