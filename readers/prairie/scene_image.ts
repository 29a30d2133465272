/** One scene: the planes of some sequences, everything but their samples. */
import { basename } from "node:path";
import { calibrated } from "../metadata/axes.ts";
import { DecodeFailed, PlaneNotFound } from "../errors.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { PvFile } from "../pvscan/document.ts";
import { documentText, type FoundDocument } from "../pvscan/found_document.ts";
import { scanMoment } from "../pvscan/scan_date.ts";
import type { Acquisition, PlanePlan } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { withFirstRows } from "../tiff/first_rows.ts";
import type { PageLayout } from "../tiff/page.ts";
import { type Warning, warning } from "../warning.ts";
import { stepsOf, timesOf } from "./calibration.ts";
import { channelFiles, type CycleGroup, FrameGrid } from "./cycles.ts";
import { type LineSettings, lineSettings } from "./line_settings.ts";
import { PlaneImages } from "./plane_images.ts";
import { referenceImage } from "./reference_image.ts";
import type { ScanFiles } from "./scan_files.ts";

/** Memory of the settings of a scene and of what is told of it. */
const BASE_BYTES = 256 << 10;

/** Memory of a frame with its files and settings, which the document keeps. */
const FRAME_BYTES = 2048;

/** A document with its files. */
export interface OpenedScan {
  /** The document. */
  readonly document: FoundDocument;
  /** Its files. */
  readonly files: ScanFiles;
}

/** Images that are tried in search of one that shows the layout. */
const MAX_TRIED = 64;

/** Everything but the samples of a scene. @throws {DecodeFailed} none of its images can be read */
export function sceneImage({ document, files }: OpenedScan, group: CycleGroup): Acquisition {
  const { scan } = document;
  const grid = new FrameGrid(scan, group);
  const { channels, warnings } = channelsOf(grid, files);
  const places = storedImages(grid, files).take(MAX_TRIED);
  const images = PlaneImages.open([...places], files.folder, files.access);
  const [sequence] = group.sequences;
  const scanned = group.axis === "line" ? sequence : undefined;
  const isLine = scanned !== undefined;
  const { layout, heights } = rowsOf(channels, images, isLine);
  const line = isLine ? lineSettings(scan, scanned, { rows: layout.height, columns: layout.width }) : null;
  const times = timesOf(grid);
  const reference = isLine
    ? referenceImage(scan, scanned, { files, columns: layout.width })
    : { reference: null, warnings: [] };
  const { first } = images.first.tiff;
  const withRows = (height: number) =>
    acquisitionOf(
      {
        sizes: { T: grid.times, C: channels.length, Z: grid.slices },
        layout: { ...layout, height },
        calibrations: stepsOf(scan, group, grid, { times, line }),
        names: channels.map(({ channelName }) => channelName),
        times,
        lineScan: line && lineScanOf(calibrated(line.period, "s"), calibrated(line.dwell, "us")),
        moment: scanMoment(scan.date, sequence?.time),
        fileSize: files.totalSize,
        warnings: [
          ...scan.warnings,
          ...files.warnings,
          ...warnings,
          ...missingPlanes(grid, channels, files),
          ...line === null ? [] : [...surplus(line, layout.height), ...line.warnings],
          ...reference.warnings,
        ],
        // Texts of attributes may keep the whole text of the document.
        indexBytes: BASE_BYTES + PlaneImages.indexBytes + files.indexBytes + 2 * document.size +
          scan.sequences.reduce((sum, { frames }) => sum + frames.length * FRAME_BYTES, 0),
        holds: ({ t, z, channel }) => {
          const file = grid.file({ t, z }, channels[channel]?.channel ?? 0);
          return file !== undefined && files.sizeOf(file.name) !== null;
        },
        plane: ({ t, z, channel }) => {
          const wanted = channels[channel]?.channel ?? 0;
          const file = grid.file({ t, z }, wanted);
          if (file === undefined) {
            throw new PlaneNotFound(
              `the PVScan document names no image of T=${t} Z=${z} of channel ${wanted}`,
            );
          }
          return images.get(file, { ...layout, height }, isLine);
        },
      },
      first,
      files.access.stop,
    );
  const acquisition = withRows(layout.height);
  const planned = Math.max(line?.lines ?? 0, layout.height);
  return {
    ...acquisition,
    // Of a line scan the rows count that every wanted channel has.
    plan: async (wanted, position, rows) => {
      const fewest = wanted.reduce(
        (least, index) => Math.min(least, heights[Math.floor(index / layout.samples)] ?? least),
        layout.height,
      );
      const some = fewest < layout.height ? withFirstRows(withRows(fewest), fewest) : acquisition;
      const plan = await some.plan(wanted, position, rows);
      return planned > fewest
        ? warned(
          plan,
          warning(
            "lines_missing",
            `The scan was interrupted: ${fewest} of ${planned} lines are there in every channel`,
          ),
        )
        : plan;
    },
    reference: reference.reference,
    files: () => [document.path, ...files.paths()],
    documents: (list) => {
      const { text } = documentText(document.path, files.access, list.left);
      list.add(basename(document.path), "application/xml", text);
    },
  };
}

const warned = (plan: PlanePlan, warning: Warning): PlanePlan => ({
  ...plan,
  warnings: [...plan.warnings, warning],
});

/** The images that are there, in the order T, Z and channel. */
function* storedImages(grid: FrameGrid, files: ScanFiles): Generator<PvFile> {
  for (const frame of grid.frames()) {
    for (const file of frame.files) if (files.sizeOf(file.name) !== null) yield file;
  }
}

/** For each channel that a frame names its first image that is there, or the first that is named; in the order of their numbers. */
function channelsOf(
  grid: FrameGrid,
  files: ScanFiles,
): { readonly channels: readonly PvFile[]; readonly warnings: readonly Warning[] } {
  const channels = new Map<number, PvFile>();
  const stored = new Set<number>();
  let doubled = false;
  for (const frame of grid.frames()) {
    const named = channelFiles(frame);
    doubled ||= named.length < frame.files.length;
    for (const file of named) {
      const isStored = !stored.has(file.channel) && files.sizeOf(file.name) !== null;
      if (isStored) stored.add(file.channel);
      if (isStored || !channels.has(file.channel)) channels.set(file.channel, file);
    }
  }
  if (channels.size === 0) throw new DecodeFailed("the PVScan document names no image");
  return {
    channels: [...channels.values()].sort((a, b) => a.channel - b.channel),
    warnings: doubled
      ? [
        warning(
          "content_left_out",
          "The PVScan document names several images for one channel of a frame; the first is served",
        ),
      ]
      : [],
  };
}

/** Layout of all planes and the rows of each channel: of a line scan that was interrupted one may have fewer. */
function rowsOf(
  channels: readonly PvFile[],
  images: PlaneImages,
  line: boolean,
): { readonly layout: PageLayout; readonly heights: readonly number[] } {
  const { page } = images.first;
  if (!line) return { layout: page, heights: [] };
  const heights = channels.map((file) => {
    try {
      return images.get(file).page.height;
    } catch (error) {
      if (!(error instanceof DecodeFailed || error instanceof PlaneNotFound)) throw error;
      return page.height;
    }
  });
  return { layout: { ...page, height: Math.max(page.height, ...heights) }, heights };
}

const surplus = ({ lines }: LineSettings, rows: number): Warning[] =>
  lines !== null && lines < rows
    ? [warning("metadata_disagree", `The PVScan document counts ${lines} lines, the images have ${rows}`)]
    : [];

/** A warning where files of other planes than the first are missing, or frames are. */
function missingPlanes(grid: FrameGrid, channels: readonly PvFile[], files: ScanFiles): Warning[] {
  let [frames, images] = [0, 0];
  let first: string | null = null;
  for (let t = 0; t < grid.times; t += 1) {
    for (let z = 0; z < grid.slices; z += 1) {
      const frame = grid.at(t, z);
      if (frame === undefined) frames += 1;
      for (const { channel } of frame === undefined ? [] : channels) {
        const file = frame?.files.find((one) => one.channel === channel);
        if (file !== undefined && files.sizeOf(file.name) !== null) continue;
        images += 1;
        first ??= file?.name ?? null;
      }
    }
  }
  const named = first === null ? "" : `: "${first}"${images > 1 ? ` and ${images - 1} more` : ""}`;
  return [
    ...frames > 0
      ? [
        warning(
          "planes_missing",
          `The scan was interrupted: ${frames} of ${grid.times * grid.slices} frames are missing`,
        ),
      ]
      : [],
    ...images > 0 ? [warning("file_missing", `Images of this scan are missing${named}`)] : [],
  ];
}
