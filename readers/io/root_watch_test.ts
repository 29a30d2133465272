import assert from "node:assert/strict";
import { join } from "node:path";
import { PathNotAllowed, PathNotFound, Unreadable } from "../errors.ts";
import { FileAccess } from "./random_access.ts";
import { spawn } from "../../tests/child_process.ts";
import { PATIENCE, within } from "../../tests/deadline.ts";

/** Exchanges a folder and a link to another one without end. */
const EXCHANGE = `
const [folder, link, spare] = Deno.args;
console.log("ready");
while (true) {
  Deno.renameSync(folder, spare); Deno.renameSync(link, folder);
  Deno.renameSync(folder, link); Deno.renameSync(spare, folder);
}`;

async function withRoot(work: (root: string, outside: string) => Promise<void>): Promise<void> {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const [root, outside] = [join(base, "root"), join(base, "outside")];
    for (const [folder, text] of [[join(root, "folder"), "inside"], [outside, "outside"]] as const) {
      Deno.mkdirSync(folder, { recursive: true });
      Deno.writeTextFileSync(join(folder, "a.tif"), text);
    }
    await work(root, outside);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
}

function contentOf(path: string, root: string): string {
  const files = new FileAccess([root]);
  try {
    const file = files.open(path);
    return new TextDecoder().decode(file.read(0, file.size, "all"));
  } finally {
    files.close();
  }
}

Deno.test({
  name: "a folder and a link out of the root that are exchanged all the time never give the file outside",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withRoot(async (root, outside) => {
      Deno.symlinkSync(outside, join(root, "link"));
      const script = join(root, "exchange.ts");
      Deno.writeTextFileSync(script, EXCHANGE);
      const child = spawn(Deno.execPath(), {
        args: ["run", "-q", "-A", script, ...["folder", "link", "spare"].map((name) => join(root, name))],
        stdout: "piped",
      });
      try {
        const output = child.stdout.getReader();
        await within(PATIENCE, "the exchange to begin", output.read());
        output.releaseLock();
        const outcomes = new Map<string, number>();
        for (let i = 0; i < 20_000; i += 1) {
          let outcome: string;
          try {
            outcome = contentOf(join(root, "folder", "a.tif"), root);
          } catch (error) {
            assert.ok(
              error instanceof PathNotAllowed || error instanceof PathNotFound ||
                error instanceof Unreadable,
              `${error}`,
            );
            outcome = error.tag;
          }
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        assert.equal(outcomes.get("outside"), undefined, JSON.stringify([...outcomes]));
        assert.ok((outcomes.get("PathNotAllowed") ?? 0) > 0, "the exchange was met");
      } finally {
        child.kill("SIGKILL");
        await child.output();
      }
    }),
});

Deno.test("a file in a folder that has just changed, or rests, is opened", () =>
  withRoot((root) => {
    const path = join(root, "folder", "a.tif");
    assert.equal(contentOf(path, root), "inside");
    Deno.writeTextFileSync(join(root, "folder", "new"), "");
    assert.equal(contentOf(path, root), "inside");
    return Promise.resolve();
  }));
