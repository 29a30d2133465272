/** The command `acq-server info`: what an open answers, without a server. */
import { HELP, type NamedFlag, readArguments, rowsOf, UsageError } from "./arguments.ts";
import { printable } from "./log.ts";
import { openResponse } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import type { AcquisitionSummary } from "../readers/open_acquisition.ts";
import { EXIT, failureOf, index, orderOf, sessionsOfShell } from "./opening.ts";
import { writeLine } from "./standard_output.ts";

const FLAGS: readonly NamedFlag[] = [
  { name: "--pretty", help: "write JSON over several lines, not one line for each path" },
  {
    name: "--scene",
    value: "N",
    help: "scene to describe, from 0; by default the one that the file belongs to",
  },
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
  const sessions = sessionsOfShell();
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
  let [pretty, scene]: [boolean, number | null] = [false, null];
  for (const argument of readArguments("acq-server info", FLAGS, args)) {
    if (argument.flag === null) paths.push(argument.operand);
    else if (argument.flag === HELP) return null;
    else if (argument.flag.name === "--pretty") pretty = true;
    else scene = index("--scene", argument.value);
  }
  if (paths.length > 0) return { paths, pretty, scene };
  throw new UsageError("No path is given: acq-server info PATH...");
}

async function describe(sessions: Sessions, path: string, scene: number | null) {
  try {
    return withoutSession(await sessions.opener.describe(orderOf({ path, scene, channelIndices: null })));
  } catch (error) {
    return { ok: false as const, ...failureOf(error), details: null, path };
  }
}

/** What an open answers, without the id of the session and the paths below it. */
function withoutSession(summary: AcquisitionSummary) {
  const { sessionId: _sessionId, channels, reference, ...rest } = openResponse({ id: "", summary });
  const described = (list: typeof channels) => list.map(({ dataUrl: _dataUrl, ...channel }) => channel);
  return {
    ...rest,
    channels: described(channels),
    reference: reference && { ...reference, channels: described(reference.channels) },
  };
}
