/** Measures recordings one after the other, each in a session of its own that is closed before the next one opens. */
import { formatTableUnit, titleAxes } from "../../../measure/axes.ts";
import { type Drawn, fitDrawn, mapMeasurements, summarizeDrawing, withoutResults } from "../drawing/drawn.ts";
import { selectBands } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import { listImageSources } from "../measuring/image_series.ts";
import { findShape, makeScan, placeInFile, type Scan, typedPlanes } from "../drawing/scan.ts";
import { identifyRecording } from "../opening/opening.ts";
import { identifyLocation, identifyWork } from "../opening/work_store.ts";
import { makeMember } from "../saving/documents.ts";
import { carryOver } from "../saving/restored.ts";
import { addToOwn, type Carried, carryTo } from "./carried.ts";
import { measureImages, measureLineScan, type What } from "./measurer.ts";
import type { Acquisition, ExportMember, PositionInfo } from "../../../client/v2/acq-client.ts";
import type { MeasuredPicture } from "../measuring/panel.ts";
import { chooseTyped, type TypedScan } from "../../../measure/typed_scan.ts";
import type { KeptRecording, KeptWork, Recalled, ShownState } from "../opening/kept_work.ts";
import type { Row } from "../../../measure/csv.ts";
import {
  type Compared,
  type ComparedPlace,
  formatValueWords,
  listCompared,
  listComparedInRow,
} from "../../../measure/over_recordings.ts";

/** A recording to measure. */
export interface Target {
  /** Name to be shown. */
  name: string;
  /** Name of its folder, or of the file whose scene it is. */
  folder: string;
  open: (signal: AbortSignal) => Promise<Acquisition>;
}

/** An order to measure recordings. */
export interface MeasureOrder {
  /** Regions and settings for recordings without work of their own. */
  carried: Carried;
  /** Drawings of the open recording. */
  drawn: Drawn;
  what: What;
  /** Whether recordings with work of their own are left out. */
  skipsOwn: boolean;
  /** Work of a recording. */
  recall: (acquisition: Acquisition) => Promise<Recalled | null>;
  work: Pick<KeptWork, "add">;
  signal: AbortSignal;
  /** Called before each recording. */
  onProgress: (done: number, name: string) => void;
}

/** What was measured in all recordings. */
export interface MeasuredRecordings {
  /** One for each band, and one with the reason for each recording that cannot be measured. */
  rows: Row[];
  /** The measured recordings, to be saved. */
  members: ExportMember[];
  /** What can be compared between recordings. */
  compared: Compared[];
  /** The open recording with its results, if it was measured. */
  open: Drawn | null;
}

/** Measures recordings until it is cancelled, and returns what was measured until then; `measured` counts them. */
export async function measureAll(
  targets: readonly Target[],
  run: MeasureOrder,
): Promise<MeasuredRecordings & { done: number }> {
  const { signal, onProgress } = run;
  const kept = new Set<string>();
  const all: MeasuredRecordings & { done: number } = {
    rows: [],
    members: [],
    compared: [],
    open: null,
    done: 0,
  };
  for (const [done, target] of targets.entries()) {
    if (signal.aborted) break;
    onProgress(done, target.name);
    const about: Row = { Folder: target.folder, File: target.name };
    try {
      const acquisition = await target.open(signal);
      try {
        const found = await measureOne(acquisition, about, { ...run, kept });
        all.rows.push(...found.rows.map((row) => ({ ...about, ...row })));
        all.members.push(...found.members);
        all.compared.push(...found.compared);
        all.open ??= found.open;
        all.done += 1;
      } finally {
        await acquisition.close().catch(() => {});
      }
    } catch (error) {
      if (signal.aborted) break;
      const { code, message } = error as Error & { code?: string };
      all.rows.push({ ...about, Error: message });
      // All further recordings would fail, too.
      if (code === "server_unreachable") break;
    }
  }
  return all;
}

/**
 * Measures one recording.
 *
 * @param about receives facts about the recording
 * @param run `kept` holds the keys of recordings whose work this run has stored
 * @throws {Error} it cannot be measured
 */
async function measureOne(
  acquisition: Acquisition,
  about: Row,
  run: MeasureOrder & { kept: Set<string> },
): Promise<MeasuredRecordings> {
  const { carried, drawn, what, signal } = run;
  const { info } = acquisition;
  const recording = identifyRecording(info);
  const key = identifyWork(recording);
  const place = {
    folder: about.Folder as string,
    recording: about.File as string,
    path: identifyLocation(recording),
  };
  const recalled = run.kept.has(key) ? null : await run.recall(acquisition);
  const position = { ...acquisition.position, ...(recalled?.isOther ? {} : recalled?.work.position) };
  const former = recalled?.work.look?.drawn;
  const typed = summarizeDrawing(former) === "" ? carried.typed : recalled?.work.look?.typed ?? null;
  Object.assign(about, { Path: recording.path, Fingerprint: recording.fingerprint ?? "" });
  const scan = await scanAt(acquisition, position, typed, signal);
  if (carried.drawn.isLineScan && !scan.isLineScan) {
    throw new RangeError("Not a line scan: its rows are not lines over time");
  }
  Object.assign(about, Object.fromEntries(scan.place()));
  if (scan.isLineScan) {
    about[`Duration (${formatTableUnit(scan.axes[0])})`] = findShape(scan)[0] * scan.axes[0].step;
  }
  const measure = (here: Drawn) =>
    scan.isLineScan
      ? measureLineScan(scan, here, what, signal)
      : measureImages(scan, fetchRecordingImages(acquisition, position), here, what, signal);
  const isOpen = carried.key === key;
  const own = isOpen ? drawn : findOwnWork(recalled, scan);
  if (own !== null) {
    about.Regions = "its own";
    if (run.skipsOwn && !isOpen) throw new RangeError("Left out: it has work of its own");
    const { rows, measured } = await measure(withSettings(own, carried, scan));
    const members = await makeMembers(acquisition, measured, position, typed);
    const compared = listComparedNow(place, rows, measured, what);
    return { rows, members, compared, open: isOpen ? measured.drawn : null };
  }
  about.Regions = `of ${carried.name}`;
  const fitted = carryTo(carried, scan);
  if (fitted.drawn === null) throw new RangeError(fitted.words);
  const { rows, measured } = await measure(addToOwn(fitted.drawn, former));
  const { drawn: found } = measured;
  const look = { drawn: found, summary: formatValueWords(measured.measurements), ...typed && { typed } };
  const shown = { look, position };
  const fault = run.kept.has(key) ? "" : await storeWork(run.work, recording, shown);
  run.kept.add(key);
  const Note = [fitted.words, fault].filter((text) => text !== "").join(" ");
  return {
    rows: rows.map((row) => ({ ...row, Note })),
    members: await makeMembers(acquisition, measured, position, typed),
    compared: listComparedNow(place, rows, measured, what),
    open: null,
  };
}

/** Images of a recording along its axes, beside a position. */
const fetchRecordingImages = (acquisition: Acquisition, position: Acquisition["position"]) =>
  listImageSources(
    acquisition.info,
    () => position,
    (channel, options) => acquisition.run(channel, options),
  );

/** What was measured now, of the bands in the rows. */
function listComparedNow(
  place: ComparedPlace,
  rows: readonly Row[],
  { drawn, scan, traced, measurements }: MeasuredPicture,
  what: What,
) {
  const all = scan.isLineScan
    ? [{ id: "", name: "whole lines" }, ...selectBands(drawn.regions)]
    : listMeasurableParts(drawn.regions);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const measured = new Set(rows.map(({ Band, Region }) => Band ?? Region));
  const ofItems = measurements.filter(({ measurement: { key } }) => what.has(key)).flatMap(
    ({ measurement: { title }, tables }) =>
      tables.flatMap(({ result: { of }, columns, quantities }) => {
        const region = names.get(of.band) ?? "";
        if (!traced.isLineScan || !measured.has(region)) return [];
        const channel = scan.group.channels[Number(of.channel)]?.name ?? "";
        return listCompared(place, { region, channel, measurement: title, columns, quantities });
      }),
  );
  return [...ofItems, ...rows.flatMap((row) => listComparedInRow(place, row))];
}

/**
 * The recording with its regions and analyses, none if the columns of the image are its lines. Without traces: these follow
 * from image and bands, and for many recordings they exceed what the server takes in one order.
 */
async function makeMembers(
  acquisition: Acquisition,
  shown: MeasuredPicture,
  position: PositionInfo,
  typed: TypedScan | null,
): Promise<ExportMember[]> {
  if (typed?.time === "columns") return [];
  const { path, scene, collection } = acquisition;
  const { drawn } = shown;
  const isAccepted = drawn.accepted ?? collection?.member.accepted ?? false;
  const look = typed === null ? {} : { typed };
  const member = makeMember({ drawn, shown, isKymograph: false, isAccepted, position, look });
  const analyses = member.analyses.filter(({ type }) => type !== "trace");
  return [{ path, scene, ...await carryOver({ ...member, analyses }, acquisition) }];
}

/** Planes of all channels at a position; those of an image as a line scan, if a calibration was typed. */
async function scanAt(
  acquisition: Acquisition,
  position: PositionInfo,
  typed: TypedScan | null,
  signal: AbortSignal,
): Promise<Scan> {
  const { info } = acquisition;
  const calibration = chooseTyped(info, typed);
  const planes = await acquisition.planes(null, { ...position, signal });
  const image = {
    plane: { ...info.plane, axes: titleAxes(info.plane.axes) },
    channels: planes.map(({ channel: { index, name }, samples }) => ({ index, name, samples })),
  };
  const { plane, channels } = calibration === null ? image : typedPlanes(image, calibration);
  // Display settings are missing, because nothing is drawn.
  const group = ({ plane, channels, shown: channels } as unknown) as Scan["group"];
  const place = () => placeInFile(info, position, calibration);
  const lineScan = info.lineScan ?? null;
  return makeScan({ group, file: info.source, lineScan, typed: calibration, place, note: "" });
}

/** The recording's own drawings, or null without any. */
function findOwnWork(recalled: Recalled | null, scan: Scan) {
  const drawn = recalled?.work.look?.drawn;
  if (recalled === null || summarizeDrawing(drawn) === "") return null;
  const own = fitDrawn(recalled.isOther ? withoutResults(drawn) : drawn, scan);
  if (own === null) throw new RangeError("Its own work was drawn in a picture of another size");
  return own;
}

/** Adds the carried settings for what was not measured in the recording. */
function withSettings(own: Drawn, carried: Carried, scan: Scan): Drawn {
  const { drawn } = carryTo({ ...carried, drawn: { ...carried.drawn, regions: own.regions } }, scan);
  const others = drawn?.measurements ?? {};
  return {
    ...own,
    traces: own.traces ?? carried.drawn.traces,
    ...!scan.isLineScan && {
      images: own.images ?? drawn?.images ?? null,
      projection: own.projection ?? drawn?.projection ?? null,
    },
    measurements: mapMeasurements(
      { ...others, ...own.measurements },
      (one, key) => one.results.length > 0 ? one : others[key] ?? one,
    ),
  };
}

/** Keeps the work. @returns why it is not kept; empty if it is */
async function storeWork(
  work: MeasureOrder["work"],
  recording: KeptRecording,
  shown: ShownState,
): Promise<string> {
  try {
    return await work.add(recording, shown) ? "" : "Not kept: another tab has it open.";
  } catch (error) {
    return (error as Error).name === "QuotaExceededError"
      ? "Not kept: the browser gives this page no more space."
      : "Not kept: the browser lets this page store nothing.";
  }
}
