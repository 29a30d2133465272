/** The command `acq-server plane`: writes one plane or consecutive planes to standard output, without a server. */
import type { AxisLetter, Position } from "../readers/reader.ts";
import type { PlaneStream } from "../session/plane_buffer.ts";
import type { RunRange } from "../session/worker/orders.ts";
import { type Given, HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { parseBytes } from "./command_line.ts";
import { CHANNEL_HELP, requireChannelIndex } from "./channel_choice.ts";
import { PLANE_FORMATS, type PlaneToWrite, writePlaneFile } from "./plane_file.ts";
import { writeBytes } from "./output.ts";
import { EXIT, makeOpenOrder, nameIn, openShellSessions, readIndexFlag, requireFile } from "./shell.ts";

/** Writes a plane. */
export const PLANE: WritingCommand = {
  about: "Write one plane of an acquisition, or consecutive ones, to standard output",
  usage: ["acq-server plane [OPTIONS] <PATH>"],
  lists: { Arguments: [["<PATH>", "File or folder to read"]] },
  flags: [
    { name: "--channel", value: "NAME", help: `${CHANNEL_HELP} [default: 0]` },
    { name: "--t", value: "N", help: "Time point, from 0, or A-B [default: that of an open]" },
    { name: "--z", value: "N", help: "Focus plane, from 0, or A-B [default: that of an open]" },
    { name: "--l", value: "N", help: "Wavelength, from 0, or A-B [default: that of an open]" },
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
    "One of --t, --z and --l may be A-B: all planes from A to B, one after the other; npy then has",
    "three axes. A pgm picture has one plane.",
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
    const format = nameIn(given, "--format", PLANE_FORMATS);
    const { indices, run } = readPosition(given);
    if (run !== null && format === "pgm") throw new UsageError("A picture has one plane: give no range");
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
    const position = { ...opened, ...indices };
    const write = async (count: number | null, parts: PlaneToWrite["parts"]) => {
      for await (const part of writePlaneFile({ count, rows, columns, sampleType, parts }, format)) {
        await writeBytes(part);
      }
    };
    if (run !== null) {
      const range = { channel, first: position, ...run };
      const planes = await sessions.positions.beginRun(session, range, order.signal);
      await write(run.count, () => iterate(planes.stream(() => {})));
    } else {
      const isOpened = position.t === opened.t && position.z === opened.z && position.l === opened.l;
      // Nothing gives its memory back, since the process ends after writing it.
      const plane = isOpened
        ? sessions.store.channel(session.id, channel)
        : (await sessions.positions.plane({ session, channel, position }, null, order.signal)).plane;
      await write(null, () => iterate(plane.stream(0, plane.byteLength, () => {})));
    }
    return EXIT.ok;
  },
};

const iterate = ({ body }: PlaneStream) => body as AsyncIterable<Uint8Array<ArrayBuffer>>;

/** Axis and number of planes of a range. */
type Run = Pick<RunRange, "axis" | "count">;

/** The indices that flags name, of a range the first; `run` is the range. @throws {UsageError} */
function readPosition(given: Given): { readonly indices: Partial<Position>; readonly run: Run | null } {
  const indices: Partial<Record<keyof Position, number>> = {};
  let run: Run | null = null;
  for (const name of ["t", "z", "l"] as const) {
    const flag = `--${name}`;
    const [, first, last] = /^(\d+)-(\d+)$/.exec(given.flags.get(flag) ?? "") ?? [];
    if (first === undefined || last === undefined) {
      const index = readIndexFlag(given, flag);
      if (index !== null) indices[name] = index;
      continue;
    }
    if (run !== null) throw new UsageError("Only one of --t, --z and --l may be a range");
    if (Number(first) > Number(last)) throw new UsageError(`${flag} ${first}-${last} ends before it begins`);
    indices[name] = Number(first);
    run = { axis: name.toUpperCase() as AxisLetter, count: Number(last) - Number(first) + 1 };
  }
  return { indices, run };
}
