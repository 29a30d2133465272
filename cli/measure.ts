/** The command `acq-server measure`: measures recordings by given settings into a table or a TIFF, without a server. */
import { z } from "zod";
import { isTime } from "../static/measure/axes.js";
import { columnsOf, csv } from "../static/measure/csv.js";
import { MEASUREMENTS } from "../static/measure/measurements.js";
import type { Parameter } from "../static/measure/measurement.js";
import { measuredRecording, type Row } from "../static/measure/recording.js";
import { timeAlongLine, typedScan } from "../static/measure/typed_scan.js";
import type { ProjectionKind } from "../static/measure/stack.js";
import { openResponse } from "../session/open_response.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";
import { type Given, HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { measuredImages, samplesOf, WRITTEN } from "./measured_images.ts";
import { printable } from "./log.ts";
import { EXIT, failureOf, nameIn, orderOf, requireFile, sessionsOfShell, writeBytes } from "./shell.ts";

const NUMBER = z.number();
const LINES = z.int().positive();

function settingOf({ choices, isCount = false, least = -Infinity }: Parameter) {
  if (choices !== undefined) return z.enum(Object.keys(choices));
  return isCount ? LINES.min(Math.max(1, least)) : NUMBER.min(least);
}

const OVERS = ["T", "Z"] as const;

const KINDS = ["max", "mean"] as const satisfies readonly ProjectionKind[];

const PLACE = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);

/** Settings of the measurement and of the recordings. Other fields that the page stores are ignored. */
const SETTINGS_SCHEMA = z.object({
  channel: z.int().nonnegative().default(0),
  /** For files whose metadata does not describe a line scan. */
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
  /** Rectangles of images, in columns and rows. */
  regions: z.array(z.object({
    id: z.string().default("rectangle"),
    name: z.string().optional(),
    type: z.string().default("rectangle"),
    start: PLACE.optional(),
    stop: PLACE.optional(),
  })).optional(),
  kymograph: z.object({
    points: z.array(z.object({ x: NUMBER, y: NUMBER })).min(2),
    width: LINES.default(1),
  }).nullish(),
  images: z.object({ axis: z.enum(OVERS) }).nullish(),
  projection: z.object({ kind: z.enum(KINDS), axis: z.enum(OVERS) }).nullish(),
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
  about: "Measure line scans and images into a table of comma-separated values",
  usage: ["acq-server measure [OPTIONS] <PATH>... > table.csv"],
  lists: { Arguments: [["<PATH>...", "Files or folders to measure"]] },
  flags: [
    {
      name: "--settings",
      value: "FILE",
      help: "What to measure where, as JSON [default: whole lines]",
    },
    { name: "--over", value: "AXIS", help: "Measure images over t (time) or z (focus)" },
    { name: "--projection", value: "KIND", help: "Measure their max or mean, too" },
    {
      name: "--write",
      value: "WHAT",
      help: "summary, means (of each image), profile (of a line), or a projection or kymograph as TIFF",
    },
    HELP,
  ],
  notes: [
    "A row for each recording and band or region; a recording that cannot be measured has a row that says why.",
    "Settings and columns: docs/measure.md#from-the-shell",
    "Exit status: 0 all were measured, 1 some were not, 2 wrong usage.",
  ],
  async run(given) {
    const write = nameIn(given, "--write", WRITTEN);
    const settings = withFlags(await settingsIn(given.flags.get("--settings")), given);
    if (write === "means" && !settings.images) throw new UsageError("--write means needs --over");
    if (write === "projection" && !settings.projection) {
      throw new UsageError("--write projection needs --projection");
    }
    if ((write === "profile" || write === "kymograph") && !settings.kymograph) {
      throw new UsageError(`--write ${write} needs a line, "kymograph" in the settings`);
    }
    if (write === "projection" || write === "kymograph") {
      return await writeTiff(given.operands, settings, write);
    }
    const sessions = sessionsOfShell();
    const rows: Row[] = [];
    let status: number = EXIT.ok;
    for (const path of given.operands) {
      try {
        rows.push(
          ...await opened(sessions, path, settings, async (session) => {
            const found = isImage(session, settings, write)
              ? await measuredImages({ sessions, session, index: settings.channel }, settings, write)
              : await measured(sessions, session, settings);
            return found as Row[];
          }),
        );
      } catch (error) {
        if (error instanceof UsageError) throw error;
        status = EXIT.failed;
        const said = error instanceof RangeError ? error.message : failureOf(error).message;
        rows.push({ File: path, Failure: said });
      }
    }
    const about = [["Settings", JSON.stringify(settings)]] as const;
    await writeBytes(new TextEncoder().encode(csv(about, columnsOf(rows))));
    return status;
  },
};

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

function withFlags(settings: ShellSettings, given: Given): ShellSettings {
  const has = (name: string) => given.flags.has(name);
  const over = has("--over") ? nameIn(given, "--over", ["t", "z"]) : null;
  const kind = has("--projection") ? nameIn(given, "--projection", KINDS) : null;
  const images = over === null ? settings.images : { axis: over === "t" ? "T" as const : "Z" as const };
  if (kind === null) return { ...settings, images };
  if (!images) throw new UsageError("--projection needs --over");
  return { ...settings, images, projection: { kind, axis: images.axis } };
}

async function opened<T>(
  sessions: Sessions,
  path: string,
  { channel }: ShellSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await sessions.opener.open(orderOf({ path, scene: null, channelIndices: [channel] }));
  try {
    return await work(session);
  } finally {
    sessions.store.delete(session.id);
  }
}

async function writeTiff(
  paths: readonly string[],
  settings: ShellSettings,
  write: "projection" | "kymograph",
): Promise<number> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) {
    throw new UsageError(`--write ${write} takes one path, not ${paths.length}`);
  }
  requireFile("a TIFF", "FILE.tif");
  const sessions = sessionsOfShell();
  try {
    const order = (session: Session) =>
      measuredImages({ sessions, session, index: settings.channel }, settings, write);
    await writeBytes(await opened(sessions, path, settings, order) as Uint8Array);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(printable(`Cannot measure "${path}": ${error.message}`));
    return EXIT.failed;
  }
}

const isImage = (
  session: Session,
  { lineScan, regions, kymograph, images, projection }: ShellSettings,
  write: string,
) =>
  write !== "summary" ||
  lineScan === undefined && !isTime(openResponse(session).plane.axes[0]!) &&
    (regions ?? kymograph ?? images ?? projection ?? null) !== null;

async function measured(sessions: Sessions, session: Session, settings: ShellSettings): Promise<Row[]> {
  const { channel, lineScan } = settings;
  const { plane: { shape, axes }, lineScan: stated, source, channels } = openResponse(session);
  const samples = await samplesOf(sessions.store.channel(session.id, channel));
  const scan = lineScan === undefined
    ? { plane: { samples, shape }, axes: [axes[0]!, axes[1]!] as const }
    : typedScan({ samples, shape }, lineScan);
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
  const usual = MEASUREMENTS.filter(({ isUsual }) => isUsual).map(({ key }) => [key, {}]);
  const measurements = { ...Object.fromEntries(usual), ...settings };
  const rows = measuredRecording(scan.plane, scan.axes, { ...settings, measurements }, {
    pixelTime: timeAlongLine(lineScan ?? stated, scan.axes[0], scan.plane.shape[1]!),
    isTyped: lineScan !== undefined,
  });
  return rows.map((row) => ({ ...about, ...row }));
}
