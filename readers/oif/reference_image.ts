/**
 * The reference image: an overview of its own size, on which the line of a line scan was drawn. The line is a region in a file
 * named in the settings of an image.
 */
import type { FileAccess } from "../io/file_access.ts";
import {
  type ImageShape,
  MAX_PATH_POINTS,
  NO_PATH,
  NO_REFERENCE,
  pathInside,
  type ReferenceResult,
  referenceUnlessLost,
  type ScanPath,
} from "../metadata/reference.ts";
import { PlaneFiles, referenceOf } from "../tiff/plane_files.ts";
import { imageSteps, type MainSettings } from "./main_settings.ts";
import { type PlaneSettings, regionName } from "./plane_settings.ts";
import type { PlaneName } from "./planes.ts";
import { settingNumber, type Settings } from "./settings.ts";
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
export function referenceImage(sources: ReferenceSources): ReferenceResult {
  const { streams, files, main, settings, names } = sources;
  if (names.length === 0) return NO_REFERENCE;
  return referenceUnlessLost(() => {
    const channels = firstOfChannels(names).map(({ name, numbers }) => {
      const index = (numbers.get("C") ?? 1) - 1;
      return { name, index, channelName: main.channels[index] ?? null };
    });
    const planes = PlaneFiles.open(channels, streams.open, files);
    const { name = "", page } = planes.first;
    const image = settings.of(name);
    const path = lineOf(sources, image, page);
    return {
      reference: referenceOf(channels, planes, { steps: imageSteps(image), path }, files),
      warnings: [],
    };
  });
}

/** One image per channel, in channel order: the first along all other axes. */
function firstOfChannels(names: readonly PlaneName[]): PlaneName[] {
  const channelOf = ({ numbers }: PlaneName) => numbers.get("C") ?? 1;
  const others = ({ numbers }: PlaneName) =>
    [...numbers].reduce((sum, [letter, number]) => letter === "C" ? sum : sum + number, 0);
  const ordered = names.toSorted((a, b) => channelOf(a) - channelOf(b) || others(a) - others(b));
  return ordered.filter((plane, i) => i === 0 || channelOf(plane) !== channelOf(ordered[i - 1]!));
}

/** The scanned line: the first region that fits, if the settings say that a line was scanned. */
function lineOf(
  { main, settings, plane }: ReferenceSources,
  image: Settings | null,
  { width, height }: { readonly width: number; readonly height: number },
): ScanPath {
  if (!/line/i.test(main.region)) return NO_PATH;
  const names = new Set([regionName(image), regionName(settings.of(plane.name))]);
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
export function scanLine(regions: Settings, shape: ImageShape, scanned: number): ScanPath {
  for (const { name, values } of regions.sections) {
    if (name !== "ROIBase Body") continue;
    const kind = settingNumber(values.get("SHAPE") ?? null);
    const angle = settingNumber(values.get("ANGLE") ?? null) ?? 0;
    // How rotated lines are stored is unknown.
    if (kind === null || !LINES.includes(kind) || angle !== 0) continue;
    const [x, y] = [coordinates(values.get("X")), coordinates(values.get("Y"))];
    if (x === null || y === null) continue;
    // A row has as many pixels as the line is long, or one more.
    const pixels = Math.round(
      x.slice(1).reduce((sum, to, i) => sum + Math.hypot(to - x[i]!, y[i + 1]! - y[i]!), 0),
    );
    if (pixels < scanned - 1 - TOLERANCE || pixels > scanned + TOLERANCE) continue;
    const path = pathInside({ x, y }, shape, kind === STRAIGHT);
    if (path !== null) return path;
  }
  return NO_PATH;
}

/** The numbers of a list; `null` if any item is not a number. */
function coordinates(text: string | undefined): number[] | null {
  const parts = (text ?? "").split(",", MAX_PATH_POINTS + 1).map((part) => settingNumber(part));
  const numbers = parts.filter((part) => part !== null);
  return numbers.length === parts.length ? numbers : null;
}
