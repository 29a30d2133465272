/** The command `acq-server measure`: measures recordings by settings into a table, without a server. */
import { z } from "zod";
import { csv } from "../static/measure/csv.js";
import { MEASUREMENTS } from "../static/measure/measurements.js";
import type { Parameter } from "../static/measure/measurement.js";
import { measuredRecording, type Row } from "../static/measure/recording.js";
import { typedScan } from "../static/measure/typed_scan.js";
import { type Method, METHODS } from "../static/measure/velocity.js";
import { openResponse } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import { HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { EXIT, failureOf, orderOf, sessionsOfShell, writeBytes } from "./shell.ts";

const NUMBER = z.number();
const LINES = z.int().positive();

function settingOf({ choices, isCount = false, least = -Infinity }: Parameter) {
  if (choices !== undefined) return z.enum(Object.keys(choices));
  return isCount ? LINES : NUMBER.min(least);
}

/** Settings of the measurement and of the recordings; what else the page keeps is left out. */
const SETTINGS_SCHEMA = z.object({
  channel: z.int().nonnegative().default(0),
  /** Of files that do not say that they are line scans. */
  lineScan: z.object({
    time: z.enum(["rows", "columns"]),
    secondsPerLine: NUMBER.positive(),
    micrometresPerPixel: NUMBER.positive(),
    secondsPerPixel: NUMBER.nonnegative().optional(),
  }).optional(),
  bands: z.array(z.object({ name: z.string(), from: z.int(), to: z.int() })).optional(),
  traces: z.object({
    isChange: z.boolean().optional(),
    kind: z.enum(["percentile", "window"]).optional(),
    percentile: NUMBER.min(0).max(100).optional(),
    from: NUMBER.optional(),
    to: NUMBER.optional(),
    offset: NUMBER.optional(),
    average: LINES.optional(),
  }).optional(),
  events: z.object({ height: NUMBER, prominence: NUMBER.optional(), distance: NUMBER.optional() }).nullish(),
  velocities: z.object({
    window: LINES.nullish(),
    step: LINES.optional(),
    isAutomatic: z.boolean().optional(),
    method: z.enum(Object.keys(METHODS) as [Method, ...Method[]]).optional(),
    pixelTime: NUMBER.nonnegative().optional(),
  }).nullish(),
  heartRate: z.boolean().optional(),
  ...Object.fromEntries(
    MEASUREMENTS.map(({ key, parameters }) => [
      key,
      z.object(Object.fromEntries(parameters.map((one) => [one.key, settingOf(one).optional()]))).nullish(),
    ]),
  ),
});

type ShellSettings = z.output<typeof SETTINGS_SCHEMA>;

/** Measures recordings. Exit status: 0 all were measured, 1 some were not. */
export const MEASURE: WritingCommand = {
  about: "Measure line scans into a table of comma-separated values",
  usage: ["acq-server measure [OPTIONS] <PATH>... > table.csv"],
  lists: { Arguments: [["<PATH>...", "Files or folders to measure"]] },
  flags: [
    {
      name: "--settings",
      value: "FILE",
      help: "Bands, traces, events and velocities as JSON [default: whole lines]",
    },
    HELP,
  ],
  notes: [
    "A row for each recording and band; a recording that cannot be measured has a row that says why.",
    "Settings and columns: docs/measure.md#from-the-shell",
    "Exit status: 0 all were measured, 1 some were not, 2 wrong usage.",
  ],
  async run({ operands, flags }) {
    const settings = await settingsIn(flags.get("--settings"));
    const sessions = sessionsOfShell();
    const rows: Row[] = [];
    let status: number = EXIT.ok;
    for (const path of operands) {
      try {
        rows.push(...await measured(sessions, path, settings));
      } catch (error) {
        if (error instanceof UsageError) throw error;
        status = EXIT.failed;
        const said = error instanceof RangeError ? error.message : failureOf(error).message;
        rows.push({ File: path, Failure: said });
      }
    }
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const columns = names.map((name) => ({ name, values: rows.map((row) => row[name] ?? null) }));
    await writeBytes(new TextEncoder().encode(csv([["Settings", JSON.stringify(settings)]], columns)));
    return status;
  },
};

/** @throws {UsageError} the file is missing, or no settings */
async function settingsIn(path: string | undefined): Promise<ShellSettings> {
  if (path === undefined) return SETTINGS_SCHEMA.parse({});
  try {
    return SETTINGS_SCHEMA.parse(JSON.parse(await Deno.readTextFile(path)));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const said = issue === undefined
      ? (error as Error).message
      : `${issue.path.join(".") || "all of it"}: ${issue.message}`;
    throw new UsageError(`Cannot follow the settings: ${said}`);
  }
}

/** Rows of a recording. @throws {RangeError | ReaderError | SessionError} */
async function measured(sessions: Sessions, path: string, settings: ShellSettings): Promise<Row[]> {
  const { channel, lineScan } = settings;
  const session = await sessions.opener.open(orderOf({ path, scene: null, channelIndices: [channel] }));
  try {
    const { plane: { shape, axes }, lineScan: stated, source, channels } = openResponse(session);
    const samples = await samplesOf(sessions, session.id, channel);
    const scan = lineScan === undefined
      ? { plane: { samples, shape }, axes: [axes[0]!, axes[1]!] as const }
      : typedScan({ samples, shape }, lineScan);
    const time = stated?.secondsPerPixel ?? 0;
    const isKnown = stated?.bidirectional !== true && time * scan.plane.shape[1]! <= scan.axes[0].step;
    const typed = lineScan?.secondsPerPixel;
    const velocities = typed === undefined ? settings.velocities : {
      pixelTime: 1e6 * typed,
      ...settings.velocities,
    };
    const about = {
      File: source.name,
      Path: source.path,
      Channel: channels[0]!.name,
      Calibration: lineScan === undefined ? "by the file" : "typed",
      Lines: scan.plane.shape[0]!,
      "Time per line": scan.axes[0].step,
      "Time unit": scan.axes[0].unit,
      "Distance per column": scan.axes[1].step,
      "Distance unit": scan.axes[1].unit,
    };
    return measuredRecording(
      scan.plane,
      scan.axes,
      { ...settings, velocities, measurements: settings },
      isKnown ? time : 0,
    )
      .map((row) => ({ ...about, ...row }));
  } finally {
    sessions.store.delete(session.id);
  }
}

async function samplesOf(sessions: Sessions, id: string, channel: number): Promise<Float32Array> {
  const { plane } = sessions.store.channel(id, channel);
  const bytes = new Uint8Array(plane.byteLength);
  let at = 0;
  const { body } = plane.stream(0, plane.byteLength, () => {});
  for await (const part of body as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes.set(part, at);
    at += part.length;
  }
  return new Float32Array(bytes.buffer);
}
