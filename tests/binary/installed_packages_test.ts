/**
 * The packages of npm and PyPI are installed, used and removed on Linux: with the executable that
 * ACQ_SERVER_BINARY names they start, answer and open a file; without one they carry a script that says its name.
 */
import assert from "node:assert/strict";
import { chownSync, copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { FROM_SOURCE, ROOT, ServerProcess } from "./server_process.ts";

const binary = Deno.env.get("ACQ_SERVER_BINARY");
const SYSTEM = Deno.build.arch === "x86_64" ? "linux-x86_64" : "linux-arm64";
const STAND_IN = '#!/bin/sh\necho "acq-server stand-in $*"\n';
const REPOSITORY = "someone/acq-server";
const ignore = Deno.build.os !== "linux";
if (ignore) console.log("Skipped: packages are installed on Linux only");

/** Nobody's number; what root installs is used by another user. */
const NOBODY = 65534;
const isRoot = !ignore && Deno.uid() === 0;

/** A command that another user runs where the test is run by root. */
function asUser(program: string, args: readonly string[] = []): [program: string, args: string[]] {
  if (!isRoot) return [program, [...args]];
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all"];
  return ["setpriv", [...user, program, ...args]];
}

/** Runs a command in a folder that is the home of its user too, and gives what it said. */
function run([program, args]: [string, string[]], folder: string): string {
  const { success, stdout, stderr } = new Deno.Command(program, {
    args,
    cwd: folder,
    env: {
      HOME: folder,
      npm_config_cache: join(folder, "cache"),
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
    },
  }).outputSync();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  assert(success, `${program} ${args.join(" ")}: ${out}${error}`);
  return out;
}

/** Whether a command runs at all; says so when it does not. */
function has(program: string, ...args: string[]): boolean {
  try {
    if (new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success) return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  console.log(`Skipped: "${program} ${args.join(" ")}" does not run`);
  return false;
}

/** Paths below a folder except what programs cache, sorted. */
function pathsBelow(folder: string, below = ""): string[] {
  return [...Deno.readDirSync(join(folder, below))].flatMap(({ name, isDirectory }) => {
    const path = below + name;
    return isDirectory ? name === "__pycache__" ? [] : [path, ...pathsBelow(folder, path + "/")] : [path];
  }).sort();
}

/** A folder of the user who runs what is installed, removed at the end. */
function userFolder(): Disposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix: "packages_" });
  Deno.chmodSync(path, 0o755);
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

/** Starts an installed program and opens a file with it, or has the stand-in say its name. */
async function use(program: string, folder: string): Promise<void> {
  const [command, args] = asUser(program);
  const said = run([command, [...args, "--version"]], folder);
  if (binary === undefined) return assert.equal(said, "acq-server stand-in --version\n");
  assert.match(said, /^acq-server \d/);
  const sample = join(folder, "line_scan.oir");
  copyFileSync(join(ROOT, "examples", "line_scan.oir"), sample);
  const server = await ServerProcess.start({ program: command, args }, [], { HOME: folder });
  try {
    assert.equal((await server.json("/api/v2/health")).status, 200);
    const { status, body } = await server.post("/api/v2/open", { path: sample });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body as { source: { format: string } }).source.format, "oir");
  } finally {
    await server.stop();
    Deno.removeSync(sample);
  }
}

/** Makes the packages of this system from the executable or the stand-in; gives their folder. */
function makePackages(folder: string): string {
  const binaries = join(folder, SYSTEM);
  mkdirSync(binaries);
  if (binary === undefined) {
    Deno.writeTextFileSync(join(binaries, "acq-server"), STAND_IN, { mode: 0o755 });
  } else symlinkSync(Deno.realPathSync(binary), join(binaries, "acq-server"));
  const output = join(folder, "packages");
  const args = [
    "run",
    "-q",
    "-A",
    "--no-check",
    join(ROOT, ".ci", "packages", "main.ts"),
    folder,
    output,
    REPOSITORY,
  ];
  const made = new Deno.Command(Deno.execPath(), { args }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  console.log(new TextDecoder().decode(made.stdout).split("\n").filter((line) => /MB/.test(line)).join("\n"));
  return output;
}

function only(folder: string, ending: RegExp): string {
  const found = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => ending.test(name));
  assert.equal(found.length, 1, found.join(" "));
  return join(folder, found[0]!);
}

/** Compares the files of a wheel with its RECORD (PEP 376), which pip does not; prints how many there are. */
const READ_RECORD = `
import base64, csv, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
[name] = [n for n in wheel.namelist() if n.endswith(".dist-info/RECORD")]
rows = list(csv.reader(wheel.read(name).decode().splitlines()))
assert sorted(row[0] for row in rows) == sorted(wheel.namelist()), rows
for path, digest, size in rows:
    if path == name:
        continue
    data = wheel.read(path)
    sha = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert (digest, size) == ("sha256=" + sha, str(len(data))), path
print(len(rows))
`;
import { temporaryFolder } from "../temporary_files.ts";

/** Installs by pip into a fresh environment, without an index. */
async function useWheel(packages: string): Promise<void> {
  const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  if (!has(python, "-m", "venv", "--help") || !has(python, "-m", "ensurepip", "--version")) return;
  using folder = userFolder();
  const environment = join(folder.path, "environment");
  run(asUser(python, ["-m", "venv", environment]), folder.path);
  const before = pathsBelow(environment);
  const pip = (...args: string[]) =>
    run(asUser(join(environment, "bin/python"), ["-m", "pip", ...args]), folder.path);
  const file = only(packages, /^acq_server.*\.whl$/);
  // The program, METADATA, WHEEL, two licences and RECORD itself.
  assert.equal(run(asUser(python, ["-c", READ_RECORD, file]), folder.path), "6\n");
  pip("install", "--quiet", "--no-index", file);
  assert.match(pip("show", "--files", "acq-server"), /\.\.\/\.\.\/\.\.\/bin\/acq-server$/m);
  await use(join(environment, "bin/acq-server"), folder.path);
  pip("uninstall", "--quiet", "--yes", "acq-server");
  assert.deepEqual(pathsBelow(environment), before);
}

/**
 * Installs the client by pip into a fresh environment and reads planes and layers with it. With the napari of PyPI where
 * that can be had, else without the parts that need others than NumPy.
 */
async function useClientWheel(packages: string): Promise<void> {
  const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  if (!has(python, "-m", "venv", "--help") || !has(python, "-m", "ensurepip", "--version")) return;
  using folder = userFolder();
  const file = only(packages, /^acq_client.*\.whl$/);
  // Client, reader, manifest, marker, entry point, METADATA, WHEEL, licence and RECORD itself.
  assert.equal(run(asUser(python, ["-c", READ_RECORD, file]), folder.path), "9\n");
  const environment = join(folder.path, "environment");
  run(asUser(python, ["-m", "venv", environment]), folder.path);
  const program = join(environment, "bin/python");
  const pip = [program, "-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "20"];
  const [command, args] = asUser("timeout", ["300", ...pip, `${file}[napari,xarray]`]);
  const installed = new Deno.Command(command, {
    args,
    env: { HOME: folder.path, PIP_DISABLE_PIP_VERSION_CHECK: "1" },
    stdout: "null",
  }).outputSync();
  if (!installed.success) return console.log("Skipped: the client's wheel needs napari and xarray of PyPI");
  await using server = await ServerProcess.start(FROM_SOURCE);
  const cases = join(ROOT, "tests", "clients", "client_wheel_cases.py");
  // It reads the repository, which may be closed to another user.
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: ["-I", cases, server.baseUrl, join(ROOT, "examples"), join(ROOT, "tests", "fixtures")],
    env: { HOME: folder.path },
  }).output();
  const text = new TextDecoder();
  assert.equal(code, 0, text.decode(stdout) + text.decode(stderr));
}

/** Installs by npm without a registry, so the packages of other systems are missing. */
async function useNpmPackages(packages: string): Promise<void> {
  if (!has("npm", "--version")) return;
  using folder = userFolder();
  const npm = (...args: string[]) =>
    run(asUser("npm", [...args, "--offline", "--no-audit", "--no-fund"]), folder.path);
  const [launcher, platform] = [only(packages, /^acq-server-\d.*\.tgz$/), only(packages, /-linux-.*\.tgz$/)];
  npm("install", platform, launcher);
  // npm refuses what a workflow publishes for a package that names another repository or none.
  for (
    const name of ["acq-server", "@acq-server/linux-" + (Deno.build.arch === "x86_64" ? "x64" : "arm64")]
  ) {
    const path = join(folder.path, "node_modules", name, "package.json");
    const { repository } = JSON.parse(Deno.readTextFileSync(path));
    assert.equal(repository.url, `git+https://github.com/${REPOSITORY}.git`);
  }
  await use(join(folder.path, "node_modules/.bin/acq-server"), folder.path);
  npm("uninstall", "acq-server", "@acq-server/linux-x64", "@acq-server/linux-arm64");
  // npm leaves empty folders and a list of what is installed, which is nothing.
  const modules = join(folder.path, "node_modules");
  const left = existsSync(modules) ? pathsBelow(modules) : [];
  assert.deepEqual(left.filter((path) => !/^(\.bin|@acq-server|\.package-lock\.json)$/.test(path)), []);
}

Deno.test({
  name: "installs, uses and removes packages",
  ignore,
  fn: async (t) => {
    using temporary = temporaryFolder();
    const folder = temporary.path;
    Deno.chmodSync(folder, 0o755);
    const packages = makePackages(folder);
    await t.step("a wheel", () => useWheel(packages));
    await t.step("the wheel of the client", () => useClientWheel(packages));
    await t.step("packages of npm", () => useNpmPackages(packages));
  },
});
