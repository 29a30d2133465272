/** The command `acq-server info`: describes acquisitions as an open does, without a server. */
import type { AcquisitionSummary } from "../readers/opened/orders.ts";
import { openResponse } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import { HELP, helpText, type NamedFlag, readArguments, UsageError } from "./arguments.ts";
import { printable } from "./log.ts";
import { EXIT, failureOf, index, orderOf, sessionsOfShell, writeLine } from "./shell.ts";

const FLAGS: readonly NamedFlag[] = [
  { name: "--pretty", help: "Write JSON over several lines" },
  {
    name: "--scene",
    value: "N",
    help: "Scene to describe, from 0 [default: the one that the file belongs to]",
  },
  HELP,
];

const HELP_TEXT = helpText({
  about: "Describe acquisitions as JSON, one line per path",
  usage: ["acq-server info [OPTIONS] <PATH>..."],
  lists: { Arguments: [["<PATH>...", "Files or folders to describe"]] },
  flags: FLAGS,
  notes: [
    "Each line is the answer of POST /api/v2/open without the session,",
    "or {ok: false, error, message, details, path}.",
    "Exit status: 0 all paths were opened, 1 some were not, 2 wrong usage.",
  ],
});

interface Asked {
  readonly paths: readonly string[];
  readonly pretty: boolean;
  readonly scene: number | null;
}

/**
 * Describes acquisitions.
 *
 * @returns exit status: 0 all paths were opened, 1 some were not
 * @throws {UsageError | ReaderGone | OutputFailed}
 */
export async function infoCommand(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    await writeLine(HELP_TEXT);
    return EXIT.ok;
  }
  const sessions = sessionsOfShell();
  let status: number = EXIT.ok;
  for (const path of asked.paths) {
    const answer = await describe(sessions, path, asked.scene);
    if (!answer.ok) status = EXIT.failed;
    await writeLine(printable(JSON.stringify(answer, null, asked.pretty ? 2 : 0)));
  }
  return status;
}

/** `null` for help. */
function parse(args: readonly string[]): Asked | null {
  const paths: string[] = [];
  let [pretty, scene]: [boolean, number | null] = [false, null];
  for (const argument of readArguments("acq-server info", FLAGS, args)) {
    if (argument.flag === null) paths.push(argument.operand);
    else if (argument.flag === HELP) return null;
    else if (argument.flag.name === "--pretty") pretty = true;
    else scene = index("--scene", argument.value);
  }
  if (paths.length > 0) return { paths, pretty, scene };
  throw new UsageError("Missing path: acq-server info <PATH>...");
}

async function describe(sessions: Sessions, path: string, scene: number | null) {
  try {
    return withoutSession(
      (await sessions.opener.describe(orderOf({ path, scene, channelIndices: null }))).summary,
    );
  } catch (error) {
    return { ok: false as const, ...failureOf(error), details: null, path };
  }
}

/** The answer of an open without the session and its paths. */
function withoutSession(summary: AcquisitionSummary) {
  const { sessionId: _sessionId, channels, reference, ...rest } = openResponse({ id: "", summary });
  const described = (list: typeof channels) => list.map(({ dataUrl: _dataUrl, ...channel }) => channel);
  return {
    ...rest,
    channels: described(channels),
    reference: reference && { ...reference, channels: described(reference.channels) },
  };
}
