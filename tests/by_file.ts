/**
 * Runs `deno task test-all` for all files but those in the folders that are its arguments, several files at once, and prints a
 * line a file, why tests were skipped, what failed, and the counts.
 */

/** Begins the line that a file prints when its tests are over; its path follows. */
export const END_OF_FILE = "The tests are over in ";

/** Makes the files print it. */
const PRELOAD = ["--preload", "tests/end_of_file.ts"];

/** Counts of one file. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What Deno says of a test, of a step, or of a file that threw outside its tests. */
const RESULT = /^(?:\.\/)?(\S+\.ts) (?:=> .*\.\.\. |\((uncaught error)\) )(ok|FAILED|ignored)\b/;

/** Turns what `deno test --parallel` prints into a line a file. */
export class FileLines {
  readonly #print: (line: string) => void;
  readonly #files = new Map<string, Counts>();
  /** What tests printed since the last result. */
  #said: string[] = [];
  #isReport = false;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Takes a line of Deno. */
  take(line: string): void {
    this.#isReport ||= line === " ERRORS " || /^(ok|FAILED) \| \d+ passed/.test(line);
    if (this.#isReport) return this.#print(line);
    if (line.startsWith("Skipped: ")) return this.#print(line);
    if (line.startsWith(END_OF_FILE)) return this.#end(line.slice(END_OF_FILE.length));
    const [, file, , result] = RESULT.exec(line) ?? [];
    if (file === undefined) {
      if (line !== "" && !/^-+ (pre-test |post-test )?output( end)? -+$/.test(line)) this.#said.push(line);
      return;
    }
    const counts = this.#files.getOrInsertComputed(file, () => ({ passed: 0, failed: 0, skipped: 0 }));
    counts[result === "ok" ? "passed" : result === "ignored" ? "skipped" : "failed"] += 1;
    if (result === "FAILED") { for (const text of [line, ...this.#said]) this.#print(text); }
    this.#said = [];
  }

  #end(file: string): void {
    const { passed, failed, skipped } = this.#files.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    const others = [[failed, "failed"], [skipped, "skipped"]].filter(([count]) => count !== 0);
    const counts = [[passed, "passed"], ...others].map((part) => part.join(" ")).join(", ");
    this.#print(`${failed === 0 ? "ok    " : "FAILED"} ${file}: ${counts}`);
  }
}

/** Lines of a stream of text. */
async function eachLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>, take: (line: string) => void) {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split(/\r?\n/);
    rest = lines.pop()!;
    lines.forEach(take);
  }
  if (rest !== "") take(rest);
}

/**
 * Files whose tests take longest: they begin first, so that no core has nothing to do at the end. Those that calculate take
 * turns with those that wait for programs.
 */
export const LONGEST = [
  "tests/clients/measure_command_test.ts",
  "tests/page/known_truth_test.ts",
  "tests/dialogs/zenity_test.ts",
  "tests/page/flow_test.ts",
  "tests/clients/python_test.ts",
  "tests/formats/hdf5_structures_test.ts",
  "tests/dialogs/default_browser_test.ts",
  "tests/clients/shell_test.ts",
  "tests/clients/imagej_test.ts",
  "tests/page/pulse_test.ts",
  "tests/clients/measure_settings_test.ts",
  "tests/page/velocity_test.ts",
  "tests/contract/listing_test.ts",
  "session/opener_test.ts",
  "tests/page/events_test.ts",
  "tests/contract/process_test.ts",
  "tests/page/synthetic_test.ts",
  "tests/formats/faults_test.ts",
  "tests/clients/octave_test.ts",
];

/** Files of tests below a folder, without those in `ignored` folders and in hidden ones. */
export function* listTests(folder: string, ignored: readonly string[]): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = folder === "." ? name : `${folder}/${name}`;
    if (ignored.includes(path) || name.startsWith(".") || name === "node_modules") continue;
    if (isDirectory) yield* listTests(path, ignored);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

/** Runs Deno, and returns its status and what it says of errors once it has ended. */
async function runDeno(args: readonly string[], take: (line: string) => void) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { NO_COLOR: "1", DENO_JOBS: Deno.env.get("DENO_JOBS") ?? `${navigator.hardwareConcurrency + 1}` },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaints: string[] = [];
  await Promise.all([
    eachLine(child.stdout, take),
    eachLine(child.stderr, (line) => void complaints.push(line)),
  ]);
  const { code } = await child.status;
  return { code, complaints: complaints.filter((line) => !/^(Check|Download|Initialize) /.test(line)) };
}

if (import.meta.main) {
  console.log("Runs the tests, and checks the types beside them; this takes a few minutes");
  const lines = new FileLines((line) => console.log(line));
  // Deno ignores no folder if it is given files beside another one.
  const others = new Set(listTests(".", Deno.args));
  for (const path of LONGEST) others.delete(path);
  const tests = ["task", "--quiet", "test-all", "--no-check", "--parallel", ...PRELOAD];
  const ended = await Promise.all([
    // One file more than there are cores, as some wait for programs.
    runDeno([...tests, ...LONGEST, ...[...others].sort()], (line) => lines.take(line)),
    runDeno(["check", "--quiet"], () => {}),
  ]);
  // Errors of types are there, and what tests make the runtime complain about on purpose.
  for (const { code, complaints } of ended) if (code !== 0) console.error(complaints.join("\n"));
  Deno.exit(ended.find(({ code }) => code !== 0)?.code ?? 0);
}
