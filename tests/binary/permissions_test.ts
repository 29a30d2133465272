/** The permissions of deno.json: what they refuse, and that opening files asks for no others. */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { formatSamples, openSample } from "./format_samples.ts";
import { checkProbe } from "./probe_outcomes.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "./server_process.ts";
import { temporaryFolder } from "../temporary_files.ts";

Deno.test("denies writes, foreign programs and other hosts", () =>
  checkProbe({
    program: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--permission-set",
      "--no-prompt",
      join(ROOT, "tests", "binary", "permission_probe.ts"),
    ],
  }, "permission"));

interface AuditEntry {
  readonly permission: string;
  readonly value: string | null;
}

Deno.test("uses only the expected permissions to open one file of each format", async (t) => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const log = join(folder, "audit.jsonl");
  await using server = await ServerProcess.start(FROM_SOURCE, [], {
    DENO_AUDIT_PERMISSIONS: log,
    DISPLAY: "",
    WAYLAND_DISPLAY: "",
  });
  for (const sample of formatSamples(folder)) {
    await t.step(sample.format, () => openSample(server, sample));
  }
  for (const page of ["/docs", "/demo/v2/", "/openapi.json", "/api/v2"]) {
    const response = await fetch(server.baseUrl + page);
    await response.body?.cancel();
    assert.equal(response.status, 200, page);
  }
  assert.equal((await server.post("/api/v2/pick-and-open", {})).status, 501);
  const entries: AuditEntry[] = Deno.readTextFileSync(log).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  const valuesOf = (permission: string) =>
    entries.filter((entry) => entry.permission === permission).map(({ value }) => value);

  await t.step("kinds", () => {
    const kinds = new Set(entries.map(({ permission }) => permission));
    assert.deepEqual([...kinds].filter((kind) => !["read", "write", "net", "env"].includes(kind)), []);
  });
  await t.step("the audit lists a write for each open call that reads, and no other", () => {
    const reads = valuesOf("read");
    for (const written of valuesOf("write")) {
      const at = reads.indexOf(written);
      assert(at >= 0, String(written));
      reads.splice(at, 1);
    }
  });
  await t.step("network: only its own address", () => {
    const { net } = manifest.permissions.default;
    for (const value of valuesOf("net")) {
      assert(net.some((host) => value?.startsWith(host + ":")), String(value));
    }
  });
  await t.step("environment: the display only", () => {
    const { env } = manifest.permissions.default;
    // Other systems show dialogs without asking where.
    const asked = Deno.build.os === "linux" ? env : [];
    assert.deepEqual(new Set(valuesOf("env")), new Set(asked));
  });
});
