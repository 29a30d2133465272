/** The command `acq-server measure`: measures recordings by given settings into a table or a TIFF, without a server. */
import { basename } from "node:path";
import {
  type Column,
  type DecimalSign,
  type Row,
  SEPARATORS,
  writeCompanion,
  writeCsv,
} from "../static/measure/csv.ts";
import { joinTables, makeRecordingColumns, prependPlace } from "../static/measure/result_tables.ts";
import { type NamedText, streamZipParts } from "../static/measure/zip.ts";
import { nameScenesApart } from "../readers/metadata/channels.ts";
import { quoted } from "../readers/errors.ts";
import { LoadTimeout, SessionMemoryExceeded } from "../session/errors.ts";
import type { Sessions } from "../session/sessions.ts";
import { type Given, HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { CHANNEL_HELP, findChannelIndex, openChannels, requireChannelIndex } from "./channel_choice.ts";
import { escapeControls } from "./log.ts";
import { findRecordings, formatNounCount } from "./measure_paths.ts";
import {
  type MeasuredScene,
  measureScene,
  type RecordingScene,
  withOpened,
  writeMeasuredPicture,
  type WrittenPicture,
} from "./measured_tables.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import { readShellSettings, readWritten, type ShellSettings } from "./measure_settings.ts";
import { doInTurn, startMeasureWorkers } from "./measure_workers.ts";
import { writeBytes } from "./output.ts";
import { showProgressLine } from "./progress.ts";
import {
  describeFailure,
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

const MEASURED_KEYS = MEASUREMENTS.map(({ key }) => key).join(", ");

/** Measures recordings. Exit status: 0 all were measured, 1 some were not. */
export const MEASURE: WritingCommand = {
  about: "Measure line scans and images into tables of comma-separated values",
  usage: [
    "acq-server measure [OPTIONS] <PATH>... > table.csv",
    "acq-server measure [OPTIONS] --write velocity,events <PATH>... > tables.zip",
  ],
  lists: {
    Arguments: [["<PATH>...", "Files or folders to measure; a folder of recordings is a list of them"]],
  },
  flags: [
    {
      name: "--settings",
      value: "FILE",
      help: "What to measure where, as JSON [default: whole lines]",
    },
    {
      name: "--channel",
      value: "NAME",
      help: `${CHANNEL_HELP}; all measures each [default: that of the settings, else 0]`,
    },
    { name: "--scene", value: "INDEX", help: "Measure only this scene [default: every scene]" },
    { name: "--over", value: "AXIS", help: "Measure images over t (time) or z (focus)" },
    {
      name: "--projection",
      value: "KIND",
      help: "Measure their max or mean, too; without --over along the only axis",
    },
    {
      name: "--write",
      value: "LIST",
      help:
        `summary, traces, ${MEASURED_KEYS}, means (of each image) or profile (of a line); several make a ZIP; or a projection or kymograph as TIFF [default: summary]`,
    },
    { name: "--zip", help: "Write a ZIP also for one table, with its settings as JSON" },
    {
      name: "--decimal",
      value: "SIGN",
      help: "point, or comma with cells separated by ; [default: point]",
    },
    { name: "--jobs", value: "N", help: "Recordings to measure at the same time [default: 1]" },
    LOAD_TIMEOUT,
    { name: "--quiet", short: "q", help: "Write no progress to standard error" },
    HELP,
  ],
  notes: [
    "summary has a row for each recording, scene and band or region; what cannot be measured has a row that says why.",
    "Settings and columns: docs/measure.md#from-the-shell",
    "Exit status: 0 all were measured, 1 some were not, 2 wrong usage, 130 stopped by Ctrl+C.",
  ],
  async run(given) {
    const write = readWritten(given);
    const settings = await readShellSettings(given, write);
    const scene = readIndexFlag(given, "--scene");
    const decimal = nameIn(given, "--decimal", Object.keys(SEPARATORS) as DecimalSign[]);
    const jobs = readJobs(given);
    const sessions = openShellSessions(readLoadTimeout(given));
    const named = given.flags.get("--channel");
    if ("picture" in write) {
      return await writeTiff(sessions, given.operands, { scene, named }, settings, write.picture);
    }
    const { tables } = write;
    const isZip = tables.length > 1 || given.flags.has("--zip");
    if (isZip) requireFile("a ZIP", "FILE.zip");
    const asked: AskedTables = {
      sessions,
      settings,
      tables,
      scene,
      named,
      jobs,
      isQuiet: given.flags.has("--quiet"),
    };
    const progress = { done: 0, count: 0 };
    using _stop = stopOnInterrupt(() =>
      `Stopped after ${progress.done} of ${formatNounCount(progress.count, "recording")}`
    );
    const { paths, isList } = await findAllRecordings(asked, given.operands);
    const scenes = (await doInTurn(paths, jobs, (path) => listScenes(asked, path))).flat();
    const results = await measureScenes(asked, scenes, progress);
    // The summary has them as rows.
    if (!tables.includes("summary")) reportFailures(results);
    sayOwnScans(results);
    if (isList) {
      say(asked, `${countMeasured(results)} of ${formatNounCount(results.length, "recording")} measured`);
    }
    const joined = tables.map((name) => ({ name, columns: joinRecordings(results, name) }));
    if (countMeasured(results) > 0) reportEmptyTables(asked, joined);
    if (isZip) await writeZip(joined, results, settings, decimal);
    else {for (const { columns } of joined) {
        await writeBytes(new TextEncoder().encode(writeCsv(columns, decimal)));
      }}
    const isWhole = results.every(({ fault, remarks = [] }) => fault === undefined && remarks.length === 0);
    return isWhole ? EXIT.ok : EXIT.failed;
  },
};

/** What the tables are made of, by the arguments. */
interface AskedTables {
  readonly sessions: Sessions;
  readonly settings: ShellSettings;
  readonly tables: readonly string[];
  /** Index of the only scene to measure; `null` for all. */
  readonly scene: number | null;
  /** Name of the channel, `all`, or `undefined` for the one in the settings. */
  readonly named: string | undefined;
  /** Recordings to measure at the same time. */
  readonly jobs: number;
  readonly isQuiet: boolean;
}

/** Writes a line to standard error, unless `--quiet` is given. */
function say({ isQuiet }: AskedTables, text: string): void {
  if (!isQuiet) console.error(escapeControls(text));
}

/** Makes a row that says why a recording was not measured. @throws {UsageError} the error is one of usage */
function explainUnmeasured(recording: string, error: unknown, about: Row = {}): MeasuredScene {
  if (error instanceof UsageError) throw error;
  const fault = error instanceof RangeError ? error.message : describeFailure(error).message;
  const row = { File: basename(recording), Path: recording, ...about, Failure: fault };
  return { recording, rows: [row], tables: {}, fault };
}

/** Finds the recordings of all operands; an operand that cannot be read stands for itself, with its fault. */
async function findAllRecordings(
  asked: AskedTables,
  operands: readonly string[],
): Promise<{ paths: (string | MeasuredScene)[]; isList: boolean }> {
  const paths: (string | MeasuredScene)[] = [];
  let isList = false;
  for (const operand of operands) {
    try {
      const found = await findRecordings(asked.sessions, operand);
      isList ||= found.notes.length > 0;
      for (const note of found.notes) say(asked, note);
      paths.push(...found.paths);
    } catch (error) {
      paths.push(explainUnmeasured(operand, error));
    }
  }
  return { paths, isList };
}

/** Lists what to measure in a recording: each scene, once for each wanted channel. */
async function listScenes(
  { sessions, scene, named }: AskedTables,
  path: string | MeasuredScene,
): Promise<readonly (RecordingScene | MeasuredScene)[]> {
  if (typeof path !== "string") return [path];
  try {
    const found = await listScenesToMeasure(sessions, path, scene);
    const scenes = found.map((one) => ({ path, ...one }));
    if (named === undefined) return scenes;
    return (await doInTurn(scenes, 1, (one) => listWantedChannels(sessions, one, named))).flat();
  } catch (error) {
    return [explainUnmeasured(path, error)];
  }
}

/** The scene once for each channel that `--channel` names. */
async function listWantedChannels(
  sessions: Sessions,
  scene: RecordingScene,
  named: string,
): Promise<readonly (RecordingScene | MeasuredScene)[]> {
  try {
    return (await findNamedChannels(sessions, scene, named)).map((channel) => ({ ...scene, channel }));
  } catch (error) {
    return [explainUnmeasuredScene(scene, error)];
  }
}

const explainUnmeasuredScene = ({ path, name, isOnly }: RecordingScene, error: unknown): MeasuredScene =>
  explainUnmeasured(path, error, isOnly ? {} : { Scene: name });

/** Measures all scenes, some at the same time; those for which memory was short then, again alone. */
async function measureScenes(
  { sessions, settings, tables, jobs, isQuiet }: AskedTables,
  scenes: readonly (RecordingScene | MeasuredScene)[],
  progress: { done: number; count: number },
): Promise<MeasuredScene[]> {
  progress.count = scenes.length;
  // Also one recording is measured in a worker: this thread must notice Ctrl+C.
  using workers = startMeasureWorkers(jobs);
  const show = showProgressLine(isQuiet || !Deno.stderr.isTerminal());
  const measure = async (one: RecordingScene | MeasuredScene) => {
    if ("rows" in one) return { result: one, isShort: false };
    try {
      return {
        result: await measureScene(sessions, one, settings, tables, (...order) => workers.measure(...order)),
        isShort: false,
      };
    } catch (error) {
      return { result: explainUnmeasuredScene(one, error), isShort: error instanceof SessionMemoryExceeded };
    }
  };
  const first = await doInTurn(scenes, jobs, async (one) => {
    const found = await measure(one);
    progress.done += 1;
    show(`${progress.done} of ${progress.count} measured`, progress.done === progress.count);
    return { one, ...found };
  });
  const results: MeasuredScene[] = [];
  for (const { one, result, isShort } of first) {
    // Recordings that are measured at the same time share the memory.
    results.push(isShort && jobs > 1 ? (await measure(one)).result : result);
  }
  return results;
}

const countMeasured = (results: readonly MeasuredScene[]): number =>
  results.filter(({ fault }) => fault === undefined).length;

/** Says what was not measured, and why. */
function reportFailures(results: readonly MeasuredScene[]): void {
  for (const { recording, rows: [row], fault } of results) {
    if (fault === undefined) continue;
    const scene = row?.["Scene"] === undefined ? "" : `, ${row["Scene"]}`;
    console.error(escapeControls(`Cannot measure "${recording}"${scene}: ${fault}`));
  }
  for (const { recording, remarks = [] } of results) {
    for (const remark of remarks) console.error(escapeControls(`"${recording}": ${remark}`));
  }
}

/** Says which tables have no row. */
function reportEmptyTables(
  { named, settings }: AskedTables,
  tables: readonly { readonly name: string; readonly columns: readonly Column[] }[],
): void {
  const isDefault = named === undefined && settings.channel === 0;
  const other = isDefault ? "; --channel measures another channel than the first" : "";
  for (const { name, columns } of tables) {
    if (columns.some(({ values }) => values.length > 0)) continue;
    console.error(escapeControls(`The table "${name}" has no row${other}`));
  }
}

/** The channels of a scene that `--channel` names. @throws {ChannelOutOfRange} */
async function findNamedChannels(
  sessions: Sessions,
  { path, index }: RecordingScene,
  named: string,
): Promise<number[]> {
  const channels = await openChannels(sessions, path, index);
  if (named === "all" && !channels.some(({ name }) => name === "all")) {
    return channels.map((channel) => channel.index);
  }
  return [findChannelIndex(named, channels, basename(path))];
}

/** Says in one line which files state a calibration of their own, which counts. */
function sayOwnScans(results: readonly MeasuredScene[]): void {
  const [first, ...more] = results.filter(({ isOwnScan }) => isOwnScan);
  if (first === undefined) return;
  const others = more.length > 0 ? ` and ${formatNounCount(more.length, "other recording")}` : "";
  console.error(
    escapeControls(
      `"${first.recording}"${others}: the file's own calibration counts, not "lineScan" of the settings; ` +
        '"replace": true in it overrides',
    ),
  );
}

/** The number of recordings to measure at the same time, at most one per core. @throws {UsageError} */
function readJobs({ flags }: Given): number {
  const text = flags.get("--jobs") ?? "1";
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--jobs takes a number from 1, not ${quoted(text)}`);
  return Math.min(Number(text), navigator.hardwareConcurrency);
}

/** On Ctrl+C, says how far the work is and ends the process; nothing was written then. */
function stopOnInterrupt(words: () => string): Disposable {
  const stop = () => {
    console.error(`${Deno.stderr.isTerminal() ? "\n" : ""}${words()}; nothing was written`);
    Deno.exit(EXIT.interrupted);
  };
  Deno.addSignalListener("SIGINT", stop);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGINT", stop) };
}

/** A table of all recordings. */
const joinRecordings = (results: readonly MeasuredScene[], name: string): Column[] =>
  name === "summary"
    ? makeRecordingColumns(results.flatMap(({ rows }) => rows))
    : joinTables(results.flatMap(({ tables, place }) => {
      const columns = tables[name];
      return columns === undefined || place === undefined ? [] : [prependPlace(place, columns)];
    }));

/** Writes tables, each with its settings in a JSON file of the same name. */
async function writeZip(
  tables: readonly { name: string; columns: readonly Column[] }[],
  results: readonly MeasuredScene[],
  settings: ShellSettings,
  decimal: DecimalSign,
): Promise<void> {
  const texts = tables.flatMap(({ name, columns }): NamedText[] => {
    const recordings = results.map(({ recording, place, about, settings, fault }) => ({
      recording: place?.recording ?? recording,
      ...place && { scene: place.scene },
      ...about,
      ...settings?.[name] !== undefined && { results: settings[name] },
      ...fault !== undefined && { failure: fault },
    }));
    const known = { program: `acq-server ${VERSION}`, settings, recordings };
    return [
      [`${name}.csv`, writeCsv(columns, decimal)],
      [`${name}.json`, writeCompanion(`${name}.csv`, columns, decimal, known)],
    ];
  });
  const entries = texts.map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) }));
  for await (const part of streamZipParts(entries)) await writeBytes(part);
}

/** The wanted scene of a path, or all of its scenes. */
async function listScenesToMeasure(
  sessions: Sessions,
  path: string,
  wanted: number | null,
): Promise<readonly Omit<RecordingScene, "path">[]> {
  const describe = (scene: number) =>
    sessions.opener.describe(makeOpenOrder({ path, scene, channelIndices: null }));
  const { summary: { sceneCount, scenes } } = await describe(wanted ?? 0).catch(async (error: unknown) => {
    // Another scene lists them, too, if the first one is damaged. A file that does not end would keep another worker.
    const other = wanted === null && !(error instanceof LoadTimeout)
      ? await describe(1).catch(() => null)
      : null;
    if (other === null) throw error;
    return other;
  });
  const names = nameScenesApart(scenes.map(({ name }) => name));
  const indices = wanted === null ? Array.from({ length: sceneCount }, (_, i) => i) : [wanted];
  return indices.map((index) => ({
    index,
    name: names[index] ?? `Scene ${index + 1}`,
    isOnly: sceneCount < 2,
  }));
}

async function writeTiff(
  sessions: Sessions,
  paths: readonly string[],
  { scene, named }: { readonly scene: number | null; readonly named: string | undefined },
  settings: ShellSettings,
  picture: WrittenPicture,
): Promise<number> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) {
    throw new UsageError(`--write ${picture} takes one path, not ${paths.length}`);
  }
  requireFile("a TIFF", "FILE.tif");
  const channel = named === undefined
    ? settings.channel
    : await requireChannelIndex(sessions, path, scene, named);
  try {
    await writeBytes(
      await withOpened(
        sessions,
        path,
        scene,
        { channel },
        (opened) => writeMeasuredPicture(opened, settings, picture),
      ),
    );
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(escapeControls(`Cannot measure "${path}": ${error.message}`));
    return EXIT.failed;
  }
}
