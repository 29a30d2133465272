import assert from "node:assert/strict";
import { join } from "node:path";
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { UsageError } from "./arguments.ts";
import { type Configuration, DEFAULTS, parseCommandLine } from "./command_line.ts";

Deno.test("flags become a configuration", () => {
  const cases: [string[], Partial<Configuration>][] = [
    [[], {}],
    [["--"], {}],
    [["--", "--port", "0"], { port: 0 }],
    [["--host", "localhost"], { host: "localhost" }],
    [["--host=::1", "--port=65535"], { host: "::1", port: 65535 }],
    [["--session-ttl", "90"], { sessionTtlSeconds: 90 }],
    [["--session-ttl", "0.5s"], { sessionTtlSeconds: 0.5 }],
    [["--session-ttl=10m"], { sessionTtlSeconds: 600 }],
    [["--load-timeout", "2h"], { loadTimeoutSeconds: 7200 }],
    [["--max-session-memory", "512MiB"], { maxSessionMemory: 536870912 }],
    [["--max-session-memory", "1.5gib"], { maxSessionMemory: 1610612736 }],
    [["--max-session-memory", "1024"], { maxSessionMemory: 1024 }],
    [["--root", "/a", "--root=/b c"], { roots: ["/a", "/b c"] }],
    [["--dialog-only", "--log-json"], { dialogOnly: true, logJson: true }],
    [["--allow-origin", "https://lab.example/", "--allow-origin", "null"], {
      allowedOrigins: ["https://lab.example", "null"],
    }],
    [["--allow-origin=*"], { allowedOrigins: ["*"] }],
    ...[
      ["HTTPS://Lab.example:8443", "https://lab.example:8443"],
      ["chrome-extension://abcdefghijklmnop/", "chrome-extension://abcdefghijklmnop"],
      ["moz-extension://0b1c-2d", "moz-extension://0b1c-2d"],
      ["safari-web-extension://0B1C", "safari-web-extension://0b1c"],
      ["app://obsidian.md", "app://obsidian.md"],
      ["app://.", "app://."],
      ["tauri://localhost", "tauri://localhost"],
      ["vscode-webview://1abc", "vscode-webview://1abc"],
      ["capacitor://localhost:1", "capacitor://localhost:1"],
    ].map(([written, origin]): [string[], Partial<Configuration>] => [
      ["--allow-origin", written!],
      { allowedOrigins: [origin!] },
    ]),
    [["--extensions", ".tif, .TIF,.ome.zarr"], { allowedExtensions: [".ome.zarr", ".tif"] }],
    [["--log-level", "error"], { logLevel: "error" }],
    [["--open"], { open: true }],
    [["--open", "--no-open"], { open: false }],
  ];
  for (const [args, expected] of cases) {
    assert.deepEqual(
      parseCommandLine(args),
      { kind: "serve", configuration: { ...DEFAULTS, ...expected } },
      args.join(" "),
    );
  }
  assert.deepEqual(DEFAULTS.allowedExtensions, SUPPORTED_EXTENSIONS);
});

Deno.test("a file or folder of the command line becomes an absolute path", () => {
  for (const [args, path] of [[["README.md"], "README.md"], [["--port", "0", "docs/"], "docs"]] as const) {
    const command = parseCommandLine(args);
    assert(command.kind === "serve");
    assert.equal(command.configuration.file, join(Deno.cwd(), path));
  }
});

Deno.test("rejects a wrong argument in one line that states the valid form", () => {
  const cases: [string[], RegExp][] = [
    [["--host", "0.0.0.0"], /--host takes 127\.0\.0\.1, localhost or ::1, not "0\.0\.0\.0"/],
    [["--host", "192.168.1.2"], /not "192/],
    [["--host"], /--host needs a value: --host <NAME>/],
    [["--host", "--port"], /--host needs a value/],
    [["--port", "65536"], /0 to 65535, not "65536"/],
    [["--port", "-1"], /0 to 65535/],
    [["--port="], /needs a value/],
    [["--session-ttl", "0"], /90s, 10m or 2h.*not "0"/],
    [["--session-ttl", "1e3"], /not "1e3"/],
    [["--session-ttl", "9999h"], /at most 31 days/],
    [["--max-session-memory", "4GB"], /512MiB or 4GiB, not "4GB"/],
    [["--max-session-memory", "0"], /not "0"/],
    [["--dialog-only=yes"], /takes no value/],
    [["--no-open=1"], /takes no value/],
    [["--allow-origin", "example.org"], /https:\/\/example\.org/],
    [["--allow-origin", "https://example.org/path"], /not "https:\/\/example\.org\/path"/],
    [["--allow-origin", "chrome-extension://"], /chrome-extension:\/\/ID.*not "chrome-extension:\/\/"/],
    [["--allow-origin", "app://a/b"], /not "app:\/\/a\/b"/],
    [["--allow-origin", "app://a@b"], /not "app:\/\/a@b"/],
    [["--allow-origin", "https://lab.example:99999"], /not "https/],
    [["--allow-origin", "file:///data"], /not "file/],
    [["--allow-origin", "file://host"], /not "file/],
    ...[
      "https://*.example.org",
      "http://localhost:*",
      "chrome-extension://*",
      "app://*.md",
      "*.example.org",
      "**",
    ]
      .map((text): [string[], RegExp] => [["--allow-origin", text], /takes "\*" only alone, for all pages/]),
    [["--extensions", ".docx"], /not "\.docx"/],
    [["--extensions", ","], /--extensions takes a list/],
    [["--log-level", "loud"], /takes error, warn, info, not "loud"/],
    [["--log-level", "debug"], /not "debug"/],
    [["--prot", "1"], /Unknown flag "--prot"; did you mean --port\?/],
    [["--session-tll=5"], /flag "--session-tll"; did you mean --session-ttl\?/],
    [["--allow-orgin", "x"], /did you mean --allow-origin\?/],
    [["--dialogonly"], /did you mean --dialog-only\?/],
    [["--max-memory", "1"], /did you mean --max-session-memory\?/],
    [["--PORT", "1"], /did you mean --port\?/],
    [["--timeout", "1"], /did you mean --load-timeout\?/],
    [["-port", "1"], /flag "-port"; did you mean --port\?/],
    [["--", "--", "x"], /"x" is neither a command nor an existing path/],
    [["-x"], /Unknown flag "-x"; did you mean --/],
    [["deno.json", "README.md"], /one path at a time/],
    [["scan.oir"], /"scan\.oir" is neither a command nor/],
    [["a\uFFFD.tif"], /^Cannot open "a\uFFFD\.tif": its path is not UTF-8; rename it$/],
  ];
  for (const [args, message] of cases) {
    assert.throws(() => parseCommandLine(args), (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      assert.ok(!error.message.includes("\n"));
      return true;
    }, args.join(" "));
  }
});

Deno.test("help names every flag and fits a terminal", () => {
  const command = parseCommandLine(["--port", "0", "--help"]);
  assert.equal(command.kind, "help");
  const { text } = command as { text: string };
  for (
    const name of [
      "--host",
      "--session-ttl",
      "--max-session-memory",
      "--root",
      "--no-open",
      "--help",
      "--version",
    ]
  ) {
    assert.match(text, new RegExp(`^ +(-., )? *${name} `, "m"), name);
  }
  assert.deepEqual(text.split("\n").filter((line) => line.length > 100), []);
  assert.equal(parseCommandLine(["-V"]).kind, "version");
});
