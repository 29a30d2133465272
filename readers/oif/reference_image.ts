/**
 * The reference image: an overview of its own size, on which the line of a line scan was drawn. The line is a region in a file
 * named in the settings of an image.
 */
import type { FileAccess } from "../io/file_access.ts";
import {
  checkScanPath,
  type ImageShape,
  MAX_PATH_POINTS,
  NO_PATH,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  type ScanPath,
} from "../metadata/reference.ts";
import { buildReference, PlaneFiles } from "../tiff/plane_files.ts";
import { type MainSettings, readImageSteps } from "./main_settings.ts";
import { findRegionName, type PlaneSettings } from "./plane_settings.ts";
import type { PlaneName } from "./planes.ts";
import { type OifSettings, settingNumber } from "./settings.ts";
import type { NamedStreams } from "./streams.ts";

/** Sources of a reference image. */
export interface ReferenceSources {
  readonly streams: NamedStreams;
  readonly files: FileAccess;
  readonly settings: PlaneSettings;
  readonly main: MainSettings;
  readonly names: readonly PlaneName[];
  readonly plane: { readonly name: string; readonly columns: number };
}

/** Describes the reference image of an acquisition. */
export function readOifReference(sources: ReferenceSources): ReferenceResult {
  const { streams, files, main, settings, names } = sources;
  if (names.length === 0) return NO_REFERENCE;
  return referenceUnlessLost(() => {
    const channels = selectFirstOfChannels(names).map(({ name, numbers }) => {
      const index = (numbers.get("C") ?? 1) - 1;
      return { name, index, channelName: main.channels[index] ?? null };
    });
    const planes = PlaneFiles.open(channels, streams.open, files);
    const { name = "", page } = planes.first;
    const image = settings.of(name);
    const path = findScannedLine(sources, image, page);
    return {
      reference: buildReference(channels, planes, { steps: readImageSteps(image), path }, files),
      warnings: [],
    };
  });
}

/** One image per channel, in channel order: the first along all other axes. */
function selectFirstOfChannels(names: readonly PlaneName[]): PlaneName[] {
  const channelOf = ({ numbers }: PlaneName) => numbers.get("C") ?? 1;
  const others = ({ numbers }: PlaneName) =>
    [...numbers].reduce((sum, [letter, number]) => letter === "C" ? sum : sum + number, 0);
  const ordered = names.toSorted((a, b) => channelOf(a) - channelOf(b) || others(a) - others(b));
  return ordered.filter((plane, i) => i === 0 || channelOf(plane) !== channelOf(ordered[i - 1]!));
}

/** The scanned line: the first region that fits, if the settings say that a line was scanned. */
function findScannedLine(
  { main, settings, plane }: ReferenceSources,
  image: OifSettings | null,
  { width, height }: { readonly width: number; readonly height: number },
): ScanPath {
  if (!/line/i.test(main.region)) return NO_PATH;
  const names = new Set([findRegionName(image), findRegionName(settings.of(plane.name))]);
  for (const name of names) {
    const regions = name === null ? null : settings.read(name);
    if (regions === null) continue;
    const line = scanLine(regions, { rows: height, columns: width }, plane.columns);
    if (line.scanPath !== null) return line;
  }
  return NO_PATH;
}

/** Regions that a laser can follow. Others are points, areas and marks. */
const STRAIGHT = 3;
const LINES = [STRAIGHT, 4, 10];

/** Largest difference in pixels between the length of a line and that of a row. */
const TOLERANCE = 2;

/** The first line inside the reference image, of this `shape`, that has as many pixels as a row of `scanned` pixels. */
export function scanLine(regions: OifSettings, shape: ImageShape, scanned: number): ScanPath {
  for (const { name, values } of regions.sections) {
    if (name !== "ROIBase Body") continue;
    const kind = settingNumber(values.get("SHAPE") ?? null);
    const angle = settingNumber(values.get("ANGLE") ?? null) ?? 0;
    // How rotated lines are stored is unknown.
    if (kind === null || !LINES.includes(kind) || angle !== 0) continue;
    const [x, y] = [parseCoordinates(values.get("X")), parseCoordinates(values.get("Y"))];
    if (x === null || y === null) continue;
    // A row has as many pixels as the line is long, or one more.
    const pixels = Math.round(
      x.slice(1).reduce((sum, to, i) => sum + Math.hypot(to - x[i]!, y[i + 1]! - y[i]!), 0),
    );
    if (pixels < scanned - 1 - TOLERANCE || pixels > scanned + TOLERANCE) continue;
    const path = checkScanPath({ x, y }, shape, kind === STRAIGHT);
    if (path !== null) return path;
  }
  return NO_PATH;
}

/** The numbers of a list; `null` if any item is not a number. */
function parseCoordinates(text: string | undefined): number[] | null {
  const parts = (text ?? "").split(",", MAX_PATH_POINTS + 1).map((part) => settingNumber(part));
  const numbers = parts.filter((part) => part !== null);
  return numbers.length === parts.length ? numbers : null;
}
