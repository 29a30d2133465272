/** What an archive keeps of its recording beside the image, applied to the image so that it opens like the recording. */
import type { ArchivedImage, ArchivedReference } from "../../schemas/archived.ts";
import { convertStep } from "../metadata/axes.ts";
import type { ScanPath } from "../metadata/reference.ts";
import { findTimeAxis } from "../metadata/time_stamps.ts";
import type { Acquisition, Axis, Channel, SampleType } from "../reader.ts";
import { SAMPLE_BYTES } from "../samples/to_float32.ts";
import { warnIf, type Warning, warning, WARNING_CODES, type WarningCode } from "../warning.ts";

/** Codes of warnings about the files and scenes of a recording, which say nothing about its archive. */
const OF_THE_FILES = /^file_|^(?:opened_elsewhere|content_left_out|scenes_left_out)$/;

/** Whether an archive warns as its recording did. */
export const replaysIn = (code: string): boolean => !OF_THE_FILES.test(code);

/** The acquisition of an archived image with the metadata that OME-Zarr cannot express. */
export function restoreRecording(acquisition: Acquisition, kept: ArchivedImage): Acquisition {
  const { date = acquisition.date, time = acquisition.time, lineScan } = kept;
  const rows = acquisition.axes.find(({ name }) => name === "Y")!;
  // A step that somebody changed in the image document counts.
  const secondsPerLine = rows.unit === "seconds" ? rows.step : lineScan?.secondsPerLine ?? null;
  const recorded: Acquisition = {
    ...acquisition,
    date,
    time,
    channels: restoreChannels(acquisition.channels, kept),
    ...lineScan && { lineScan: { ...lineScan, secondsPerLine } },
  };
  const warnings = [
    ...(kept.warnings ?? []).flatMap(replayWarning),
    ...acquisition.warnings,
    ...warnAboutChannels(acquisition.channels.length, kept),
  ];
  if (kept.times == null) return { ...recorded, warnings };
  const size = findTimeAxis(recorded)?.size ?? 1;
  if (kept.times.length === size) return { ...recorded, warnings, times: kept.times };
  const text = `The archive keeps ${kept.times.length} times for ${size} time points or lines`;
  return { ...recorded, warnings: [...warnings, warning("metadata_disagree", text)] };
}

/** Warns about colours and sample types that cannot be dealt to the channels. */
function warnAboutChannels(
  count: number,
  { colors, sample_types: types, spectral }: ArchivedImage,
): Warning[] {
  const doubt = (what: string, found: number, expected: number) => {
    const text = `The archive keeps ${found} ${what} for ${expected} channels`;
    return warnIf(found !== expected, "metadata_disagree", text);
  };
  return [
    ...colors ? doubt("colours", colors.length, count) : [],
    ...types ? doubt("sample types", types.length * (spectral?.size ?? 1), count) : [],
  ];
}

function replayWarning({ code, text }: { readonly code: string; readonly text: string }): Warning[] {
  if (!replaysIn(code)) return [];
  // A later version may have further codes.
  const known = Object.hasOwn(WARNING_CODES, code) ? code as WarningCode : "metadata_missing";
  return [warning(known, text)];
}

/** Channels with the colours and sample types of the recording. */
export function restoreChannels(
  channels: readonly Channel[],
  { colors, sample_types: types, spectral }: Pick<ArchivedImage, "colors" | "sample_types" | "spectral">,
): Channel[] {
  return channels.map((channel, index) => {
    const type = types?.[Math.floor(index / (spectral?.size ?? 1))];
    const color = colors?.length === channels.length ? colors[index]! : channel.color;
    const isWider = type !== undefined && type !== channel.sampleType && Object.hasOwn(SAMPLE_BYTES, type);
    return { ...channel, color, ...isWider && { sourceType: type as SampleType } };
  });
}

/** The axes of an archived reference image, with steps that OME-Zarr cannot express. */
export const restoreAxes = (axes: readonly Axis[], { axis_display: display }: ArchivedReference): Axis[] =>
  axes.map((axis) => {
    const kept = display?.[axis.name.toLowerCase()];
    return kept === undefined ? axis : { ...axis, ...convertStep(kept.scale, kept.unit) };
  });

/** Points of a scan path as documents have them: whole numbers inside the image. */
export function roundPoints(
  { lineRoi, scanPath }: ScanPath,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): [number, number][] {
  const path = scanPath ?? (lineRoi && { x: [lineRoi[0], lineRoi[2]], y: [lineRoi[1], lineRoi[3]] });
  const inside = (value: number, size: number) => Math.min(size - 1, Math.max(0, Math.round(value)));
  return path === null ? [] : path.x.map((x, i) => [inside(x, columns), inside(path.y[i]!, rows)]);
}

/**
 * The exact line and scan path that an archive keeps; `null` if they do not round to the points of the document, which somebody
 * changed then.
 */
export function restorePath(
  lineRoi: ArchivedImage["lineRoi"],
  scanPath: ArchivedReference["scan_path"],
  points: readonly (readonly number[])[] | null,
  shape: { readonly rows: number; readonly columns: number },
): ScanPath | null {
  if (lineRoi === undefined && scanPath === undefined) return null;
  const path = { lineRoi: lineRoi ?? null, scanPath: scanPath ?? null };
  if (path.scanPath !== null && path.scanPath.x.length !== path.scanPath.y.length) return null;
  const written = roundPoints(path, shape);
  const isSame = JSON.stringify(written.length > 1 ? written : []) === JSON.stringify(points ?? []);
  return isSame ? path : null;
}
