import assert from "node:assert/strict";
import { ClientGone } from "../errors.ts";
import { Picker, type PickRequest } from "./picker.ts";
import type { DialogCommand, ProgramResult } from "./commands.ts";

const never = new AbortController().signal;
const request = (signal = never, asker: string | null = null): PickRequest => ({
  title: "Open",
  extensions: [".tif"],
  asker,
  signal,
});
const chose = (path: string): ProgramResult => ({
  code: 0,
  stdout: new TextEncoder().encode(path + "\n"),
  stderr: new Uint8Array(),
});

/** A picker whose programs answer from a list; `null` is a program that is not installed. */
function pickerOf(answers: (ProgramResult | null)[], hasDisplay = true) {
  const commands: DialogCommand[] = [];
  const run = (command: DialogCommand) => {
    commands.push(command);
    return Promise.resolve(answers.shift()!);
  };
  return { picker: new Picker({ system: "linux", hasDisplay: () => hasDisplay, run }), commands };
}

Deno.test("starts the second dialog in the folder of the first choice, also after a cancelled one", async () => {
  const cancel: ProgramResult = { code: 1, stdout: new Uint8Array(), stderr: new Uint8Array() };
  const { picker, commands } = pickerOf([chose("/data/a.tif"), cancel, chose("/s/x.zarr/zarr.json"), cancel]);
  assert.equal(await picker.pick(request()), "/data/a.tif");
  assert.equal(await picker.pick(request()), null);
  assert.equal(await picker.pick(request()), "/s/x.zarr");
  assert.equal(await picker.pick(request()), null);
  const starts = commands.map(({ args }) => args.find((arg) => arg.startsWith("--filename=")));
  assert.deepEqual(starts, [undefined, "--filename=/data/", "--filename=/data/", "--filename=/s/"]);
});

Deno.test("tries kdialog if zenity does not start", async () => {
  const broken = (code: number, words: string): ProgramResult => ({
    code,
    stdout: new Uint8Array(),
    stderr: new TextEncoder().encode(words),
  });
  const words =
    "zenity: error while loading shared libraries: libadwaita-1.so.0: cannot open shared object file\n";
  for (const code of [126, 127]) {
    assert.equal(await pickerOf([broken(code, words), chose("/a.tif")]).picker.pick(request()), "/a.tif");
  }
  // With nothing left to try, its own words say more than that a program is missing.
  await assert.rejects(pickerOf([broken(127, words), null]).picker.pick(request()), {
    tag: "dialog_unavailable",
    message: /"zenity" failed with exit status 127: .*libadwaita/,
  });
});

Deno.test("is unavailable without a program or a display", async () => {
  await assert.rejects(pickerOf([null, null]).picker.pick(request()), {
    tag: "dialog_unavailable",
    message: /neither "zenity" nor "kdialog" was .* when the server started; install it/,
  });
  const { picker, commands } = pickerOf([], false);
  await assert.rejects(picker.pick(request()), /neither DISPLAY nor WAYLAND_DISPLAY/);
  assert.deepEqual(commands, []);
});

Deno.test("waits for the end of the last dialog", async () => {
  const ending = Promise.withResolvers<void>();
  const programs: string[] = [];
  const run = async (_: DialogCommand, signal: AbortSignal) => {
    programs.push("started");
    if (programs.length > 1) return chose("/a.tif");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await ending.promise;
    programs.push("ended");
    return chose("/late.tif");
  };
  const picker = new Picker({ system: "linux", hasDisplay: () => true, run });
  const client = new AbortController();
  const first = assert.rejects(picker.pick(request(client.signal)), ClientGone);
  client.abort();
  const second = picker.pick(request());
  ending.resolve();
  await first;
  assert.equal(await second, "/a.tif");
  assert.deepEqual(programs, ["started", "ended", "started"]);
});

Deno.test("a new dialog of the same asker replaces the one that waits, and no other", async () => {
  const titles: string[] = [];
  let showing = 0;
  const run = async ({ args }: DialogCommand, signal: AbortSignal) => {
    titles.push(args.find((arg) => arg.startsWith("--title="))!.slice("--title=".length));
    showing += 1;
    assert.equal(showing, 1);
    // The last one is answered.
    if (titles.length < 4) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await new Promise((resolve) => setTimeout(resolve, 0));
    showing -= 1;
    return chose(`/${titles.length}.tif`);
  };
  const picker = new Picker({ system: "linux", hasDisplay: () => true, run });
  const ask = (title: string, asker: string | null) => picker.pick({ ...request(never, asker), title });
  const first = ask("script", null);
  await assert.rejects(ask("page", "https://example.org"), { tag: "dialog_busy" });
  const others = [ask("script again", null), ask("and again", null), ask("last", null)];
  await assert.rejects(ask("page", ""), { tag: "dialog_busy" });
  assert.deepEqual(await Promise.all([first, ...others]), [null, null, null, "/4.tif"]);
  assert.deepEqual(titles, ["script", "script again", "and again", "last"]);
});

Deno.test("a dialog that is not admitted replaces none", async () => {
  const answer = Promise.withResolvers<ProgramResult>();
  const picker = new Picker({ system: "linux", hasDisplay: () => true, run: () => answer.promise });
  const first = picker.pick(request());
  const admit = () => {
    throw new Error("not now");
  };
  await assert.rejects(picker.pick({ ...request(), admit }), /not now/);
  answer.resolve(chose("/a.tif"));
  assert.equal(await first, "/a.tif");
});

Deno.test("a dialog needs a program and, on Linux, a display", () => {
  const rows: [system: string, hasDisplay: boolean, installed: string[], available: boolean][] = [
    ["linux", true, ["zenity"], true],
    ["linux", true, ["kdialog"], true],
    ["linux", true, ["osascript"], false],
    ["linux", false, ["zenity", "kdialog"], false],
    ["freebsd", false, ["zenity"], false],
    ["darwin", false, ["osascript"], true],
    ["darwin", false, ["zenity"], false],
    ["windows", false, ["powershell.exe"], true],
    ["windows", true, [], false],
  ];
  for (const [system, hasDisplay, installed, available] of rows) {
    const picker = new Picker({
      system,
      hasDisplay: () => hasDisplay,
      isInstalled: (program) => installed.includes(program),
    });
    assert.equal(picker.isAvailable(), available, `${system} ${hasDisplay} ${installed}`);
  }
});
