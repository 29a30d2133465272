/**
 * Every command of the pages of the manual: the code of each page, run as it stands in a folder of its own, or a reason why not.
 * A new block of code runs, unless it stands in `ELSEWHERE`.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { PAGE_GROUPS } from "../../routes/manual_page.ts";
import { FROM_SOURCE, ROOT, ServerProcess } from "../binary/server_process.ts";
import { output, type Program, programTest } from "../programs.ts";
import { temporaryFolder } from "../temporary_files.ts";

/** Code that another test runs, or none, by page and a text that only this code has. */
const ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": {
    "task test": "tests/clients/demo_test.ts runs the demo; the tests are what runs",
    "checkout=$PWD": "tests/clients/demo_test.ts",
    "acq.open": "tests/clients/guide_test.ts",
    "server=http": "tests/clients/guide_test.ts",
  },
  "docs/archive.md": {
    "viewer.layers": "needs napari",
    "location.href": "needs a browser; tests/client/acq_client_test.ts orders archives",
  },
  "docs/build-a-client.md": {
    "pick-and-open": "tests/clients/guide_test.ts",
    "urllib.request": "tests/clients/guide_test.ts",
    "await connect()": "tests/client/npm_package_test.ts",
    "async function plane": "a part of a page; tests/client/acq_client_test.ts makes these requests",
  },
  "docs/clusters.md": {
    "acq-server": "tests/clients/cluster_test.ts, in place of Slurm",
    "sbatch": "tests/clients/cluster_test.ts, in place of Slurm",
    "pandas.read_csv(path)": "tests/clients/cluster_test.ts",
    "dask.array.from_zarr": "tests/clients/cluster_test.ts",
  },
  "docs/developers/add-a-format.md": {
    "GREY": "tests/formats/smallest_reader_test.ts",
    "task test-all": "starts other tests",
  },
  "docs/developers/releases.md": { "gh release": "needs accounts of GitHub and npm" },
  "docs/install.md": {
    "npx acq-server": "needs the release",
    "--root": "needs Windows",
  },
  "docs/measure.md": { "read.csv(": "needs R" },
  "docs/start/program.md": {
    "answer=": "tests/clients/guide_test.ts",
    "dataUrl=": "tests/clients/guide_test.ts",
    "DELETE": "tests/clients/guide_test.ts",
  },
  "docs/start/python.md": {
    "curl -O": "tests/clients/guide_test.ts",
    "acq.open": "tests/clients/guide_test.ts",
  },
  "docs/use-from/matlab.md": {
    "addpath": "tests/clients/octave_test.ts makes these calls",
    "subplot": "needs a screen",
    "catch": "tests/clients/octave_test.ts makes these calls",
  },
  "docs/use-from/python.md": { "pip install": "needs the release" },
  "docs/use-from/remote.md": {
    "ssh": "needs another machine; tests/clients/tunnel_test.ts opens through a tunnel",
    "acq.SERVER": "needs another machine; tests/clients/tunnel_test.ts opens through a tunnel",
    "c.ServerProxy": "needs JupyterHub",
  },
  "docs/use-from/shell.md": {
    "checkout=$PWD": "tests/clients/demo_test.ts",
    "@args": "needs PowerShell",
    "doskey": "needs Windows",
    ".local/bin": "tests/clients/demo_test.ts",
  },
  "docs/use-from/web.md": { "<script": "tests/browser/web_example_test.ts" },
};

/** What code needs beside a shell, by page, and commands that make the files that it names. */
const NEEDS: Readonly<
  Record<string, { readonly modules?: string[]; readonly programs?: Program[]; readonly before?: string }>
> = {
  "docs/archive.md": {
    modules: ["numpy", "zarr"],
    programs: ["curl", "unzip"],
    before:
      "acq-server export -q day1/a.oir > day1/a.zip; acq-server export -q scan.oir > scan.zip; unzip -q scan.zip -d scan",
  },
  "docs/build-a-client.md": { programs: ["curl"] },
  "docs/clusters.md": { modules: ["numpy", "dask.array"] },
  "docs/measure.md": {
    modules: ["pandas"],
    before: "acq-server measure scan.oir --channel CH2 --write events > cell-events.csv",
  },
  "docs/use-from/python.md": { modules: ["numpy"] },
  "docs/use-from/remote.md": { modules: ["numpy"] },
  "docs/use-from/shell.md": { programs: ["jq", "convert"] },
};

interface Code {
  readonly language: string;
  readonly text: string;
}

/** Languages of files and answers; the others are those of commands. */
const NO_COMMANDS = /^(|json|xml|ini)$/;

/** Commands of a page; lines of a block lose its indent. */
function codeOf(page: string): Code[] {
  const text = Deno.readTextFileSync(join(ROOT, page));
  return [...text.matchAll(/^( *)```(\w*)\n([^]*?)^ *```$/gm)]
    .map(([, indent, language, code]) => ({
      language: language!,
      text: code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }))
    .filter(({ language }) => !NO_COMMANDS.test(language));
}

/** Why code of a page is not run here. */
const reasonOf = (page: string, { text }: Code): string | undefined =>
  Object.entries(ELSEWHERE[page] ?? {}).find(([mark]) => text.includes(mark))?.[1];

const COPIES = {
  "scan.oir": "examples/line_scan.oir",
  "day1/a.oir": "examples/line_scan.oir",
  "day2/b.oir": "examples/line_scan.oir",
  "2025-10-30/scan.oir": "examples/line_scan.oir",
  "stack.nd2": "tests/fixtures/nd2/series.nd2",
  "cell.nd2": "tests/fixtures/nd2/custom.nd2",
  "acq_client.py": "examples/python/acq_client.py",
} as const;

/** A folder with what pages name, and `acq-server` in the folder `bin`. */
function folderOfUser() {
  const temporary = temporaryFolder();
  for (const name of ["bin", "day1", "day2", "2025-10-30"]) Deno.mkdirSync(temporary.at(name));
  for (const [name, from] of Object.entries(COPIES)) Deno.copyFileSync(join(ROOT, from), temporary.at(name));
  copyTree(join(ROOT, "tests/fixtures/ome_zarr_scenes/plate_v05.ome.zarr"), temporary.at("plate.ome.zarr"));
  Deno.writeTextFileSync(temporary.at("settings.json"), '{ "channel": 1 }');
  const region = { name: "Soma", start: [0, 0], stop: [3, 3] };
  Deno.writeTextFileSync(temporary.at("regions.json"), JSON.stringify({ regions: [region] }));
  const program = [FROM_SOURCE.program, ...FROM_SOURCE.args].map((word) => `'${word}'`).join(" ");
  Deno.writeTextFileSync(temporary.at("bin/acq-server"), `#!/bin/sh\nexec ${program} "$@"\n`, {
    mode: 0o755,
  });
  return temporary;
}

function copyTree(from: string, to: string): void {
  Deno.mkdirSync(to);
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    if (isDirectory) copyTree(join(from, name), join(to, name));
    else Deno.copyFileSync(join(from, name), join(to, name));
  }
}

const PAGES = Object.values(PAGE_GROUPS).flat();

Deno.test("each reason not to run code is one of a page", () => {
  const unused = Object.entries(ELSEWHERE).flatMap(([page, reasons]) =>
    Object.keys(reasons).filter((mark) => !codeOf(page).some(({ text }) => text.includes(mark)))
      .map((mark) => `${page}: ${mark}`)
  );
  assert.deepEqual(unused, []);
  for (const reason of Object.values(ELSEWHERE).flatMap((reasons) => Object.values(reasons))) {
    for (const [path] of reason.matchAll(/tests\/[\w/]+\.ts/g)) assert(Deno.statSync(join(ROOT, path)), path);
  }
});

/** Runs code of a page in a folder of its own, with a server. */
async function runCode(page: string, code: readonly Code[], [sh, python]: readonly string[]): Promise<void> {
  await using server = await ServerProcess.start(FROM_SOURCE);
  using folder = folderOfUser();
  const cwd = folder.path;
  const env = { PATH: `${folder.at("bin")}:${Deno.env.get("PATH")}` };
  await output(sh!, ["-ec", NEEDS[page]?.before ?? ""], { cwd, env });
  for (const { language, text } of code) {
    const here = text.replaceAll("http://127.0.0.1:8767", server.baseUrl).replaceAll("/data/", `${cwd}/`)
      .replace("import acq_client as acq\n", `$&acq.SERVER = "${server.baseUrl}"\n`);
    if (language === "sh") await output(sh!, ["-ec", here], { cwd, env });
    else await output(python!, ["-c", here], { cwd, env });
  }
}

/** Code that is to run here. */
const codeToRun = (page: string) => codeOf(page).filter((code) => reasonOf(page, code) === undefined);

Deno.test("the code of each page runs here, or has a reason why not", () => {
  const others = PAGES.flatMap((page) =>
    codeToRun(page).filter(({ language }) => !["sh", "python"].includes(language))
      .map(({ text }) => `${page}: ${text}`)
  );
  assert.deepEqual(others, []);
});

const ignore = Deno.build.os === "windows";
for (const page of PAGES) {
  const { modules = [], programs = [] } = NEEDS[page] ?? {};
  const [shell, python] = ["sh", "python"].map((wanted) =>
    codeToRun(page).filter(({ language }) => language === wanted)
  );
  if (shell!.length > 0) {
    programTest(["sh", ...programs], {
      name: `the commands of ${page} run`,
      ignore,
      fn: (paths) => runCode(page, shell!, paths),
    });
  }
  if (python!.length > 0) {
    programTest(["sh", "python3", ...programs], {
      name: `the Python of ${page} runs`,
      modules,
      ignore,
      fn: (paths) => runCode(page, python!, paths),
    });
  }
}
