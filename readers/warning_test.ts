import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { listed, WARNING_CODES } from "./warning.ts";

/** Sources of a folder and those below it, without tests and the list of codes itself. */
function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = join(folder, name);
    if (isDirectory) yield* sources(path);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts") && name !== "warning.ts") {
      yield Deno.readTextFileSync(path);
    }
  }
}

Deno.test("every code of a warning is used", () => {
  const text = [...sources(import.meta.dirname!)].join("\n");
  deepEqual(Object.keys(WARNING_CODES).filter((code) => !text.includes(`"${code}"`)), []);
});

Deno.test("the guide for clients lists every code with its meaning, and no other", () => {
  const guide = Deno.readTextFileSync(join(import.meta.dirname!, "../docs/build-a-client.md"));
  const section = guide.split("\n## Warnings\n")[1]!.split("\n## ")[0]!;
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map((
    [, code, meaning],
  ) => [code, meaning]);
  deepEqual(rows, Object.entries(WARNING_CODES));
});

Deno.test("a list names the first five items and counts the others", () => {
  const names = [..."abcdef"];
  equal(listed(["a"]), "a");
  equal(listed(names.slice(0, 5)), "a, b, c, d, e");
  equal(listed(names), "a, b, c, d, e and 1 more");
  equal(listed(["a", "b"], 7), "a, b and 5 more");
});
