/** The command `acq-server plane`: writes one plane to standard output, without a server. */
import { HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { parseBytes } from "./command_line.ts";
import { CHANNEL_HELP, requireChannelIndex } from "./channel_choice.ts";
import { PLANE_FORMATS, writePlaneFile } from "./plane_file.ts";
import { writeBytes } from "./output.ts";
import { EXIT, makeOpenOrder, nameIn, openShellSessions, readIndexFlag, requireFile } from "./shell.ts";

/** Writes a plane. */
export const PLANE: WritingCommand = {
  about: "Write one plane of an acquisition to standard output",
  usage: ["acq-server plane [OPTIONS] <PATH>"],
  lists: { Arguments: [["<PATH>", "File or folder to read"]] },
  flags: [
    { name: "--channel", value: "NAME", help: `${CHANNEL_HELP} [default: 0]` },
    { name: "--t", value: "N", help: "Time point, from 0 [default: that of an open]" },
    { name: "--z", value: "N", help: "Focus plane, from 0 [default: that of an open]" },
    { name: "--l", value: "N", help: "Wavelength, from 0 [default: that of an open]" },
    { name: "--scene", value: "N", help: "Scene, from 0 [default: the one that the file belongs to]" },
    {
      name: "--format",
      value: "NAME",
      help: "f32 (little-endian), npy (NumPy) or pgm (picture) [default: f32]",
    },
    { name: "--max-session-memory", value: "SIZE", help: "Memory for planes [default: 4GiB]" },
    HELP,
  ],
  notes: [
    "A failure is one line on standard error, its code first.",
    "Examples: docs/use-from/shell.md#plane",
    "Exit status: 0 the plane was written, 1 it cannot be read, 2 wrong usage.",
  ],
  async run(given) {
    const [path, ...more] = given.operands;
    if (path === undefined || more.length > 0) {
      throw new UsageError(`Expected one path, not ${given.operands.length}: ${PLANE.usage[0]}`);
    }
    const scene = readIndexFlag(given, "--scene");
    const [t, z, l] = (["--t", "--z", "--l"] as const).map((name) => readIndexFlag(given, name));
    const format = nameIn(given, "--format", PLANE_FORMATS);
    const memory = given.flags.get("--max-session-memory");
    const sessions = openShellSessions(
      undefined,
      memory === undefined ? undefined : parseBytes("--max-session-memory", memory),
    );
    requireFile("a plane", "FILE");
    const named = given.flags.get("--channel");
    const channel = named === undefined ? 0 : await requireChannelIndex(sessions, path, scene, named);
    const order = makeOpenOrder({ path, scene, channelIndices: [channel] });
    const session = await sessions.opener.open(order);
    const { rows, columns, position: opened, loaded } = session.summary;
    const { sampleType } = loaded[0]!;
    const position = { t: t ?? opened.t, z: z ?? opened.z, l: l ?? opened.l };
    const isOpened = position.t === opened.t && position.z === opened.z && position.l === opened.l;
    // Nothing gives its memory back, since the process ends after writing it.
    const plane = isOpened
      ? sessions.store.channel(session.id, channel)
      : (await sessions.positions.plane({ session, channel, position }, null, order.signal)).plane;
    const parts = () =>
      plane.stream(0, plane.byteLength, () => {}).body as AsyncIterable<Uint8Array<ArrayBuffer>>;
    for await (const part of writePlaneFile({ rows, columns, sampleType, parts }, format)) {
      await writeBytes(part);
    }
    return EXIT.ok;
  },
};
