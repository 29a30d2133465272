/** The command `acq-server plane`: writes one plane to standard output, without a server. */
import { ChannelOutOfRange } from "../readers/errors.ts";
import type { Position } from "../readers/reader.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";
import { HELP, helpText, type NamedFlag, readArguments, UsageError } from "./arguments.ts";
import { bytes, DEFAULTS } from "./command_line.ts";
import { PLANE_FORMATS, planeFile, type PlaneFormat } from "./plane_file.ts";
import { EXIT, index, orderOf, sessionsOfShell, writeBytes, writeLine } from "./shell.ts";

const FLAGS: readonly NamedFlag[] = [
  { name: "--channel", value: "N", help: "Channel, from 0 [default: 0]" },
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
];

const HELP_TEXT = helpText({
  about: "Write one plane of an acquisition to standard output",
  usage: ["acq-server plane [OPTIONS] <PATH>"],
  lists: { Arguments: [["<PATH>", "File or folder to read"]] },
  flags: FLAGS,
  notes: [
    "A failure is one line on standard error, its code first.",
    "Exit status: 0 the plane was written, 1 it cannot be read, 2 wrong usage.",
  ],
});

interface Asked {
  readonly path: string;
  readonly channel: number;
  readonly position: Partial<Position>;
  readonly scene: number | null;
  readonly format: PlaneFormat;
  readonly maxSessionMemory: number;
}

/**
 * Writes a plane.
 *
 * @returns exit status 0
 * @throws {ReaderError | SessionError} the plane cannot be read; nothing was written
 * @throws {UsageError | ReaderGone | OutputFailed}
 */
export async function planeCommand(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === null) {
    await writeLine(HELP_TEXT);
    return EXIT.ok;
  }
  if (Deno.stdout.isTerminal()) {
    throw new UsageError("A terminal cannot show a plane; write it to a file with > FILE");
  }
  const { path, channel, scene, position, format } = asked;
  if (channel < 0) throw new ChannelOutOfRange(`A channel index starts at 0; ${channel} is negative`);
  const sessions = sessionsOfShell(asked.maxSessionMemory);
  const session = await sessions.opener.open(orderOf({ path, scene, channelIndices: [channel] }));
  const plane = await planeAt(sessions, session, channel, position);
  const { rows, columns } = session.summary;
  const { sampleType } = session.summary.loaded[0]!;
  const parts = () =>
    plane.stream(0, plane.byteLength, () => {}).body as AsyncIterable<Uint8Array<ArrayBuffer>>;
  for await (const part of planeFile({ rows, columns, sampleType, parts }, format)) await writeBytes(part);
  return EXIT.ok;
}

/** `null` for help. */
function parse(args: readonly string[]): Asked | null {
  const paths: string[] = [];
  const indices = new Map<string, number>();
  let format: PlaneFormat = "f32";
  let { maxSessionMemory } = DEFAULTS;
  for (const argument of readArguments("acq-server plane", FLAGS, args)) {
    if (argument.flag === null) paths.push(argument.operand);
    else if (argument.flag === HELP) return null;
    else if (argument.flag.name === "--format") format = planeFormat(argument.value);
    else if (argument.flag.name === "--max-session-memory") {
      maxSessionMemory = bytes(argument.flag.name, argument.value);
    } else indices.set(argument.flag.name, index(argument.flag.name, argument.value));
  }
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) {
    throw new UsageError(`Expected one path, not ${paths.length}: acq-server plane <PATH> --channel 0`);
  }
  const at = (name: string) => indices.get(name) ?? 0;
  return {
    path,
    channel: at("--channel"),
    position: {
      ...indices.has("--t") && { t: at("--t") },
      ...indices.has("--z") && { z: at("--z") },
      ...indices.has("--l") && { l: at("--l") },
    },
    scene: indices.get("--scene") ?? null,
    format,
    maxSessionMemory,
  };
}

function planeFormat(text: string): PlaneFormat {
  const format = PLANE_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new UsageError(`--format takes ${PLANE_FORMATS.join(", ")}, not "${text.slice(0, 64)}"`);
}

/** Nothing gives the memory back, since the process ends with its plane. */
async function planeAt(
  sessions: Sessions,
  session: Session,
  channel: number,
  asked: Partial<Position>,
): Promise<PlaneBuffer> {
  const opened = session.summary.position;
  const position = { ...opened, ...asked };
  const { t, z, l } = position;
  if (t === opened.t && z === opened.z && l === opened.l) {
    return sessions.store.channel(session.id, channel).plane;
  }
  const place = { session, channel, position };
  return (await sessions.positions.plane(place, null, new AbortController().signal)).plane;
}
