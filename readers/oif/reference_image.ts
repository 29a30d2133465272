/** The reference image: an overview, of its own size, on which the line of a line scan was drawn. */
import type { FileAccess } from "../io/random_access.ts";
import {
  NO_PATH,
  NO_REFERENCE,
  type ReferenceResult,
  referenceUnlessLost,
  type ScanPath,
} from "../metadata/reference.ts";
import { PlaneFiles, referenceOf } from "../tiff/plane_files.ts";
import { imageSteps } from "./calibration.ts";
import type { MainSettings } from "./main_settings.ts";
import type { NamedStreams } from "./named_streams.ts";
import type { PlaneName } from "./plane_names.ts";
import type { PlaneSettings } from "./plane_settings.ts";
import { regionName, scanLine } from "./scan_line.ts";
import type { Settings } from "./settings.ts";

/** What a reference image is read from. */
export interface ReferenceSources {
  /** The files of the acquisition. */
  readonly streams: NamedStreams;
  /** For the stop flag. */
  readonly files: FileAccess;
  /** Settings of its images. */
  readonly settings: PlaneSettings;
  /** What the main settings tell. */
  readonly main: MainSettings;
  /** Its images, one for each channel. */
  readonly names: readonly PlaneName[];
  /** A plane of the main image, and its columns. */
  readonly plane: { readonly name: string; readonly columns: number };
}

/** Describes the reference image of an acquisition. */
export const referenceImage = (sources: ReferenceSources): ReferenceResult =>
  sources.names.length === 0 ? NO_REFERENCE : referenceUnlessLost(() => described(sources));

function described(sources: ReferenceSources): ReferenceResult {
  const { streams, files, main, settings } = sources;
  const channels = firstOfChannels(sources.names).map(({ name, numbers }) => {
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
}

/** One image for each channel, in their order; of several along other axes the first. */
function firstOfChannels(names: readonly PlaneName[]): PlaneName[] {
  const byChannel = new Map<number, PlaneName>();
  const others = ({ numbers }: PlaneName) =>
    [...numbers].reduce((sum, [letter, number]) => letter === "C" ? sum : sum + number, 0);
  for (const plane of names) {
    const channel = plane.numbers.get("C") ?? 1;
    const known = byChannel.get(channel);
    if (known === undefined || others(plane) < others(known)) byChannel.set(channel, plane);
  }
  return [...byChannel].sort(([a], [b]) => a - b).map(([, plane]) => plane);
}

/** The line that was scanned, where the settings say that a line was, and one of the regions fits. */
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
