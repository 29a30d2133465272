/** Measures recordings one after the other, each in a session of its own that is closed before the next one opens. */
import { tableUnit, titled } from "../../../measure/axes.js";
import { drawingWords, drawnIn, mapped, withoutResults } from "../measuring/drawn.js";
import { sourcesOf } from "../measuring/image_series.js";
import { isPlainImage, placeInFile, scanOf, shapeOf, typedPlanes } from "../measuring/scan.js";
import { recordingOf } from "../opening/opening.js";
import { keyOf } from "../opening/work_store.js";
import { memberOf } from "../saving/documents.js";
import { carriedOver } from "../saving/restored.js";
import { besideOwn, carriedTo } from "./carried.js";
import { Measurer } from "./measurer.js";

/** @import { Acquisition, ExportMember, PositionInfo } from "../../../client/v2/acq-client.d.ts" */
/** @import { Drawn } from "../measuring/drawn.js" */
/** @import { Measured } from "../measuring/panel.js" */
/** @import { Scan } from "../measuring/scan.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { KeptWork, Recalled, Recording, Shown } from "../opening/kept_work.js" */
/** @import { Carried } from "./carried.js" */
/** @import { Row } from "../../../measure/csv.js" */
/** @import { What } from "./measurer.js" */

/**
 * @typedef {object} Target a recording to measure
 * @property {string} name to be shown
 * @property {(signal: AbortSignal) => Promise<Acquisition>} open
 *
 * @typedef {object} Run
 * @property {Carried} carried regions and settings for recordings without work of their own
 * @property {Drawn} drawn of the open recording
 * @property {What} what
 * @property {boolean} skipsOwn leaves out recordings with work of their own
 * @property {(acquisition: Acquisition) => Promise<Recalled | null>} recall work of a recording
 * @property {Pick<KeptWork, "add">} work
 * @property {AbortSignal} signal
 * @property {(done: number, name: string) => void} onProgress called before each recording
 *
 * @typedef {object} Found
 * @property {Row[]} rows one for each band, and one with the reason for each recording that cannot be measured
 * @property {ExportMember[]} members the measured recordings, to be saved
 * @property {Drawn | null} open the open recording with its results, if it was measured
 */

/**
 * Measures recordings until it is cancelled; returns what was measured until then, in `measured` recordings.
 *
 * @type {(targets: readonly Target[], run: Run) => Promise<Found & {measured: number}>}
 */
export async function measureAll(targets, run) {
  const { signal, onProgress } = run;
  const measurer = new Measurer();
  const kept = new Set();
  /** @type {Found & {measured: number}} */
  const all = { rows: [], members: [], open: null, measured: 0 };
  for (const [done, target] of targets.entries()) {
    if (signal.aborted) break;
    onProgress(done, target.name);
    /** @type {Row} */
    const about = { File: target.name };
    try {
      const acquisition = await target.open(signal);
      try {
        const found = await measureOne(acquisition, about, measurer, { ...run, kept });
        all.rows.push(...found.rows.map((row) => ({ ...about, ...row })));
        all.members.push(...found.members);
        all.open ??= found.open;
        all.measured += 1;
      } finally {
        await acquisition.close().catch(() => {});
      }
    } catch (error) {
      if (signal.aborted) break;
      const { code, message } = /** @type {Error & {code?: string}} */ (error);
      all.rows.push({ ...about, Error: message });
      // All further recordings would fail, too.
      if (code === "server_unreachable") break;
    }
  }
  return all;
}

/**
 * @param {Acquisition} acquisition
 * @param {Row} about receives facts about the recording
 * @param {Measurer} measurer
 * @param {Run & {kept: Set<string>}} run `kept` holds the keys of recordings whose work this run has stored
 * @returns {Promise<Found>}
 * @throws {Error} it cannot be measured
 */
async function measureOne(acquisition, about, measurer, run) {
  const { carried, drawn, what, signal } = run;
  const { info } = acquisition;
  const recording = recordingOf(info);
  const key = keyOf(recording);
  const recalled = run.kept.has(key) ? null : await run.recall(acquisition);
  const position = { ...acquisition.position, ...(recalled?.isOther ? {} : recalled?.work.position) };
  const former = recalled?.work.look?.drawn;
  const typed = drawingWords(former) === "" ? carried.typed : recalled?.work.look.typed ?? null;
  Object.assign(about, { Path: recording.path, Fingerprint: recording.fingerprint ?? "" });
  const scan = await scanAt(acquisition, position, typed, signal);
  if (carried.drawn.isLineScan && !scan.isLineScan) {
    throw new RangeError("Not a line scan: its rows are not lines over time");
  }
  Object.assign(about, Object.fromEntries(scan.place()));
  if (scan.isLineScan) about[`Duration (${tableUnit(scan.axes[0])})`] = shapeOf(scan)[0] * scan.axes[0].step;
  const sources = sourcesOf(
    info,
    () => position,
    async (place, signal) =>
      (await acquisition.planes(null, { ...place, signal })).map(({ samples }) => samples),
  );
  const measure = (/** @type {Drawn} */ here) =>
    scan.isLineScan
      ? measurer.measure(scan, here, what, signal)
      : measurer.measureImages(scan, sources, here, signal);
  const isOpen = carried.key === key;
  const own = isOpen ? drawn : ownWork(recalled, scan);
  if (own !== null) {
    about.Regions = "its own";
    if (run.skipsOwn && !isOpen) throw new RangeError("Left out: it has work of its own");
    const { rows, measured } = await measure(withSettings(own, carried, scan));
    const members = await membersFor(acquisition, measured, position, typed);
    return { rows, members, open: isOpen ? measured.drawn : null };
  }
  about.Regions = `of ${carried.name}`;
  const fitted = carriedTo(carried, scan);
  if (fitted.drawn === null) throw new RangeError(fitted.words);
  const { rows, measured } = await measure(besideOwn(fitted.drawn, former));
  const shown = { look: { drawn: measured.drawn, ...typed && { typed } }, position };
  const fault = run.kept.has(key) ? "" : await keep(run.work, recording, shown);
  run.kept.add(key);
  const Note = [fitted.words, fault].filter((text) => text !== "").join(" ");
  return {
    rows: rows.map((row) => ({ ...row, Note })),
    members: await membersFor(acquisition, measured, position, typed),
    open: null,
  };
}

/**
 * The recording with its regions and analyses, none if the columns of the image are its lines. Without traces: these follow
 * from image and bands, and for many recordings they exceed what the server takes in one order.
 *
 * @type {(acquisition: Acquisition, shown: Measured, position: PositionInfo, typed: TypedScan | null) => Promise<ExportMember[]>}
 */
async function membersFor(acquisition, shown, position, typed) {
  if (typed?.time === "columns") return [];
  const { path, scene, collection } = acquisition;
  const { drawn } = shown;
  const isAccepted = drawn.accepted ?? collection?.member.accepted ?? false;
  const look = typed === null ? {} : { typed };
  const member = memberOf({ drawn, shown, isKymograph: false, isAccepted, position, look });
  const analyses = member.analyses.filter(({ type }) => type !== "trace");
  return [{ path, scene, ...await carriedOver({ ...member, analyses }, acquisition) }];
}

/**
 * Planes of all channels at a position; those of an image as a line scan, if a calibration was typed.
 *
 * @type {(acquisition: Acquisition, position: PositionInfo, typed: TypedScan | null, signal: AbortSignal) => Promise<Scan>}
 */
async function scanAt(acquisition, position, typed, signal) {
  const { info } = acquisition;
  const calibration = isPlainImage(info) ? typed : null;
  const planes = await acquisition.planes(null, { ...position, signal });
  const image = {
    plane: { ...info.plane, axes: titled(info.plane.axes) },
    channels: planes.map(({ channel: { index, name }, samples }) => ({ index, name, samples })),
  };
  const { plane, channels } = calibration === null ? image : typedPlanes(image, calibration);
  // Display settings are missing, because nothing is drawn.
  const group = /** @type {Scan["group"]} */ (/** @type {unknown} */ ({ plane, channels, shown: channels }));
  const place = () => placeInFile(info, position, calibration);
  const lineScan = info.lineScan ?? null;
  return scanOf({ group, file: info.source, lineScan, typed: calibration, place, note: "" });
}

/** The recording's own drawings, or null without any. @param {Recalled | null} recalled @param {Scan} scan */
function ownWork(recalled, scan) {
  const drawn = recalled?.work.look?.drawn;
  if (recalled === null || drawingWords(drawn) === "") return null;
  const own = drawnIn(recalled.isOther ? withoutResults(drawn) : drawn, scan);
  if (own === null) throw new RangeError("Its own work was drawn in a picture of another size");
  return own;
}

/** Adds the carried settings for what was not measured in the recording. @param {Drawn} own @param {Carried} carried @param {Scan} scan @returns {Drawn} */
function withSettings(own, carried, scan) {
  const { drawn } = carriedTo({ ...carried, drawn: { ...carried.drawn, bands: own.bands } }, scan);
  const others = drawn?.measured ?? {};
  return {
    ...own,
    traces: own.traces ?? carried.drawn.traces,
    ...!scan.isLineScan && {
      images: own.images ?? drawn?.images ?? null,
      projection: own.projection ?? drawn?.projection ?? null,
    },
    measured: mapped(
      { ...others, ...own.measured },
      (one, key) => one.found.length > 0 ? one : others[key] ?? one,
    ),
  };
}

/** Keeps the work. @param {Run["work"]} work @param {Recording} recording @param {Shown} shown @returns {Promise<string>} why it is not kept; empty if it is */
async function keep(work, recording, shown) {
  try {
    return await work.add(recording, shown) ? "" : "Not kept: another tab has it open.";
  } catch (error) {
    return /** @type {Error} */ (error).name === "QuotaExceededError"
      ? "Not kept: the browser gives this page no more space."
      : "Not kept: the browser lets this page store nothing.";
  }
}
