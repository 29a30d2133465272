/** Texts that took quadratic time are parsed, or refused, at once. */
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../binary/server_process.ts";
import { outputOf, spawn } from "../child_process.ts";
import { TEXTS } from "./hostile_texts.ts";

Deno.test("parses long lines, values and lists in linear time", async () => {
  const child = spawn(Deno.execPath(), {
    args: ["run", "-q", "-A", join(import.meta.dirname!, "hostile_texts.ts")],
    cwd: ROOT,
    stdout: "piped",
    stderr: "piped",
  });
  const { code, stdout, stderr } = await outputOf(child, "the hostile texts");
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  deepEqual([code, err, out!.trimEnd().split("\n")], [0, "", Object.keys(TEXTS)]);
});
