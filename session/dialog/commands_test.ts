import assert from "node:assert/strict";
import { PathNotFound } from "../../readers/errors.ts";
import { type DialogCommand, type DialogQuestion, listDialogCommands, readDialogAnswer } from "./commands.ts";

const question = (changed: Partial<DialogQuestion>): DialogQuestion => ({
  title: "Open an acquisition",
  extensions: [".tif"],
  folder: null,
  ...changed,
});
const argsOf = (system: string, changed: Partial<DialogQuestion>) =>
  listDialogCommands(system, question(changed)).map(({ program, args }) => [program, ...args]);

const TIF = "*.[tT][iI][fF]";
const INDEX = "NDT[iI][fF][fF].[iI][nN][dD][eE][xX]";
const MARKERS =
  "[zZ][aA][rR][rR].[jJ][sS][oO][nN] .[zZ][gG][rR][oO][uU][pP] .[zZ][aA][tT][tT][rR][sS] [cC][oO][lL][lL][eE][cC][tT][iI][oO][nN].[jJ][sS][oO][nN] " +
  "[aA][cC][qQ]_[iI][mM][aA][gG][eE]_[cC][oO][lL][lL][eE][cC][tT][iI][oO][nN].[jJ][sS][oO][nN]";

Deno.test("builds command lines for Linux", () => {
  const one = ["*.tif NDTiff.index", `${TIF} ${INDEX}`] as const;
  const rows: [extensions: string[], globs: string, anyCase: string][] = [
    [[".tif"], ...one],
    [[".ome.tif"], "*.ome.tif NDTiff.index", `*.[oO][mM][eE].[tT][iI][fF] ${INDEX}`],
    // A store is chosen by a file inside it.
    [
      [".ome.zarr", ".tif"],
      "*.tif NDTiff.index zarr.json .zgroup .zattrs collection.json acq_image_collection.json",
      `${TIF} ${INDEX} ${MARKERS}`,
    ],
    // An extension that no reader takes does not reach the filter, whatever is in it.
    [[".a|b *", ".tif"], ...one],
  ];
  const lines = (zenity: string[], kdialog: string[]) => [
    ["zenity", "--file-selection", "--title=Open an acquisition", ...zenity],
    ["kdialog", "--title", "Open an acquisition", ...kdialog],
  ];
  const all = "--file-filter=All files | *";
  for (const [extensions, globs, anyCase] of rows) {
    const expected = lines(
      [`--file-filter=Acquisitions | ${anyCase}`, all],
      ["--getopenfilename", ".", `Acquisitions (${globs})|All files (*)`],
    );
    assert.deepEqual(argsOf("linux", { extensions }), expected);
    assert.deepEqual(argsOf("freebsd", { extensions }), expected);
  }
  const folder = "/data/a 'b' \"c\" $d";
  assert.deepEqual(
    argsOf("linux", { extensions: [".xyz"], folder }),
    lines([`--filename=${folder}/`, all], ["--getopenfilename", folder, "All files (*)"]),
  );
  // Stores alone: a panel for folders.
  assert.deepEqual(
    argsOf("linux", { extensions: [".zarr", ".ome.zarr"], folder: "/" }),
    lines(["--filename=/", "--directory"], ["--getexistingdirectory", "/"]),
  );
});

Deno.test("macOS: a constant script, the question as its argument", async (t) => {
  const rows: [Partial<DialogQuestion>, Record<string, unknown>][] = [
    [{}, { folder: null, folders: false, endings: [".tif"], names: ["NDTiff.index"], stores: [] }],
    [{ extensions: [".ome.zarr", ".tif"], folder: `/a'b"c` }, {
      folder: `/a'b"c`,
      folders: false,
      endings: [".tif"],
      names: [
        ...["NDTiff.index", "zarr.json", ".zgroup", ".zattrs", "collection.json"],
        "acq_image_collection.json",
      ],
      stores: [".ome.zarr", ".zarr"],
    }],
    [{ extensions: [".zarr"] }, { folder: null, folders: true }],
  ];
  const scripts = new Set<string>();
  for (const [changed, asked] of rows) {
    await t.step(JSON.stringify(changed), () => {
      const [command, ...others] = listDialogCommands("darwin", question(changed));
      assert.deepEqual(others, []);
      const [language, javascript, flag, script, argument, ...rest] = command!.args;
      assert.deepEqual([command!.program, language, javascript, flag, rest], [
        "osascript",
        "-l",
        "JavaScript",
        "-e",
        [],
      ]);
      scripts.add(script!);
      assert.deepEqual(JSON.parse(argument!), {
        title: "Open an acquisition",
        ...(asked.folders === false && { filterName: "Acquisitions", allName: "All files" }),
        ...asked,
      });
    });
  }
  assert.equal(scripts.size, 1);
  assert.match([...scripts][0]!, /^function run\(argv\)/m);
});

Deno.test("Windows: a constant script without double quotes, the question in the environment", async (t) => {
  const rows: [Partial<DialogQuestion>, Record<string, unknown>][] = [
    [{}, { folder: null, folders: false, filter: "Acquisitions|*.tif;NDTiff.index|All files|*.*" }],
    [{ extensions: [".ome.zarr", ".tif", ".ome.tif"], folder: "C:\\größe & 'x'" }, {
      folder: "C:\\größe & 'x'",
      folders: false,
      filter:
        "Acquisitions|*.tif;*.ome.tif;NDTiff.index;zarr.json;.zgroup;.zattrs;collection.json;acq_image_collection.json|All files|*.*",
    }],
    [{ extensions: [".zarr"] }, { folder: null, folders: true }],
    [{ extensions: [".xyz"] }, { folder: null, folders: false, filter: "All files|*.*" }],
  ];
  const scripts = new Set<string>();
  for (const [changed, asked] of rows) {
    await t.step(JSON.stringify(changed), () => {
      const [command, ...others] = listDialogCommands("windows", question(changed));
      assert.deepEqual(others, []);
      assert.equal(command!.program, "powershell.exe");
      assert.deepEqual(command!.args.slice(0, -1), [
        "-NoLogo",
        "-NoProfile",
        "-NonInteractive",
        "-STA",
        "-Command",
      ]);
      scripts.add(command!.args.at(-1)!);
      assert.deepEqual(JSON.parse(command!.env.ACQ_SERVER_DIALOG!), {
        title: "Open an acquisition",
        ...asked,
      });
    });
  }
  assert.equal(scripts.size, 1);
  const [script] = scripts;
  assert(!script!.includes('"'));
  // CreateProcess takes 32767 characters for the whole command line.
  assert(script!.length < 16_000);
  // A quoted text over several lines begins at the end of a line and ends at the start of one.
  assert.deepEqual(script!.match(/^.*@'$|^'@$/gm), ["$source = @'", "'@"]);
});

Deno.test("Windows: declares the methods of the folder dialog in the order of shobjidl.h", () => {
  const [command] = listDialogCommands("windows", question({ extensions: [".zarr"] }));
  const script = command!.args.at(-1)!;
  const methodsOf = (name: string) => {
    const body = script.split(`interface ${name} {`)[1]!.split("\n  }")[0]!;
    return [...body.matchAll(/^ +(?:\[[^\]]+\] )?\w+ (\w+)\(/gm)].map(([, method]) => method);
  };
  // Inherited from IModalWindow: the first.
  assert.deepEqual(methodsOf("IFileDialog"), [
    ...["Show", "SetFileTypes", "SetFileTypeIndex", "GetFileTypeIndex", "Advise", "Unadvise", "SetOptions"],
    ...["GetOptions", "SetDefaultFolder", "SetFolder", "GetFolder", "GetCurrentSelection", "SetFileName"],
    ...["GetFileName", "SetTitle", "SetOkButtonLabel", "SetFileNameLabel", "GetResult"],
  ]);
  assert.deepEqual(methodsOf("IShellItem"), ["BindToHandler", "GetParent", "GetDisplayName"]);
});

Deno.test("Windows: the script first checks whether it may use types", () => {
  const [command] = listDialogCommands("windows", question({}));
  const statements = command!.args.at(-1)!.split("\n").filter((line) => !/^(#|$)/.test(line));
  assert.deepEqual(statements.slice(0, 2), [
    "$ErrorActionPreference = 'Stop'",
    "if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {",
  ]);
});

Deno.test("the question is ASCII if it passes through a locale", () => {
  const [macos] = listDialogCommands("darwin", question({ title: "ü 🔬" }));
  assert.match(macos!.args.at(-1)!, /"title":"\\u00fc \\ud83d\\udd2c"/);
  const [windows] = listDialogCommands("windows", question({ folder: "C:\\ü" }));
  assert.match(windows!.env.ACQ_SERVER_DIALOG!, /"folder":"C:\\\\\\u00fc"/);
});

Deno.test("a title is one line and cannot become an option", () => {
  const titleOf = (title: string) => argsOf("linux", { title })[1]![2];
  assert.equal(titleOf('Open for "https://ä.example" 🔬'), 'Open for "https://ä.example" 🔬');
  assert.equal(titleOf("a\nb\u0000\u001bc\u2028d\u202ee"), "a b c d e");
  assert.equal(titleOf(" \n"), "Open an acquisition");
  assert(argsOf("linux", { title: "--help" })[0]!.includes("--title=--help"));
});

const SYSTEMS = { zenity: "linux", kdialog: "linux", osascript: "darwin", "powershell.exe": "windows" };

const bytes = (text: string) => new TextEncoder().encode(text);
const answer = (
  program: DialogCommand["program"],
  code: number,
  stdout: string | Uint8Array,
  stderr = "",
) =>
  readDialogAnswer(SYSTEMS[program], program, {
    code,
    stdout: typeof stdout === "string" ? bytes(stdout) : stdout,
    stderr: bytes(stderr),
  });

Deno.test("parses the answers of each dialog program", async (t) => {
  const rows: [string, DialogCommand["program"], number, string, string | null][] = [
    ["a path", "zenity", 0, "/d/a b.tif\n", "/d/a b.tif"],
    ["a name with line feeds and spaces at its end", "zenity", 0, "/d/a\nb\n \n", "/d/a\nb\n "],
    ["a name with a carriage return at its end", "kdialog", 0, "/d/q.tif\r\n", "/d/q.tif\r"],
    ["quotes, umlauts, emoji", "kdialog", 0, "/d/'\"ä🔬.tif\n", "/d/'\"ä🔬.tif"],
    ["a store by its folder", "zenity", 0, "/d/x.ome.zarr\n", "/d/x.ome.zarr"],
    ["a store by its marker", "zenity", 0, "/d/x.ome.zarr/zarr.json\n", "/d/x.ome.zarr"],
    ["a store by a hidden marker", "kdialog", 0, "/d/x/.zgroup\n", "/d/x"],
    ["a data set by its index", "zenity", 0, "/d/x/NDTiff.index\n", "/d/x"],
    ["a file that only ends like a marker", "zenity", 0, "/d/my.zattrs\n", "/d/my.zattrs"],
    ["zenity cancelled", "zenity", 1, "", null],
    ["kdialog cancelled", "kdialog", 1, "", null],
    ["macOS", "osascript", 0, '{"path":"/Users/a/\\u00e4\\n.oir"}\n', "/Users/a/ä\n.oir"],
    ["macOS cancelled", "osascript", 0, '{"path":null}\n', null],
    ["macOS marker", "osascript", 0, '{"path":"/a/s/.zattrs"}\n', "/a/s"],
    ["Windows", "powershell.exe", 0, '{"path":"C:\\\\a b\\\\ü.tif"}', "C:\\a b\\ü.tif"],
    ["Windows share", "powershell.exe", 0, '{"path":"\\\\\\\\nas\\\\a.tif"}', "\\\\nas\\a.tif"],
    ["Windows marker", "powershell.exe", 0, '{"path":"C:\\\\s\\\\zarr.json"}', "C:\\s"],
    ["Windows cancelled", "powershell.exe", 0, '{"path":null}', null],
  ];
  for (const [name, program, code, stdout, expected] of rows) {
    await t.step(name, () => assert.equal(answer(program, code, stdout), expected));
  }
});

Deno.test("distinguishes a failed program from a cancelled dialog", () => {
  // As zenity 3.44 and GTK 4 write without a display.
  const gtk3 = "\n(zenity:9): Gtk-WARNING **: 1: cannot open display: :7\n";
  // As PowerShell 5.1 writes what is thrown at the top level.
  const policy =
    "a policy of this machine runs scripts in Constrained Language Mode\r\nAt line:5 char:3\r\n+   throw";
  const failures: [DialogCommand["program"], number, stderr: string, RegExp][] = [
    ["zenity", 1, gtk3, /"zenity" cannot open/],
    ["zenity", 1, "Failed to open display\n", /"zenity" cannot open the display/],
    ["kdialog", 134, "qt.qpa.xcb: could not connect to display :7\n", /"kdialog" cannot open/],
    ["zenity", 255, "This option is not available.\n", /exit status 255: This option/],
    // Characters that control a terminal.
    ["zenity", 2, "\u001b[31mred\u202e\u0007", /exit status 2: \[31mred;/],
    ["zenity", 143, "", /"zenity" failed with exit status 143;/],
    ["osascript", 1, "execution error: (-1713)\n", /exit status 1: .*-1713/],
    ["powershell.exe", 1, "this session has no desktop\r\nAt line:1", /no desktop/],
    ["powershell.exe", 1, policy, /exit status 1: a policy of this machine runs scripts in Constrained/],
  ];
  const answers: [DialogCommand["program"], stdout: string, RegExp][] = [
    ["zenity", "\n", /answered "", not an absolute path/],
    ["osascript", "gibberish", /answered "gibberish"/],
    ["powershell.exe", '{"path":3}', /answered "\{"path":3\}"/],
  ];
  const tag = "dialog_unavailable";
  for (const [program, code, stderr, message] of failures) {
    assert.throws(() => answer(program, code, "", stderr), { tag, message });
  }
  for (const [program, stdout, message] of answers) {
    assert.throws(() => answer(program, 0, stdout), { tag, message });
  }
  assert.throws(() => answer("zenity", 2, ""), /POST \/api\/v2\/open/);
});

Deno.test("rejects a path that is not UTF-8 instead of altering it", () => {
  assert.throws(() => answer("zenity", 0, new Uint8Array([0x2f, 0xe4, 0x0a])), PathNotFound);
});

Deno.test("refuses a path with a zero, which no file can have", () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const answers: [string, DialogCommand["program"], string][] = [
    ["linux", "zenity", "/data/a.tif\0b\n"],
    ["linux", "kdialog", "/data/\0\n"],
    ["darwin", "osascript", JSON.stringify({ path: "/data/a\0.tif" })],
    ["windows", "powershell.exe", JSON.stringify({ path: "C:\\a\0" })],
  ];
  for (const [system, program, text] of answers) {
    const result = { code: 0, stdout: encode(text), stderr: encode("") };
    assert.throws(
      () => readDialogAnswer(system, program, result),
      /answered a path with a zero in it/,
      program,
    );
  }
});
