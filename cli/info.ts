/** The command `acq-server info`: describes acquisitions like the answer of an open, without a server. */
import { openResponse } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import { HELP, type WritingCommand } from "./arguments.ts";
import { printable } from "./log.ts";
import { writeLine } from "./output.ts";
import { EXIT, failureOf, indexIn, orderOf, sessionsOfShell } from "./shell.ts";

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
    HELP,
  ],
  notes: [
    "Each line is the answer of POST /api/v2/open without the session,",
    "or {ok: false, error, message, details, path}.",
    "Examples: docs/use-from/shell.md#info",
    "Exit status: 0 all paths were opened, 1 some were not, 2 wrong usage.",
  ],
  async run(given) {
    const scene = indexIn(given, "--scene");
    const indent = given.flags.has("--pretty") ? 2 : 0;
    const sessions = sessionsOfShell();
    let status: number = EXIT.ok;
    for (const path of given.operands) {
      const answer = await describe(sessions, path, scene);
      if (!answer.ok) status = EXIT.failed;
      await writeLine(printable(JSON.stringify(answer, null, indent)));
    }
    return status;
  },
};

/** The answer of an open without session id and URLs. */
async function describe(sessions: Sessions, path: string, scene: number | null) {
  try {
    const { summary } = await sessions.opener.describe(orderOf({ path, scene, channelIndices: null }));
    const { sessionId: _sessionId, channels, reference, ...rest } = openResponse({ id: "", summary });
    const described = (list: typeof channels) => list.map(({ dataUrl: _dataUrl, ...channel }) => channel);
    return {
      ...rest,
      channels: described(channels),
      reference: reference && { ...reference, channels: described(reference.channels) },
    };
  } catch (error) {
    return { ok: false as const, ...failureOf(error), details: null, path };
  }
}
