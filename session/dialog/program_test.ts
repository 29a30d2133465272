import { equal } from "node:assert/strict";
import { programTest } from "../../tests/programs.ts";
import type { DialogCommand } from "./commands.ts";
import { runProgram } from "./program.ts";

programTest(["sh"], {
  name: "keeps a bounded part of what a dialog program writes, and lets it end",
  ignore: Deno.build.os === "windows",
  async fn([shell]) {
    const script =
      "i=0; while [ $i -lt 40 ]; do printf '%65536s' x; printf '%65536s' y >&2; i=$((i + 1)); done";
    const command = { program: shell!, args: ["-c", script], env: {} } as unknown as DialogCommand;
    const result = await runProgram(command, new AbortController().signal);
    equal(result?.code, 0);
    equal(result?.stdout.length, 256 << 10);
    equal(result?.stderr.length, 256 << 10);
  },
});
