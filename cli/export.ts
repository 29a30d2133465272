/** The command `acq-server export`: writes recordings as an archive of OME-Zarr images to standard output, without a server. */
import { quoted } from "../readers/errors.ts";
import { OrderRefused } from "../session/exporter.ts";
import { HELP, helpText, type NamedFlag, readArguments, UsageError } from "./arguments.ts";
import { EXIT, index, orderOf, sessionsOfShell, writeBytes, writeLine } from "./shell.ts";
import { VERSION } from "./version.ts";

const IMAGES = ["all", "opened", "none"] as const;

const FLAGS: readonly NamedFlag[] = [
  { name: "--scene", value: "N", help: "Only this scene of each path, from 0 [default: all]" },
  { name: "--name", value: "NAME", help: "Name of the collection" },
  {
    name: "--images",
    value: "WHICH",
    help: "all positions, the opened one, or none (documents alone) [default: all]",
  },
  { name: "--quiet", short: "q", help: "Write no progress to standard error" },
  HELP,
];

const HELP_TEXT = helpText({
  about: "Write recordings as an archive of OME-Zarr images",
  usage: ["acq-server export [OPTIONS] <PATH>... > FILE.zip"],
  lists: { Arguments: [["<PATH>...", "Files or folders; each scene becomes a member"]] },
  flags: FLAGS,
  notes: [
    "A failure is one line on standard error, its code first; the file is then incomplete and does not open.",
    "Exit status: 0 the archive was written, 1 it was not, 2 wrong usage.",
  ],
});

interface Asked {
  readonly paths: readonly string[];
  readonly scene: number | null;
  readonly name: string | null;
  readonly images: (typeof IMAGES)[number];
  readonly isQuiet: boolean;
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 500;

/**
 * Writes an archive.
 *
 * @returns exit status 0
 * @throws {ReaderError | SessionError} a recording cannot be read
 * @throws {UsageError | ReaderGone | OutputFailed}
 */
export async function exportCommand(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    await writeLine(HELP_TEXT);
    return EXIT.ok;
  }
  if (Deno.stdout.isTerminal()) {
    throw new UsageError("A terminal cannot show an archive; write it to a file with > FILE.zip");
  }
  const sessions = sessionsOfShell();
  const { signal } = new AbortController();
  const members: { path: string; scene: number }[] = [];
  for (const written of asked.paths) {
    const { path } = orderOf({ path: written, scene: null, channelIndices: null });
    if (asked.scene !== null) {
      members.push({ path, scene: asked.scene });
      continue;
    }
    const { summary } = await sessions.opener.describe(orderOf({ path, scene: 0, channelIndices: null }));
    for (let scene = 0; scene < summary.sceneCount; scene += 1) members.push({ path, scene });
  }
  const order = { members, images: asked.images, ...asked.name !== null && { name: asked.name } };
  const { exporter } = sessions;
  const archive = await exporter.prepare(order, {
    chosenByUser: true,
    version: VERSION,
    memory: exporter.hold(0),
  }, signal)
    .catch((error: unknown) => {
      throw error instanceof OrderRefused ? new UsageError(error.message) : error;
    });
  const progress = new Progress(asked.isQuiet);
  let bytes = 0;
  let planes = 0;
  const body = await exporter.stream(archive, signal, () => {}, (count) => planes = count);
  for await (const part of body) {
    await writeBytes(part);
    bytes += part.length;
    progress.show(planes, bytes, false);
  }
  progress.show(planes, bytes, true);
  return EXIT.ok;
}

/** A line on standard error that is written over. */
class Progress {
  readonly #isQuiet: boolean;
  readonly #isTerminal = Deno.stderr.isTerminal();
  #shown = performance.now();

  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
  }

  /** Shows what was written, now and then and at the end. */
  show(planes: number, bytes: number, isEnd: boolean): void {
    const now = performance.now();
    if (this.#isQuiet || !isEnd && (!this.#isTerminal || now - this.#shown < PROGRESS_MS)) return;
    this.#shown = now;
    const line = `${planes} planes, ${(bytes / 2 ** 20).toFixed(1)} MiB`;
    const text = this.#isTerminal ? `\r${line}${isEnd ? "\n" : ""}` : `${line}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  }
}

/** `null` for help. */
function parse(args: readonly string[]): Asked | null {
  const paths: string[] = [];
  let scene: number | null = null;
  let name: string | null = null;
  let images: Asked["images"] = "all";
  let isQuiet = false;
  for (const argument of readArguments("acq-server export", FLAGS, args)) {
    if (argument.flag === null) paths.push(argument.operand);
    else if (argument.flag === HELP) return null;
    else if (argument.flag.name === "--scene") scene = index("--scene", argument.value);
    else if (argument.flag.name === "--name") name = argument.value;
    else if (argument.flag.name === "--quiet") isQuiet = true;
    else images = imagesOf(argument.value);
  }
  if (paths.length > 0) return { paths, scene, name, images, isQuiet };
  throw new UsageError("Missing path: acq-server export <PATH>... > FILE.zip");
}

function imagesOf(text: string): Asked["images"] {
  const found = IMAGES.find((known) => known === text);
  if (found !== undefined) return found;
  throw new UsageError(`--images takes ${IMAGES.join(", ")}, not ${quoted(text)}`);
}
