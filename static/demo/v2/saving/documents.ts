/**
 * Turns what was measured in a recording into a member of `POST /api/v2/export`. `docs/measurements.md` describes types,
 * parameters and columns.
 */
import { formatTableUnit } from "../../../measure/axes.ts";
import { type Column, writeTable } from "../../../measure/csv.ts";
import { freeName } from "../../../measure/free_name.ts";
import { chooseParameterUnit, type Measurement } from "../../../measure/measurement.ts";
import { capitalize, nameProjection } from "../../../measure/stack.ts";
import { LINE_ID } from "../../../measure/image_parts.ts";
import { selectTracedRegions } from "../../../measure/image_traces.ts";
import { mapPieces, namePieces } from "../drawing/pieces.ts";
import type { Drawn } from "../drawing/drawn.ts";
import { findShape, type Scan } from "../drawing/scan.ts";
import { ALL_BANDS, findLineOver, findRegion, selectKinds, type WrittenRegion } from "../drawing/region.ts";
import { listMeasurableParts } from "../drawing/table.ts";
import { OWN, writeRegions } from "./regions.ts";
import type { MeasuredPicture } from "../measuring/panel.ts";
import type { Result } from "../../../measure/result.ts";
import type { ViewerLook } from "../panels/viewer.ts";
import type { TraceSettings } from "../../../measure/light/baseline.ts";

/** A recording with what was measured in it. */
export interface Recorded {
  /** What is drawn in its images. */
  drawn: Drawn;
  /** What was measured in the shown picture: the image, or a kymograph of it. */
  shown: MeasuredPicture;
  isKymograph: boolean;
  isAccepted: boolean;
  /** Position of the shown image. */
  position: { t: number; z: number; l: number };
  /** Look of the images, without drawings. */
  look: ViewerLook;
}

/** Increase the number when another page would misread what this one saves: a page reads its own version only. */
export const VERSION = 4;

type DocumentChannels = Scan["group"]["channels"];

/** An analysis in the form of `POST /api/v2/export`. */
export type Analysis = {
  type: string;
  roiId?: string;
  channel?: number;
  parameters: Record<string, unknown>;
  summary: object;
  tables: { name: string; csv: string }[];
};

/** The member without its session. */
export function makeMember(
  recorded: Recorded,
): { accepted: boolean; rois: WrittenRegion[]; imageMetadata: object; analyses: Analysis[] } {
  const { drawn, shown, isKymograph, isAccepted, position, look } = recorded;
  const { channels } = shown.scan.group;
  const made = makeAnalyses(shown, position.l);
  const analyses = isKymograph ? made.map(assignToLine) : made;
  const kymograph = makeKymographAnalysis(drawn, shown, isKymograph);
  return {
    accepted: isAccepted,
    rois: writeRegions(drawn.regions, drawn.shape, look.typed?.time === "columns"),
    imageMetadata: {
      [OWN]: packNumbers({ version: VERSION, position, look, settings: collectSettings(drawn, channels) }),
    },
    analyses: [...kymograph, ...analyses],
  };
}

/** Settings that neither regions nor analyses hold; names bands by their regions, channels by their rank. */
function collectSettings(drawn: Drawn, channels: DocumentChannels) {
  const { shape, isLineScan, kymograph } = drawn;
  const naming = {
    band: (id: string) => id === ALL_BANDS ? ALL_BANDS : findBandId(drawn, id),
    channel: (index: string) => rankOf(channels, Number(index)),
  };
  return {
    ...mapPieces(namePieces(drawn, naming), (kind, value) => kind.toDocument?.(value) ?? value),
    shape,
    isLineScan,
    isKymographMade: kymograph?.isMade ?? false,
  };
}

/** Rank of a loaded channel by ascending index, the order in archives. */
function rankOf(channels: DocumentChannels, position: number) {
  const own = channels[position]?.index ?? 0;
  return channels.filter(({ index }) => index < own).length;
}

/** What each loaded channel has, by rank. */
const rankChannels = <Value>(values: readonly Value[], channels: DocumentChannels) =>
  values.map((value, position) => [rankOf(channels, position), value] as const)
    .sort(([one], [other]) => one - other).map(([, value]) => value);

/** An analysis with its columns, which may be none. */
interface Made {
  type: string;
  name: string;
  columns?: readonly Column[] | undefined;
  roiId?: string;
  channel?: number;
  acq_server?: object;
  parameters?: object;
  summary?: object;
}

/** @param l index of the wavelength */
function makeAnalyses(shown: MeasuredPicture, l: number): Analysis[] {
  const { channels } = shown.scan.group;
  const at = (position: number) => ({
    channel: rankOf(channels, position),
    ...l > 0 && { acq_server: { l } },
  });
  const made: Made[] = [
    ...makeTraceAnalyses(shown, at),
    ...makeResultAnalyses(shown, at),
    ...makeMeansAnalyses(shown),
    ...makeDrawingAnalyses(shown),
  ];
  return made.flatMap(({ type, name, columns = [], roiId, channel, acq_server, parameters, summary = {} }) =>
    (columns[0]?.values.length ?? 0) === 0 ? [] : [{
      type,
      ...roiId && { roiId },
      ...channel !== undefined && { channel },
      parameters: { [OWN]: {}, ...parameters, ...acq_server && { acq_server } },
      summary,
      tables: [{ name, csv: writeTable(makeColumnsDistinct(columns)) }],
    }]
  );
}

/** Where the analysis of a loaded channel belongs. */
type At = (position: number) => Pick<Made, "channel" | "acq_server">;

function makeTraceAnalyses({ drawn, scan, traced, traces }: MeasuredPicture, at: At): Made[] {
  const [time] = traced.axes;
  return traces.map((trace) => ({
    type: "trace",
    name: `Trace of ${trace.name}`,
    columns: [
      { name: "Time", unit: formatTableUnit(time), values: trace.values.map((_, line) => line * time.step) },
      { name: drawn.traces?.isChange ? "dF/F0" : "Mean", values: trace.values },
      ...trace.f0.course === null ? [] : [{ name: "F0", values: trace.f0.course }],
    ],
    roiId: trace.band.id,
    ...at(scan.group.channels.findIndex(({ name }) => name === trace.channel)),
    parameters: drawn.traces === null ? {} : makeTraceParameters(drawn.traces, traced, trace.f0.by),
    summary: Number.isFinite(trace.f0.level) ? { baseline_f0: trace.f0.level } : {},
  }));
}

const makeResultAnalyses = ({ drawn, scan, traced, measurements }: MeasuredPicture, at: At): Made[] =>
  measurements.flatMap(({ measurement, tables }) =>
    tables.map(({ result, columns, quantities }) => ({
      type: measurement.key,
      name: measurement.title,
      columns,
      roiId: findBandId(drawn, result.of.band),
      ...at(Number(result.of.channel)),
      parameters: makeMeasurementParameters(measurement, result, measurement.isOfBands ? traced : scan),
      summary: Object.fromEntries(
        quantities.filter(({ value }) => !Number.isNaN(value)).map(({ name, value, unit }) => [
          name.toLowerCase().replaceAll(/\W+/g, "_"),
          unit === undefined || typeof value === "string" ? value : addUnit(value, unit),
        ]),
      ),
    }))
  );

/** Means over the images, without regions that have moved since: means of the former place would get the new one. */
function makeMeansAnalyses({ drawn, scan, means }: MeasuredPicture): Made[] {
  const { images } = drawn;
  if (!images) return [];
  const { channels } = scan.group;
  const current = selectTracedRegions(images.parts, listMeasurableParts(drawn.regions), scan.axes).map((
    { id },
  ) => id);
  return means.flatMap(({ id, columns }) => {
    const part = images.parts.find((one) => one.id === id);
    if (part === undefined || !current.includes(id)) return [];
    return [{
      type: "image_means",
      name: "Means over the images",
      columns,
      roiId: id,
      parameters: { axis: images.axis, [OWN]: packNumbers({ means: rankChannels(part.means, channels) }) },
      summary: { images: columns[0]?.values.length ?? 0 },
    }];
  });
}

function makeDrawingAnalyses({ drawn, tables }: MeasuredPicture): Made[] {
  const projected = drawn.projection ? { projection: nameProjection(drawn.projection) } : {};
  return [
    { type: "image_regions", name: "Regions of the image", columns: tables.regions, parameters: projected },
    {
      type: "profile",
      name: "Profile of the line",
      columns: tables.profile,
      roiId: LINE_ID,
      parameters: { width: addUnit(findLineOver(drawn.regions)?.width ?? 1, "px"), ...projected },
    },
    ...(["line", "track"] as const).map((kind) => ({
      type: `${kind}s`,
      name: capitalize(`${kind}s`),
      columns: tables[`${kind}s`],
      summary: { [`${kind}s`]: selectKinds(drawn.regions, kind).length },
    })),
    {
      type: "cursors",
      name: "Cursors",
      columns: tables.cursors,
      parameters: {
        lines_averaged: addUnit(drawn.cursors.lines, "lines"),
        columns_averaged: addUnit(drawn.cursors.columns, "columns"),
      },
    },
  ];
}

/** A number with its unit. */
const addUnit = (value: number, unit: string) => ({ value, unit });

/** Id of a band or region of images; empty for whole lines or images, and for a band that is gone. */
const findBandId = ({ regions }: Drawn, id: string) => findRegion(regions, id) === undefined ? "" : id;

/** @param by with the method of F₀ that ran */
function makeTraceParameters(
  { isChange, kind: chosen, offset, average }: TraceSettings,
  { axes: [time], noun, timing }: Pick<Scan, "axes" | "noun" | "timing">,
  by: TraceSettings,
) {
  const { kind, percentile, from, to, span = 0 } = by;
  const unit = formatTableUnit(time);
  const baseline = {
    method: kind,
    ...chosen === "automatic" && { chosen: "automatically" },
    ...(kind === "percentile" || kind === "moving") && { percentile: addUnit(percentile, "%") },
    ...kind === "moving" && { span: addUnit(span, unit) },
    ...kind === "window" && { from: addUnit(from, unit), to: addUnit(to, unit) },
  };
  // A constant F₀ does not matter to means.
  const isStated = isChange || chosen !== "percentile" && chosen !== "window";
  return {
    values: isChange ? "dF/F0" : "mean",
    lines_averaged: addUnit(average, noun === "region" ? "images" : "lines"),
    ...timing !== undefined && { timing },
    ...isStated && { baseline },
    ...isChange && { detector_offset: offset },
  };
}

function makeMeasurementParameters(
  { parameters, method }: Measurement,
  { settings, columns, found, rejected }: Result,
  scan: Pick<Scan, "axes" | "noun" | "timing">,
) {
  const written = parameters.map((parameter) => {
    const [value, unit] = [settings[parameter.key], chooseParameterUnit(parameter, scan.axes)];
    return [
      parameter.key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      unit === undefined ? value : addUnit(value as number, unit),
    ];
  });
  return {
    ...settings.trace && makeTraceParameters(settings.trace, scan, settings.by ?? settings.trace),
    ...Object.fromEntries(written),
    method_description: method(settings),
    ...scan.noun === "band" && { columns },
    [OWN]: packNumbers({ found, rejected }),
  };
}

/** Assigns an analysis in a kymograph to its line, because its bands are not regions of the images. */
const assignToLine = ({ roiId, parameters, ...rest }: Analysis): Analysis => ({
  ...rest,
  roiId: LINE_ID,
  parameters: { ...parameters, picture: "kymograph", ...roiId && { band: roiId } },
});

/** The line of a kymograph, and what was drawn in it. */
function makeKymographAnalysis(
  { regions, kymograph, shape }: Drawn,
  { scan }: MeasuredPicture,
  isShown: boolean,
): Analysis[] {
  const line = findLineOver(regions);
  if (line === null) return [];
  const { points, width } = line;
  const columns = [
    { name: "Column", unit: "px", values: points.map(({ x }) => x) },
    { name: "Row", unit: "px", values: points.map(({ y }) => y) },
  ];
  return [{
    type: "kymograph",
    roiId: LINE_ID,
    parameters: { width: addUnit(width, "px"), [OWN]: packNumbers({ look: kymograph?.look }) },
    summary: isShown ? { images: findShape(scan)[0], columns: findShape(scan)[1] } : { shape: [...shape] },
    tables: [{ name: "Line of the kymograph", csv: writeTable(columns) }],
  }];
}

/** Gives columns distinct names: channels may share one. */
function makeColumnsDistinct(columns: readonly Column[]): Column[] {
  const used: Set<string> = new Set();
  return columns.map((column, i) => {
    const name = freeName(column.name || `Column ${i + 1}`, (other) => used.has(other));
    used.add(name);
    return { ...column, name };
  });
}

/** Turns NaN and infinite numbers, which JSON lacks, into objects. */
export function packNumbers(value: unknown): unknown {
  const text = JSON.stringify(
    value,
    (_key, part) => typeof part === "number" && !Number.isFinite(part) ? { number: String(part) } : part,
  );
  return JSON.parse(text);
}

/** Restores a packed value. */
export function unpackNumbers(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value),
    (_key, part) =>
      typeof part?.number === "string" && Object.keys(part).length === 1 ? Number(part.number) : part,
  );
}
