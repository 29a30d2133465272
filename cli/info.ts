/** The command `acq-server info`: describes acquisitions like the answer of an open, without a server. */
import { describeSession } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import { HELP, type WritingCommand } from "./arguments.ts";
import { escapeControls } from "./log.ts";
import { writeLine } from "./output.ts";
import {
  describeFailure,
  EXIT,
  LOAD_TIMEOUT,
  makeOpenOrder,
  openShellSessions,
  readIndexFlag,
  readLoadTimeout,
} from "./shell.ts";

/** Describes acquisitions. Exit status: 0 all paths were opened, 1 some were not. */
export const INFO: WritingCommand = {
  about: "Describe acquisitions as JSON, one line per path",
  usage: ["acq-server info [OPTIONS] <PATH>..."],
  lists: { Arguments: [["<PATH>...", "Files or folders to describe"]] },
  flags: [
    { name: "--pretty", help: "Write JSON over several lines" },
    {
      name: "--scene",
      value: "N",
      help: "Scene to describe, from 0 [default: the one that the file belongs to]",
    },
    LOAD_TIMEOUT,
    HELP,
  ],
  notes: [
    "Each line is the answer of POST /api/v2/open without the session,",
    "or {ok: false, error, message, details, path}.",
    "Examples: docs/use-from/shell.md#info",
    "Exit status: 0 all paths were opened, 1 some were not, 2 wrong usage.",
  ],
  async run(given) {
    const scene = readIndexFlag(given, "--scene");
    const indent = given.flags.has("--pretty") ? 2 : 0;
    const sessions = openShellSessions(readLoadTimeout(given));
    let status: number = EXIT.ok;
    for (const path of given.operands) {
      const answer = await describeOpened(sessions, path, scene);
      if (!answer.ok) status = EXIT.failed;
      await writeLine(escapeControls(JSON.stringify(answer, null, indent)));
    }
    return status;
  },
};

/** The answer of an open without session id and URLs. */
async function describeOpened(sessions: Sessions, path: string, scene: number | null) {
  try {
    const { summary } = await sessions.opener.describe(makeOpenOrder({ path, scene, channelIndices: null }));
    const { sessionId: _sessionId, channels, reference, ...rest } = describeSession({ id: "", summary });
    const described = (list: typeof channels) => list.map(({ dataUrl: _dataUrl, ...channel }) => channel);
    return {
      ...rest,
      channels: described(channels),
      reference: reference && { ...reference, channels: described(reference.channels) },
    };
  } catch (error) {
    return { ok: false as const, ...describeFailure(error), details: null, path };
  }
}
