import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { DecodeFailed, Stopped, Unreadable } from "./errors.ts";
import { addWarning, listed, unlessLost, type Warning, warning, WARNING_CODES } from "./warning.ts";

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

Deno.test("every warning code is used", () => {
  const text = [...sources(import.meta.dirname!)].join("\n");
  deepEqual(Object.keys(WARNING_CODES).filter((code) => !text.includes(`"${code}"`)), []);
});

Deno.test("a list names the first five items and counts the others", () => {
  const names = [..."abcdef"];
  equal(listed(["a"]), "a");
  equal(listed(names.slice(0, 5)), "a, b, c, d, e");
  equal(listed(names), "a, b, c, d, e and 1 more");
  equal(listed(["a", "b"], 7), "a, b and 5 more");
});

Deno.test("lists each warning once, and at most five with one code", () => {
  const warnings: Warning[] = [];
  for (const text of [..."aabcdefg"]) addWarning(warnings, warning("metadata_damaged", text));
  addWarning(warnings, warning("step_unknown", "a"));
  equal(warnings.map(({ text }) => text).join(""), "abcdea");
});

Deno.test("turns damage and system faults into warnings, and throws other failures", () => {
  const warnings: Warning[] = [];
  const fail = (error: Error) => () => {
    throw error;
  };
  equal(unlessLost(warnings, "The name", () => 7), 7);
  equal(unlessLost(warnings, "The name", fail(new DecodeFailed("the XML is damaged: 2:5: no end"))), null);
  equal(unlessLost(warnings, "The list", fail(new DecodeFailed("it is cut")), "file_damaged"), null);
  equal(unlessLost(warnings, "The text", fail(new Unreadable('"a" cannot be opened: EIO'))), null);
  for (const error of [new Stopped(), new TypeError("x")]) {
    throws(() => unlessLost(warnings, "A", fail(error)), error);
  }
  deepEqual(warnings.map(({ code, text }) => `${code}: ${text}`), [
    "metadata_damaged: The name cannot be read: the XML is damaged at line 2, column 5: no end",
    "file_damaged: The list cannot be read: it is cut",
    'file_unreadable: The text cannot be read: "a" cannot be opened: EIO',
  ]);
});
