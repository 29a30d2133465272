/** The dialogs of all systems with fake programs on PATH, in a process with the permissions of the server. */
import assert from "node:assert/strict";
import { isAlive } from "../child_process.ts";
import { type FakeSystem, fakeTest } from "./fake_programs.ts";

const ignore = Deno.build.os === "windows";
if (ignore) console.log("Skipped: the fake dialog programs are shell scripts");

const withFakes = fakeTest(ignore);

const TITLE = "Open \"ä\" for 'https://a.example' $(b) `c` 🔬";

function titleOf(program: string, fakes: FakeSystem): string | undefined {
  const args = fakes.seen(program, "args").split("\0").slice(0, -1);
  if (program === "zenity") return args.find((arg) => arg.startsWith("--title="))?.slice("--title=".length);
  if (program === "kdialog") return args[args.indexOf("--title") + 1];
  return JSON.parse(program === "osascript" ? args.at(-1)! : fakes.seen(program, "question")).title;
}

const SYSTEMS = [
  { system: "linux", program: "zenity", answer: "printf '%s\\n' \"$path\"", cancel: "exit 1" },
  { system: "linux", program: "kdialog", answer: "printf '%s\\n' \"$path\"", cancel: "exit 1" },
  {
    system: "darwin",
    program: "osascript",
    answer: `printf '{"path":"%s"}\\n' "$path"`,
    cancel: "echo '{\"path\":null}'",
  },
  {
    system: "windows",
    program: "powershell.exe",
    answer: `printf '{"path":"%s"}' "$path"`,
    cancel: "printf '{\"path\":null}'",
  },
];

for (const { system, program, answer, cancel } of SYSTEMS) {
  withFakes(
    `${program}: choice, cancel and failure; the title is never run as code`,
    async (fakes) => {
      const path = system === "windows" ? "C:/däta/a 'b' $c 🔬.tif" : "/däta/a 'b' $c 🔬.tif";
      fakes.install(program, `path="${path.replace("$", "\\$")}"\n${answer}`);
      assert.deepEqual(await fakes.pick(system), { path });
      assert.equal(titleOf(program, fakes), TITLE);
      assert.equal(fakes.seen(program, "loader"), "");
      fakes.behave(program, cancel);
      assert.deepEqual(await fakes.pick(system), { path: null });
      fakes.behave(program, "echo 'no such luck' >&2; exit 7");
      const failed = await fakes.pick(system);
      assert.equal(failed.error, "DialogUnavailable");
      assert.match(failed.message!, new RegExp(`"${program}" failed with exit status 7: no such luck; POST`));
    },
  );
}

withFakes("a program installed after the start of the server is reported with advice", async (fakes) => {
  assert.equal((await fakes.pick("linux")).error, "DialogUnavailable");
  fakes.install("zenity", "printf '/a.tif\\n'");
  const { error, message } = await fakes.pick("linux");
  assert.equal(error, "DialogUnavailable");
  assert.match(message!, /when the server started; install it and restart the server;/);
  assert.doesNotMatch(message!, /allow-run/);
});

withFakes("another page is refused while the dialog is open; abort ends the program", async (fakes) => {
  fakes.install("zenity", "exec /bin/sleep 60");
  await fakes.order({ pick: "linux", extensions: [".tif"], asker: null });
  const pid = await fakes.running("zenity");
  assert.equal((await fakes.pick("linux", [".tif"], "https://example.org")).error, "DialogBusy");
  await fakes.order("abort");
  assert.equal((await fakes.outcome()).error, "ClientGone");
  assert(!isAlive(pid));
});

withFakes("a new dialog of the same asker ends the program of the last one", async (fakes) => {
  fakes.install("zenity", "exec /bin/sleep 60");
  await fakes.order({ pick: "linux", extensions: [".tif"], asker: null });
  const pid = await fakes.running("zenity");
  fakes.install("zenity", "printf '/a.tif\\n'");
  assert.deepEqual(await fakes.pick("linux"), { path: null });
  assert(!isAlive(pid));
  assert.deepEqual(await fakes.outcome(), { path: "/a.tif" });
});

withFakes("a program that does not end by itself is killed when the server stops", async (fakes) => {
  fakes.install("zenity", "trap '' TERM\nexec /bin/sleep 60");
  await fakes.order({ pick: "linux", extensions: [".tif"], asker: null });
  const pid = await fakes.running("zenity");
  await fakes.order("close");
  assert.equal((await fakes.outcome()).error, "ShuttingDown");
  assert(!isAlive(pid));
  assert.equal((await fakes.pick("linux")).error, "ShuttingDown");
});

withFakes("a child that keeps the pipe open does not delay the answer", async (fakes) => {
  fakes.install("zenity", "printf '/a.tif\\n'\n/bin/sleep 600 &\nprintf '%s' \"$!\" > \"$here/helper\"");
  assert.deepEqual(await fakes.pick("linux"), { path: "/a.tif" });
  const helper = Number(fakes.seen("zenity", "helper"));
  assert(isAlive(helper));
  Deno.kill(helper);
});
