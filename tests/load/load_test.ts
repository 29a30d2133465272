/** The server under load and under faults; `deno task stress soak` runs the first for longer. */
import assert from "node:assert/strict";
import { FileAccess } from "../../readers/io/file_access.ts";
import { sampleFolder } from "../contract/harness.ts";
import { OpenAcquisition } from "../../session/worker/open_acquisition.ts";
import { requestOf } from "../load_here.ts";
import type { BoundOutcome } from "./bounds_process.ts";
import { filesAtBounds } from "./files_at_bounds.ts";
import { fixtureImages } from "./known_images.ts";
import { soak } from "./soak.ts";
import { stopUnderLoad } from "./stop_under_load.ts";
import { run } from "../child_process.ts";
import { ROOT } from "../binary/server_process.ts";

Deno.test({
  name: "concurrent clients that open, fetch, leave, stall and delete leave no session, lease or byte",
  fn: async () => {
    const counts = await soak({ seed: 1, clients: 8, steps: 250 });
    for (
      const what of [
        "opened",
        ...new Set(fixtureImages().map(({ format }) => `planes of ${format}`)),
        "planes of oir",
        "ranges",
        "left mid-plane",
        "planes of deleted sessions",
        "decode_failed",
      ]
    ) {
      assert.ok(counts[what], `never: ${what} in ${JSON.stringify(counts)}`);
    }
  },
});

Deno.test("SIGTERM under load: sends whole planes or breaks the connection, and exits with 0", async () => {
  const { whole, short } = await stopUnderLoad();
  assert.ok(whole > 0, "no plane arrived before the end");
  assert.equal(short, 0, "a plane ended early and passed for a whole one");
});

// A minute of work, and many on a busy machine.
const BOUNDS_SECONDS = 15 * 60;

Deno.test("loads or rejects files at every bound of the parsers without ending the process", {
  timeout: 2000 * BOUNDS_SECONDS,
}, async () => {
  const { code, stdout, stderr } = await run(Deno.execPath(), {
    // The heap that V8 grants on a machine of 4 GiB.
    args: [
      "run",
      "-q",
      "-A",
      "--no-prompt",
      "--v8-flags=--max-old-space-size=1024",
      "tests/load/bounds_process.ts",
    ],
    cwd: ROOT,
    seconds: BOUNDS_SECONDS,
  });
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const outcomes = new TextDecoder().decode(stdout).trimEnd().split("\n").map((line): BoundOutcome =>
    JSON.parse(line)
  );
  assert.deepEqual(outcomes.map(({ file }) => file), Object.keys(filesAtBounds()));
  for (const { file, tag, message } of outcomes) {
    assert.ok(tag === null || tag === "decode_failed", `${file}: ${message}`);
    if (file.startsWith("more_")) assert.match(message, /more than \d+/, file);
  }
  assert.equal(outcomes.at(-1)!.message, "1 planes of 512");
});

Deno.test("reports a failed allocation as too little memory, not as an internal error", async () => {
  await using sample = await sampleFolder();
  using files = new FileAccess();
  const acquisition = await OpenAcquisition.open(
    { request: requestOf(sample.image), marks: new Map() },
    files,
  );
  const { summary: { position }, working } = await acquisition.describe();
  // What V8 throws when no memory is left for a plane.
  const order = {
    channels: [0],
    rows: null,
    position,
    reference: false,
    working,
    get buffers() {
      return [new ArrayBuffer(Number.MAX_SAFE_INTEGER)];
    },
  };
  await assert.rejects(acquisition.decode(order), {
    tag: "decode_failed",
    message: /too little memory/,
  });
});
