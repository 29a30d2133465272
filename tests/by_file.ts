/**
 * Runs `deno task test-all` with the arguments that it gets, several files at once, and prints a line a file, why tests were
 * skipped, what failed, and the counts.
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
  const tests = ["task", "--quiet", "test-all", "--no-check", "--parallel", ...PRELOAD, ...Deno.args];
  const ended = await Promise.all([
    // One file more than there are cores, as some wait for programs.
    runDeno(tests, (line) => lines.take(line)),
    runDeno(["task", "--quiet", "test-all", "--no-run", ...Deno.args], () => {}),
  ]);
  // Errors of types are there, and what tests make the runtime complain about on purpose.
  for (const { code, complaints } of ended) if (code !== 0) console.error(complaints.join("\n"));
  Deno.exit(ended.find(({ code }) => code !== 0)?.code ?? 0);
}
