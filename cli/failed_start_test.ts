import assert from "node:assert/strict";
import { messageWindows } from "./failed_start.ts";

Deno.test("a message is one argument, never a part of a script", () => {
  const message = `Port 8767 is "taken"; <b>\\ $(id)`;
  const [macos, ...others] = messageWindows("darwin", message);
  assert.deepEqual([macos!.program, macos!.args.at(-1), others], ["osascript", message, []]);
  assert(macos!.args.slice(0, -1).every((argument) => !argument.includes("8767")));

  const linux = messageWindows("linux", message);
  assert.deepEqual(linux.map(({ program }) => program), ["zenity", "kdialog"]);
  // Without markup "<b>" is shown as it is.
  assert(linux[0]!.args.includes("--no-markup") && linux[0]!.args.includes(`--text=${message}`));
  assert.equal(linux[1]!.args.at(-1), message);

  assert.deepEqual(messageWindows("windows", message), []);
});
