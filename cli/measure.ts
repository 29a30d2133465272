/** The command `acq-server measure`: measures recordings by given settings into a table or a TIFF, without a server. */
import { isTime } from "../static/measure/axes.ts";
import { NEW_TRACE, PLAIN_TRACE } from "../static/measure/band_trace.ts";
import type { TraceSettings } from "../static/measure/baseline.ts";
import { type Column, columnsOf, csv, type Row } from "../static/measure/csv.ts";
import { type Part, partsOf, profileColumns } from "../static/measure/image_parts.ts";
import { Kymograph } from "../static/measure/kymograph.ts";
import { columnName, measured, type Settings } from "../static/measure/measurement.ts";
import { MEASUREMENTS } from "../static/measure/measurements.ts";
import { isTooNarrow, measureRegions } from "../static/measure/recording.ts";
import {
  measuredStack,
  type Over,
  positionWords,
  projectionWords,
  stackAxes,
  stackColumns,
  stackRows,
} from "../static/measure/stack.ts";
import { tiffOf } from "../static/measure/tiff.ts";
import { timeAlongLine, typedScan } from "../static/measure/typed_scan.ts";
import { sceneNames } from "../readers/metadata/channels.ts";
import { PlaneNotFound } from "../readers/errors.ts";
import { openResponse } from "../session/open_response.ts";
import type { PlaneBuffer } from "../session/plane_buffer.ts";
import type { Sessions } from "../session/sessions.ts";
import type { Session } from "../session/store.ts";
import { HELP, UsageError, type WritingCommand } from "./arguments.ts";
import { printable } from "./log.ts";
import { settingsIn, type ShellSettings, WRITTEN, type Written } from "./measure_settings.ts";
import { writeBytes } from "./output.ts";
import { EXIT, failureOf, indexIn, nameIn, orderOf, requireFile, sessionsOfShell } from "./shell.ts";

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
    { name: "--scene", value: "INDEX", help: "Measure only this scene [default: every scene]" },
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
    "A row for each recording, scene and band or region; what cannot be measured has a row that says why.",
    "Settings and columns: docs/measure.md#from-the-shell",
    "Exit status: 0 all were measured, 1 some were not, 2 wrong usage.",
  ],
  async run(given) {
    const write = nameIn(given, "--write", WRITTEN);
    const settings = await settingsIn(given, write);
    const scene = indexIn(given, "--scene");
    const sessions = sessionsOfShell();
    if (write === "projection" || write === "kymograph") {
      return await writeTiff(sessions, given.operands, scene, settings, write);
    }
    const rows: Row[] = [];
    let status: number = EXIT.ok;
    const fail = (about: Row, error: unknown) => {
      if (error instanceof UsageError) throw error;
      status = EXIT.failed;
      const said = error instanceof RangeError ? error.message : failureOf(error).message;
      rows.push({ ...about, Failure: said });
    };
    for (const path of given.operands) {
      try {
        const scenes = await scenesOf(sessions, path, scene);
        for (const { index, name } of scenes) {
          const about: Row = scenes.length > 1 || scene !== null ? { Scene: name } : {};
          try {
            const found = await measuredIn(sessions, path, index, settings, write) as Row[];
            rows.push(...found.map(({ File, Path, ...row }) => ({ File, Path, ...about, ...row }) as Row));
          } catch (error) {
            fail({ File: path, ...about }, error);
          }
        }
      } catch (error) {
        fail({ File: path }, error);
      }
    }
    const about = [["Settings", JSON.stringify(settings)]] as const;
    await writeBytes(new TextEncoder().encode(csv(about, columnsOf(rows))));
    return status;
  },
};

/** The wanted scene of a path, or all of its scenes. */
async function scenesOf(
  sessions: Sessions,
  path: string,
  wanted: number | null,
): Promise<readonly { readonly index: number; readonly name: string }[]> {
  const describe = (scene: number) =>
    sessions.opener.describe(orderOf({ path, scene, channelIndices: null }));
  const { summary: { sceneCount, scenes } } = await describe(wanted ?? 0).catch(async (error: unknown) => {
    // Another scene lists them, too, if the first one is damaged.
    const other = wanted === null ? await describe(1).catch(() => null) : null;
    if (other === null) throw error;
    return other;
  });
  const names = sceneNames(scenes.map(({ name }) => name));
  const indices = wanted === null ? Array.from({ length: sceneCount }, (_, i) => i) : [wanted];
  return indices.map((index) => ({ index, name: names[index] ?? `Scene ${index + 1}` }));
}

async function writeTiff(
  sessions: Sessions,
  paths: readonly string[],
  scene: number | null,
  settings: ShellSettings,
  write: Written,
): Promise<number> {
  const [path, ...more] = paths;
  if (path === undefined || more.length > 0) {
    throw new UsageError(`--write ${write} takes one path, not ${paths.length}`);
  }
  requireFile("a TIFF", "FILE.tif");
  try {
    await writeBytes(await measuredIn(sessions, path, scene, settings, write) as Uint8Array);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(printable(`Cannot measure "${path}": ${error.message}`));
    return EXIT.failed;
  }
}

/** An acquisition with one loaded channel. */
interface Opened {
  readonly sessions: Sessions;
  readonly session: Session;
  readonly info: ReturnType<typeof openResponse>;
  /** Samples of the channel at the opened position. */
  readonly samples: Float32Array;
}

/** Rows of a table, or a TIFF. @param scene `null` for the one that the file belongs to */
export async function measuredIn(
  sessions: Sessions,
  path: string,
  scene: number | null,
  settings: ShellSettings,
  write: Written,
): Promise<Row[] | Uint8Array> {
  const { channel, lineScan, regions, kymograph, images, projection } = settings;
  const session = await sessions.opener.open(orderOf({ path, scene, channelIndices: [channel] }));
  try {
    const info = openResponse(session);
    const opened = {
      sessions,
      session,
      info,
      samples: await samplesOf(sessions.store.channel(session.id, channel)),
    };
    const isImage = write !== "summary" ||
      lineScan === undefined && !isTime(info.plane.axes[0]) &&
        (regions ?? kymograph ?? images ?? projection ?? null) !== null;
    return isImage ? await measuredImages(opened, settings, write) : await measuredLines(opened, settings);
  } finally {
    sessions.store.delete(session.id);
  }
}

/** A row for each band. @throws {RangeError} it is no line scan, or a band or setting does not fit */
async function measuredLines({ info, samples }: Opened, settings: ShellSettings): Promise<Row[]> {
  const { lineScan, bands = [] } = settings;
  const { plane: { shape, axes: stated }, source, channels } = info;
  const { plane, axes } = lineScan === undefined
    ? { plane: { samples, shape }, axes: stated }
    : typedScan({ samples, shape }, lineScan);
  const [time, position] = axes;
  if (!isTime(time)) throw new RangeError("Not a line scan: its rows are not lines over time");
  const [lines, width] = plane.shape;
  const about = {
    File: source.name,
    Path: source.path,
    Channel: channels[0]!.name,
    Calibration: lineScan === undefined ? "by the file" : "typed",
    Lines: lines,
    "Time per line": time.step,
    "Time unit": time.unit,
    "Distance per column": position.step,
    "Distance unit": position.unit,
  };
  // Settings that name no method of F₀ were written before it could be chosen automatically.
  const trace = settings.traces === undefined
    ? NEW_TRACE
    : { ...PLAIN_TRACE, ...settings.traces } as TraceSettings;
  const pixelTime = timeAlongLine(lineScan ?? info.lineScan, time, width);
  const recording = {
    shape: plane.shape,
    axes,
    channels: [{ name: channels[0]!.name, samples: plane.samples }],
    pixelTime,
    isTyped: lineScan !== undefined,
  };
  const given: Record<string, unknown> = settings;
  const wanted = MEASUREMENTS.flatMap(({ key, isUsual = false }) => {
    const chosen = given[key] === undefined && isUsual ? {} : given[key] ?? null;
    return chosen === null ? [] : [[key, { channel: 0, settings: chosen as Settings }] as const];
  });
  for (const { name, from, to } of bands) {
    if (from >= 0 && from < to && to <= width) continue;
    throw new RangeError(`Band ${name} has columns ${from} to ${to}; the recording has ${width}`);
  }
  const { rows } = await measureRegions(measured, recording, {
    regions: bands.map(({ name, from, to }, i) => ({ id: String(i + 1), name, columns: [from, to] })),
    measurements: MEASUREMENTS,
    wanted: Object.fromEntries(wanted),
    trace,
  });
  return rows.map(({ region, row, refusals: [refusal] }) => {
    // A band of a cell is often too narrow for velocities, which are measured in every band by default.
    if (refusal !== undefined && !isTooNarrow(region)) throw new RangeError(refusal.fault);
    return { ...about, ...row };
  });
}

/** @throws {RangeError} it is a line scan, lacks an axis or a line, or a rectangle does not lie in it */
async function measuredImages(
  opened: Opened,
  settings: ShellSettings,
  write: Written,
): Promise<Row[] | Uint8Array> {
  const { info: { plane, source, header, position }, samples } = opened;
  const { index, name } = opened.info.channels[0]!;
  const { kymograph: line = null, images = null, projection = null } = settings;
  if (isTime(plane.axes[0])) throw new RangeError("Not an image: its rows are lines over time");
  const parts = partsOf(settings);
  for (const part of parts) requireInside(part, plane.shape);
  const along = stackAxes(opened.info);
  if (write === "kymograph" && line !== null) {
    const time = along.get("T");
    if (time === undefined) throw new RangeError("It has one image over time");
    const series = { plane, channels: [{ index, name }], count: time.count, time: time.axis };
    const made = new Kymograph(series, line.points, line.width);
    await eachImage(opened, "T", time.count, ([image], t) => image && made.take(0, t, image));
    return tiffOf(
      made.samples[0]!,
      made.plane.shape,
      made.plane.axes,
      `kymograph of ${source.name}, ${name}`,
    );
  }
  const order = { plane, channels: [name], along, parts, over: images?.axis ?? null, projection };
  const found = await measuredStack(order, (axis, count, take) => eachImage(opened, axis, count, take));
  const image = found.projected?.[0] ?? samples;
  if (write === "projection" && projection !== null) {
    const at = positionWords({ ...header.sizes, [projection.axis]: 1 }, position).map((words) =>
      words.join(" ")
    );
    const note = [`${projectionWords(projection)} of ${source.name}`, name, ...at].join(", ");
    return tiffOf(image, plane.shape, plane.axes, note);
  }
  const about = {
    File: source.name,
    Path: source.path,
    ...Object.fromEntries(positionWords({ ...header.sizes, ...images && { [images.axis]: 1 } }, position)),
    "Distance per row": plane.axes[0].step,
    "Distance per column": plane.axes[1].step,
    "Distance unit": plane.axes[1].unit,
  };
  if (write === "summary") return stackRows(order, found, [image]).map((row) => ({ ...about, ...row }));
  const rowsOf = (columns: readonly Column[], first: Row) =>
    Array.from({ length: columns[0]!.values.length }, (_, i) => ({
      ...about,
      ...first,
      ...Object.fromEntries(columns.map((column) => [columnName(column), column.values[i]!])),
    }));
  if (write === "profile") {
    return rowsOf(profileColumns(line!, plane, [{ name: "Value", samples: image }]), {
      Channel: name,
      ...projection && { Projection: projectionWords(projection) },
    });
  }
  const { axis } = along.get(images!.axis)!;
  return parts.flatMap(({ name: Region }, i) =>
    rowsOf(stackColumns(axis, [{ name: "Mean", values: found.means![i]![0]! }]), { Region, Channel: name })
  );
}

function requireInside({ name, place }: Part, [rows, columns]: readonly [number, number]): void {
  if (place === null || "points" in place) return;
  const { start: [left = 0, top = 0], stop: [right = 0, bottom = 0] } = place;
  if (left >= 0 && top >= 0 && left < right && top < bottom && right <= columns && bottom <= rows) return;
  throw new RangeError(
    `Rectangle "${name}" reaches from column ${left}, row ${top} to column ${right}, row ${bottom}; the image has ${columns} columns and ${rows} rows`,
  );
}

/** Takes each image along an axis, with the other axes at the opened position; `null` for an image that was not recorded. */
async function eachImage(
  { sessions, session, info }: Opened,
  axis: Over,
  count: number,
  take: (images: (Float32Array | null)[], index: number) => void,
): Promise<void> {
  const { signal } = new AbortController();
  const channel = info.channels[0]!.index;
  for (let i = 0; i < count; i += 1) {
    const position = { ...info.position, [axis.toLowerCase()]: i };
    try {
      const leased = await sessions.positions.plane({ session, channel, position }, null, signal);
      using _lease = { [Symbol.dispose]: leased.endLease };
      take([await samplesOf(leased.plane)], i);
    } catch (error) {
      if (!(error instanceof PlaneNotFound)) throw error;
      take([null], i);
    }
  }
}

/** The samples of a plane. */
async function samplesOf(plane: PlaneBuffer): Promise<Float32Array> {
  const { body } = plane.stream(0, plane.byteLength, () => {});
  return new Float32Array(await new Response(body).arrayBuffer());
}
