/**
 * Turns what was measured in a recording into a member of `POST /api/v2/export`. `docs/measurements.md` describes types,
 * parameters and columns.
 *
 * @typedef {object} Recorded a recording with what was measured in it
 * @property {Drawn} drawn in its images
 * @property {Measured} shown in the shown picture: the image, or a kymograph of it
 * @property {boolean} isKymograph
 * @property {boolean} isAccepted
 * @property {{t: number, z: number, l: number}} position of the shown image
 * @property {{typed?: TypedScan}} look of the images, without drawings
 */
import { tableUnit } from "../../../measure/axes.js";
import { table } from "../../../measure/csv.js";
import { unitOf } from "../../../measure/measurement.js";
import { projectionWords } from "../../../measure/stack.js";
import { LINE_ID } from "../../../measure/image_parts.js";
import { mapped } from "../measuring/drawn.js";
import { shapeOf } from "../measuring/scan.js";
import { bandRegionId, OWN, regionsOf } from "./regions.js";

/** @import { Column } from "../../../measure/csv.js" */
/** @import { Measurement } from "../../../measure/measurement.js" */
/** @import { Drawn, KeptMeasurement } from "../measuring/drawn.js" */
/** @import { Measured } from "../measuring/panel.js" */
/** @import { TypedScan } from "../../../measure/typed_scan.js" */
/** @import { Scan } from "../measuring/scan.js" */

/** Increase the number when older pages would misread what a newer one saves. Older numbers are read, too. */
export const VERSION = 2;

/** @typedef {Scan["group"]["channels"]} Channels */
/** @typedef {{type: string, roiId?: string, channel?: number, parameters: Record<string, unknown>, summary: object, tables: {name: string, csv: string}[]}} Analysis */

/** The member without its session. @param {Recorded} recorded @returns {{accepted: boolean, rois: import("../measuring/bands.js").Region[], imageMetadata: object, analyses: Analysis[]}} */
export function memberOf(recorded) {
  const { drawn, shown, isKymograph, isAccepted, position, look } = recorded;
  const { channels } = shown.scan.group;
  const made = analysesOf(shown, position.l);
  const analyses = isKymograph ? made.map(inKymograph) : made;
  const kymograph = kymographOf(drawn, shown, isKymograph);
  return {
    accepted: isAccepted,
    rois: regionsOf(drawn, look.typed?.time === "columns"),
    imageMetadata: {
      [OWN]: packed({ version: VERSION, position, look, settings: settingsOf(drawn, channels) }),
    },
    analyses: [...kymograph, ...analyses],
  };
}

/** Settings that neither regions nor analyses hold; names bands by their regions, channels by their rank. @param {Drawn} drawn @param {Channels} channels */
function settingsOf(drawn, channels) {
  const { shape, isLineScan, traces, measured, cursors, kymograph } = drawn;
  const placed = (/** @type {{band: string, channel: string}} */ { band, channel }) => ({
    band: regionOfBand(drawn, band),
    channel: rankOf(channels, Number(channel)),
  });
  return {
    shape,
    isLineScan,
    traces,
    measured: mapped(measured, ({ found: _, place: __, ...one }) => /** @type {any} */ ({
      ...one,
      ...placed(one),
      of: placed(one.of),
    })),
    cursors: { lines: cursors.lines, columns: cursors.columns },
    images: drawn.images && { ...drawn.images, rows: [] },
    projection: drawn.projection,
    isKymographMade: kymograph?.isMade ?? false,
  };
}

/** Rank of a loaded channel by ascending index, the order in archives. @param {Channels} channels @param {number} position */
function rankOf(channels, position) {
  const own = channels[position]?.index ?? 0;
  return channels.filter(({ index }) => index < own).length;
}

/** @param {Measured} measured @param {number} l index of the wavelength */
function analysesOf({ drawn, scan, traces, tables, measurements }, l) {
  const { channels } = scan.group;
  const at = (/** @type {number} */ position) => ({
    channel: rankOf(channels, position),
    ...l > 0 && { acq_server: { l } },
  });
  const [time] = scan.axes;
  const projected = drawn.projection ? { projection: projectionWords(drawn.projection) } : {};
  /** @type {{type: string, name: string, columns?: readonly Column[] | undefined, roiId?: string, channel?: number, acq_server?: object, parameters?: object, summary?: object}[]} */
  const parts = [
    ...traces.map((trace) => ({
      type: "trace",
      name: `Trace of ${trace.name}`,
      columns: [
        { name: "Time", unit: tableUnit(time), values: trace.values.map((_, line) => line * time.step) },
        { name: drawn.traces?.isChange ? "dF/F0" : "Mean", values: trace.values },
        ...trace.f0.course === null ? [] : [{ name: "F0", values: trace.f0.course }],
      ],
      roiId: bandRegionId(trace.band),
      ...at(channels.findIndex(({ name }) => name === trace.channel)),
      parameters: drawn.traces === null ? {} : traceParameters(drawn.traces, scan, trace.f0.by),
      summary: Number.isFinite(trace.f0.level) ? { baseline_f0: trace.f0.level } : {},
    })),
    ...measurements.flatMap(({ measurement, columns, quantities }) => {
      const kept = drawn.measured?.[measurement.key];
      return !kept ? [] : [{
        type: measurement.key,
        name: measurement.title,
        columns,
        roiId: regionOfBand(drawn, kept.of.band),
        ...at(Number(kept.of.channel)),
        parameters: measurementParameters(measurement, kept, scan),
        summary: Object.fromEntries(
          quantities.filter(({ value }) => !Number.isNaN(value)).map(({ name, value, unit }) => [
            name.toLowerCase().replaceAll(/\W+/g, "_"),
            unit === undefined || typeof value === "string" ? value : inUnit(value, unit),
          ]),
        ),
      }];
    }),
    ...drawn.images
      ? [{
        type: "image_means",
        name: "Means over the images",
        columns: tables.images,
        roiId: drawn.images.part,
        parameters: { axis: drawn.images.axis, [OWN]: packed({ rows: drawn.images.rows }) },
        summary: { images: drawn.images.rows.length },
      }]
      : [],
    { type: "image_regions", name: "Regions of the image", columns: tables.regions, parameters: projected },
    {
      type: "profile",
      name: "Profile of the line",
      columns: tables.profile,
      roiId: LINE_ID,
      parameters: { width: inUnit(drawn.kymograph?.width ?? 1, "px"), ...projected },
    },
    { type: "lines", name: "Lines", columns: tables.lines, summary: { lines: drawn.lines.length } },
    {
      type: "cursors",
      name: "Cursors",
      columns: tables.cursors,
      parameters: {
        lines_averaged: inUnit(drawn.cursors.lines, "lines"),
        columns_averaged: inUnit(drawn.cursors.columns, "columns"),
      },
    },
  ];
  return parts.flatMap(({ type, name, columns = [], roiId, channel, acq_server, parameters, summary = {} }) =>
    (columns[0]?.values.length ?? 0) === 0 ? [] : [{
      type,
      ...roiId && { roiId },
      ...channel !== undefined && { channel },
      parameters: { [OWN]: {}, ...parameters, ...acq_server && { acq_server } },
      summary,
      tables: [{ name, csv: table(distinct(columns)) }],
    }]
  );
}

/** A number with its unit. @param {number} value @param {string} unit */
const inUnit = (value, unit) => ({ value, unit });

/** Region of a band; empty for whole lines. @param {Drawn} drawn @param {string} chosen */
function regionOfBand({ bands }, chosen) {
  const band = bands.find(({ id }) => String(id) === chosen);
  return band === undefined ? "" : bandRegionId(band);
}

/** @typedef {import("../../../measure/band_trace.js").TraceSettings} TraceSettings */

/** @param {TraceSettings} traces @param {Scan} scan @param {TraceSettings} by with the method of F₀ that ran */
function traceParameters({ isChange, kind: chosen, offset, average }, { axes: [time] }, by) {
  const { kind, percentile, from, to, span = 0 } = by;
  const unit = tableUnit(time);
  const baseline = {
    method: kind,
    ...chosen === "automatic" && { chosen: "automatically" },
    ...(kind === "percentile" || kind === "moving") && { percentile: inUnit(percentile, "%") },
    ...kind === "moving" && { span: inUnit(span, unit) },
    ...kind === "window" && { from: inUnit(from, unit), to: inUnit(to, unit) },
  };
  // A constant F₀ does not matter to means.
  const isStated = isChange || chosen !== "percentile" && chosen !== "window";
  return {
    values: isChange ? "dF/F0" : "mean",
    lines_averaged: inUnit(average, "lines"),
    ...isStated && { baseline },
    ...isChange && { detector_offset: offset },
  };
}

/** @param {Measurement} measurement @param {KeptMeasurement} kept @param {Scan} scan */
function measurementParameters({ parameters, method }, { measured, columns, found }, scan) {
  const written = parameters.map((parameter) => {
    const [value, unit] = [measured[parameter.key], unitOf(parameter, scan.axes)];
    return [
      parameter.key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      unit === undefined ? value : inUnit(value, unit),
    ];
  });
  return {
    ...measured.trace && traceParameters(measured.trace, scan, measured.by ?? measured.trace),
    ...Object.fromEntries(written),
    method_description: method(measured),
    columns,
    [OWN]: packed({ found }),
  };
}

/** Assigns an analysis in a kymograph to its line, because its bands are not regions of the images. @param {Analysis} analysis @returns {Analysis} */
const inKymograph = ({ roiId, parameters, ...rest }) => ({
  ...rest,
  roiId: LINE_ID,
  parameters: { ...parameters, picture: "kymograph", ...roiId && { band: roiId } },
});

/** The line of a kymograph, and what was drawn in it. @param {Drawn} drawn @param {Measured} shown @param {boolean} isShown @returns {Analysis[]} */
function kymographOf({ kymograph, shape }, { scan }, isShown) {
  if (kymograph === null) return [];
  const { points, width, look } = kymograph;
  const columns = [
    { name: "Column", unit: "px", values: points.map(({ x }) => x) },
    { name: "Row", unit: "px", values: points.map(({ y }) => y) },
  ];
  return [{
    type: "kymograph",
    roiId: LINE_ID,
    parameters: { width: inUnit(width, "px"), [OWN]: packed({ look }) },
    summary: isShown ? { images: shapeOf(scan)[0], columns: shapeOf(scan)[1] } : { shape: [...shape] },
    tables: [{ name: "Line of the kymograph", csv: table(columns) }],
  }];
}

/** Gives columns distinct names: channels may share one. @param {readonly Column[]} columns @returns {Column[]} */
function distinct(columns) {
  /** @type {Set<string>} */
  const used = new Set();
  return columns.map((column, i) => {
    const name = column.name || `Column ${i + 1}`;
    let own = name;
    for (let n = 2; used.has(own); n += 1) own = `${name} ${n}`;
    used.add(own);
    return { ...column, name: own };
  });
}

/** Turns NaN and infinite numbers, which JSON lacks, into objects. @param {unknown} value */
export function packed(value) {
  const text = JSON.stringify(
    value,
    (_key, part) => typeof part === "number" && !Number.isFinite(part) ? { number: String(part) } : part,
  );
  return JSON.parse(text);
}

/** Restores a packed value. @param {unknown} value */
export function unpacked(value) {
  return JSON.parse(
    JSON.stringify(value),
    (_key, part) =>
      typeof part?.number === "string" && Object.keys(part).length === 1 ? Number(part.number) : part,
  );
}
