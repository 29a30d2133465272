import assert from "node:assert/strict";
import { chooseBrowserCommand, hasOwnScreen, listMessageWindows } from "./desktop.ts";

const PAGE = "http://127.0.0.1:8767/demo/v2/";

Deno.test("the address is an argument or a variable, never a part of a script", () => {
  const linux = chooseBrowserCommand("linux", PAGE);
  assert.deepEqual([linux.program, linux.args, linux.env], ["xdg-open", [PAGE], {}]);
  assert.deepEqual(chooseBrowserCommand("freebsd", PAGE), linux);

  const macos = chooseBrowserCommand("darwin", PAGE);
  assert.deepEqual([macos.program, macos.args.at(-1), macos.env], ["osascript", PAGE, {}]);
  assert.deepEqual(macos.args.filter((_, i) => i % 2 === 0 && i < 8), ["-e", "-e", "-e", "-e"]);
  // Over SSH the desktop is before somebody else, or nobody.
  assert.match(macos.args[3]!, /^if \(system attribute "SSH_CONNECTION"\) is not "" then error /);
  assert.deepEqual(macos.args.filter((argument) => argument.includes("open location (item 1 of argv)")), [
    "open location (item 1 of argv)",
  ]);

  const windows = chooseBrowserCommand("windows", PAGE);
  assert.deepEqual([windows.program, windows.env], ["powershell.exe", { ACQ_SERVER_PAGE: PAGE }]);
  for (const argument of [...windows.args, ...macos.args.slice(0, -1)]) {
    assert(!argument.includes("127.0.0.1"), argument);
  }
  // Windows has no list of arguments but one line, in which a quote has to be escaped.
  assert(windows.args.every((argument) => !argument.includes('"')));
  // What is neither a cmdlet nor a property does not run in Constrained Language Mode.
  assert.doesNotMatch(windows.args.at(-1)!, /::|New-Object|Add-Type|\.\w+\(/);
});

Deno.test("only a display of this machine counts, not one that SSH forwards", () => {
  const rows: [system: string, display: string | undefined, wayland: string | undefined, own: boolean][] = [
    ["linux", ":0", undefined, true],
    ["linux", ":1.0", "", true],
    ["linux", "unix:0", undefined, true],
    ["linux", undefined, "wayland-0", true],
    ["linux", "localhost:10.0", undefined, false],
    ["linux", "192.168.1.2:0", "", false],
    ["linux", undefined, undefined, false],
    ["linux", "", "", false],
    ["freebsd", ":0", undefined, true],
    ["darwin", undefined, undefined, true],
    ["windows", undefined, undefined, true],
  ];
  for (const [system, display, wayland, own] of rows) {
    assert.equal(hasOwnScreen(system, display, wayland), own, `${system} ${display} ${wayland}`);
  }
});

Deno.test("a message is one argument, never a part of a script", () => {
  const message = `Port 8767 is "taken"; <b>\\ $(id)`;
  const [macos, ...others] = listMessageWindows("darwin", message);
  assert.deepEqual([macos!.program, macos!.args.at(-1), others], ["osascript", message, []]);
  assert(macos!.args.slice(0, -1).every((argument) => !argument.includes("8767")));

  const linux = listMessageWindows("linux", message);
  assert.deepEqual(linux.map(({ program }) => program), ["zenity", "kdialog"]);
  // Without markup "<b>" is shown as it is.
  assert(linux[0]!.args.includes("--no-markup") && linux[0]!.args.includes(`--text=${message}`));
  assert.equal(linux[1]!.args.at(-1), message);

  assert.deepEqual(listMessageWindows("windows", message), []);
});
