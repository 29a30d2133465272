/** The command `acq-server export`: writes recordings as an archive of OME-Zarr images to standard output, without a server. */
import { encodeOrder } from "../session/archive/content/parsed_order.ts";
import { MAX_MEMBERS } from "../schemas/documents.ts";
import { findErrorCode } from "../session/errors.ts";
import { OrderRefused } from "../session/archive/exporter.ts";
import { OrderMemory } from "../session/archive/order_memory.ts";
import type { Sessions } from "../session/sessions.ts";
import { HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { escapeControls } from "./log.ts";
import { writeBytes } from "./output.ts";
import { showProgressLine } from "./progress.ts";
import {
  EXIT,
  LOAD_TIMEOUT,
  makeOpenOrder,
  nameIn,
  openShellSessions,
  readIndexFlag,
  readLoadTimeout,
  requireFile,
} from "./shell.ts";
import { VERSION } from "./version.ts";

/** Writes an archive. */
export const EXPORT: WritingCommand = {
  about: "Write recordings as an archive of OME-Zarr images",
  usage: ["acq-server export [OPTIONS] <PATH>... > FILE.zip"],
  lists: { Arguments: [["<PATH>...", "Files or folders; each scene becomes a member"]] },
  flags: [
    { name: "--scene", value: "N", help: "Only this scene of each path, from 0 [default: all]" },
    { name: "--name", value: "NAME", help: "Name of the collection" },
    {
      name: "--images",
      value: "WHICH",
      help: "all positions, the opened one, or none (documents alone) [default: all]",
    },
    LOAD_TIMEOUT,
    { name: "--quiet", short: "q", help: "Write no progress to standard error" },
    HELP,
  ],
  notes: [
    "A failure is one line on standard error, its code first; the file is then incomplete and does not open.",
    "Of several paths, one that cannot be read is left out with a warning; the exit status is then 1.",
    "What an archive holds: docs/archive.md#what-is-inside",
    "Exit status: 0 all were written, 1 some or all were not, 2 wrong usage.",
  ],
  async run(given) {
    const scene = readIndexFlag(given, "--scene");
    const images = nameIn(given, "--images", ["all", "opened", "none"]);
    const name = given.flags.get("--name");
    requireFile("an archive", "FILE.zip");
    const sessions = openShellSessions(readLoadTimeout(given));
    const { exporter } = sessions;
    const { members, lost } = await listMembers(sessions, given.operands, scene);
    if (members.length > MAX_MEMBERS) {
      throw new UsageError(`${members.length} scenes are more than the ${MAX_MEMBERS} members of an archive`);
    }
    const order = { members: [...members], images, ...name !== undefined && { name } };
    const { signal } = new AbortController();
    const options = { chosenByUser: true, version: VERSION, memory: new OrderMemory() };
    const archive = await exporter.prepare(encodeOrder(order), options, signal).catch((error: unknown) => {
      throw error instanceof OrderRefused ? new UsageError(error.message) : error;
    });
    for (const { message } of lost) console.error(escapeControls(`warning: ${message}; it is left out`));
    for (const text of archive.warnings) console.error(escapeControls(`warning: ${text}`));
    const line = showProgressLine(given.flags.has("--quiet"));
    const show = (planes: number, bytes: number, isEnd: boolean) =>
      line(`${planes} planes, ${(bytes / 2 ** 20).toFixed(1)} MiB`, isEnd);
    let [bytes, planes] = [0, 0];
    const body = await exporter.streams.start(archive, signal, () => {}, (count) => planes = count);
    for await (const part of body) {
      await writeBytes(part);
      bytes += part.length;
      show(planes, bytes, false);
    }
    show(planes, bytes, true);
    return lost.length + archive.leftOut === 0 ? EXIT.ok : EXIT.failed;
  },
};

/** Pairs of path and scene: the wanted scene, or all scenes of each path. Of several paths, those that fail are left out. */
async function listMembers(
  sessions: Sessions,
  paths: readonly string[],
  wanted: number | null,
): Promise<
  { readonly members: readonly { path: string; scene: number }[]; readonly lost: readonly Error[] }
> {
  const members: { path: string; scene: number }[] = [];
  const lost: Error[] = [];
  for (const written of paths) {
    const order = makeOpenOrder({ path: written, scene: wanted ?? 0, channelIndices: null });
    const { path } = order;
    try {
      const count = wanted === null ? (await sessions.opener.describe(order)).summary.sceneCount : 1;
      for (let i = 0; i < count; i += 1) members.push({ path, scene: wanted ?? i });
    } catch (error) {
      if (paths.length < 2 || findErrorCode(error) === null) throw error;
      lost.push(error as Error);
    }
  }
  if (members.length === 0) throw lost[0];
  return { members, lost };
}
