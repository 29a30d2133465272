/** The reference image: an overview, of its own size, on which the line of a line scan was drawn. */
import { isLoss } from "../errors.ts";
import type { FileAccess } from "../io/random_access.ts";
import { FIRST_POSITION, type Reference } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { type Warning, warning } from "../warning.ts";
import { imageSteps } from "./calibration.ts";
import type { MainSettings } from "./main_settings.ts";
import type { NamedStreams } from "./named_streams.ts";
import { PlaneImages } from "./plane_images.ts";
import type { PlaneName } from "./plane_names.ts";
import type { PlaneSettings } from "./plane_settings.ts";
import { NO_LINE, regionName, type ScanLine, scanLine } from "./scan_line.ts";
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

/** The reference image, or `null` and why a stored one is left out. */
export interface ReferenceResult {
  /** The image, or `null`. */
  readonly reference: Reference | null;
  /** Why there is none. */
  readonly warnings: readonly Warning[];
}

/** Describes the reference image of an acquisition. */
export function referenceImage(sources: ReferenceSources): ReferenceResult {
  if (sources.names.length === 0) return { reference: null, warnings: [] };
  try {
    return described(sources);
  } catch (error) {
    if (!isLoss(error)) throw error;
    return {
      reference: null,
      warnings: [warning("reference_unreadable", `The reference image cannot be read: ${error.message}`)],
    };
  }
}

function described(sources: ReferenceSources): ReferenceResult {
  const { streams, files, main, settings } = sources;
  const channels = firstOfChannels(sources.names);
  const { images, name: first } = PlaneImages.first(channels.map(({ name }) => name), streams, files);
  const { tiff, page: layout } = images.get(first);
  const image = settings.of(first);
  const { y, x } = imageSteps(image);
  const line = lineOf(sources, image, layout);
  const numberOf = ({ numbers }: PlaneName) => numbers.get("C") ?? 1;
  const acquisition = acquisitionOf(
    {
      sizes: { T: 1, C: channels.length, Z: 1 },
      layout,
      calibrations: { Y: y, X: x },
      names: channels.map((plane) => main.channels[numberOf(plane) - 1] ?? null),
      moment: { date: "", time: "" },
      fileSize: 0,
      warnings: [],
      plane: ({ channel }) => ({ ...images.get(channels[channel]?.name ?? first, layout), run: null }),
    },
    tiff.first,
    files.stop,
  );
  return {
    reference: {
      axes: [{ name: "Y", size: layout.height, ...y }, { name: "X", size: layout.width, ...x }],
      // A missing file renumbers no other channel.
      channels: acquisition.channels.map((channel, i) => ({ ...channel, index: numberOf(channels[i]!) - 1 })),
      ...line,
      plan: () => acquisition.plan(channels.map((_, i) => i), FIRST_POSITION),
    },
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
): ScanLine {
  if (!/line/i.test(main.region)) return NO_LINE;
  const names = new Set([regionName(image), regionName(settings.of(plane.name))]);
  for (const name of names) {
    const regions = name === null ? null : settings.read(name);
    if (regions === null) continue;
    const line = scanLine(regions, { rows: height, columns: width, scanned: plane.columns });
    if (line.scanPath !== null) return line;
  }
  return NO_LINE;
}
