/** The command `acq-server info`: what an open answers, without a server. */
import { HELP, type NamedFlag, readArguments, rowsOf, UsageError } from "../arguments.ts";
import { bytes, DEFAULTS } from "../command_line.ts";
import { printable } from "../log.ts";
import { openResponse } from "../routes/open.ts";
import type { Sessions } from "../sessions.ts";
import type { Session } from "../session/store.ts";
import { EXIT, failureOf, index, openWanted, sessionsOfShell } from "./opening.ts";
import { writeLine } from "./standard_output.ts";

const FLAGS: readonly NamedFlag[] = [
  { name: "--pretty", help: "write JSON over several lines, not one line for each path" },
  {
    name: "--scene",
    value: "N",
    help: "scene to describe, from 0; by default the one that the file belongs to",
  },
  { name: "--max-session-memory", value: "SIZE", help: "memory for the planes of one file (default 4GiB)" },
  HELP,
];

const HELP_TEXT = [
  "acq-server info: opens acquisitions and describes each as JSON, as POST /api/v2/open does, but for the session",
  "",
  "Usage: acq-server info PATH... [--pretty] [--scene N]",
  "",
  ...rowsOf(FLAGS),
  "",
  "A file that cannot be opened has a line too: {ok: false, error, message, details, path}.",
  "Exit status: 0 all were opened, 1 some were not, 2 the command cannot be followed",
].join("\n");

interface Asked {
  readonly paths: readonly string[];
  readonly pretty: boolean;
  readonly scene: number | null;
  readonly maxSessionMemory: number;
}

/**
 * Describes acquisitions.
 *
 * @returns exit status: 0 all were opened, 1 some were not
 * @throws {UsageError} the arguments cannot be followed
 * @throws {ReaderGone | OutputFailed} standard output takes no more
 */
export async function infoCommand(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    await writeLine(HELP_TEXT);
    return EXIT.ok;
  }
  const sessions = sessionsOfShell(asked.maxSessionMemory);
  let status: number = EXIT.ok;
  for (const path of asked.paths) {
    const answer = await describe(sessions, path, asked.scene);
    if (!answer.ok) status = EXIT.failed;
    await writeLine(printable(JSON.stringify(answer, null, asked.pretty ? 2 : 0)));
  }
  return status;
}

/** `null` where help is wanted. */
function parse(args: readonly string[]): Asked | null {
  const paths: string[] = [];
  let [pretty, scene, maxSessionMemory]: [boolean, number | null, number] = [
    false,
    null,
    DEFAULTS.maxSessionMemory,
  ];
  for (const argument of readArguments("acq-server info", FLAGS, args)) {
    if (argument.flag === null) paths.push(argument.operand);
    else if (argument.flag === HELP) return null;
    else if (argument.flag.name === "--pretty") pretty = true;
    else if (argument.flag.name === "--scene") scene = index("--scene", argument.value);
    else maxSessionMemory = bytes(argument.flag.name, argument.value);
  }
  if (paths.length > 0) return { paths, pretty, scene, maxSessionMemory };
  throw new UsageError("No path is given: acq-server info PATH...");
}

async function describe(sessions: Sessions, path: string, scene: number | null) {
  try {
    const session = await openWanted(sessions, { path, scene, channelIndices: null });
    const description = withoutSession(session);
    sessions.store.delete(session.id);
    return description;
  } catch (error) {
    return { ok: false as const, ...failureOf(error), details: null, path };
  }
}

/** What an open answers, without the id of the session and the paths below it. */
function withoutSession(session: Session) {
  const { sessionId: _sessionId, channels, reference, ...rest } = openResponse(session);
  const described = (list: typeof channels) => list.map(({ dataUrl: _dataUrl, ...channel }) => channel);
  return {
    ...rest,
    channels: described(channels),
    reference: reference && { ...reference, channels: described(reference.channels) },
  };
}
