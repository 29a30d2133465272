/** One scene, the planes of some sequences, without their samples. */
import { basename } from "node:path";
import { convertStep } from "../metadata/axes.ts";
import { PlaneNotFound } from "../errors.ts";
import { buildLineScan } from "../metadata/line_scan.ts";
import { NO_REFERENCE } from "../metadata/reference.ts";
import { type PvFile, scanMoment } from "../metadata/pvscan.ts";
import { type FoundDocument, readDocumentText } from "../metadata/pvscan_files.ts";
import type { Acquisition } from "../reader.ts";
import { describeStack } from "../tiff/acquisition.ts";
import { PlaneFiles } from "../tiff/plane_files.ts";
import { listed, MAX_LISTED, warnIf, type Warning } from "../warning.ts";
import { findLineSettings, type LineSettings, readPrairieSteps, readPrairieTimes } from "./calibration.ts";
import { type CycleGroup, FrameGrid, selectChannelFiles } from "./cycles.ts";
import { readPrairieReference } from "./reference_image.ts";
import type { ScanFiles } from "./scan_files.ts";

/** A document with its files. */
export interface OpenedScan {
  readonly document: FoundDocument;
  readonly files: ScanFiles;
}

/** Number of images that are tried in search of a readable one, which shows the layout. */
const MAX_TRIED = 64;

/** Describes a scene without its samples. @throws {DecodeFailed} all its images are unreadable */
export function describeCycles({ document, files }: OpenedScan, group: CycleGroup): Acquisition {
  const { scan } = document;
  const grid = new FrameGrid(scan, group);
  const { channels, warnings } = listStoredImages(grid, files);
  const images = openStoredImages(grid, files);
  const sequence = group.sequences[0]!;
  const isLine = group.axis === "line";
  const layout = isLine ? images.tallest(channels) : images.first.page;
  const { width: columns, height: rows } = layout;
  const line = isLine ? findLineSettings(scan, sequence, { rows, columns }) : null;
  const reference = isLine ? readPrairieReference(scan, sequence, { files, columns }) : NO_REFERENCE;
  const doubts: Warning[] = [];
  const calibrations = readPrairieSteps(scan, group, grid, line, doubts);
  const acquisition = describeStack(
    {
      sizes: { T: grid.times, C: channels.length, Z: grid.slices },
      layout,
      calibrations,
      names: channels.map(({ channelName }) => channelName),
      stamps: readPrairieTimes(grid),
      ...line && {
        lineScan: buildLineScan(convertStep(line.period, "s"), convertStep(line.dwell, "us")),
        plannedLines: Math.max(line.lines ?? 0, rows),
      },
      moment: scanMoment(scan.date, sequence.time),
      fileSize: files.totalSize,
      warnings: [
        ...files.warnings,
        ...warnings,
        ...warnAboutMissingImages(grid, channels, files),
        ...line === null ? [] : warnAboutLineCount(line, rows),
        ...line?.warnings ?? [],
        ...scan.warnings,
        ...doubts,
        ...reference.warnings,
      ],
      indexBytes: estimateIndexBytes(document, files),
      holds: ({ t, z, channel }) => isStored(grid.file({ t, z }, channels[channel]?.channel ?? 0), files),
      plane: ({ t, z, channel }) => {
        const wanted = channels[channel]?.channel ?? 0;
        const file = grid.file({ t, z }, wanted);
        if (file !== undefined) return images.get(file, layout, isLine);
        throw new PlaneNotFound(`the PVScan document names no image of T=${t} Z=${z} of channel ${wanted}`);
      },
    },
    images.first.tiff.first,
    files.access.stop,
  );
  return {
    ...acquisition,
    reference: reference.reference,
    files: () => [document.path, ...files.paths()],
    documents: (list) => {
      const { text } = readDocumentText(document.path, files.access, list.left);
      list.add(basename(document.path), "application/xml", text);
    },
  };
}

/** Opens the images, of which the first that can be read shows the layout. @throws {DecodeFailed} all are unreadable */
function openStoredImages(grid: FrameGrid, files: ScanFiles): PlaneFiles {
  const named = grid.frames().flatMap((frame) => frame.files);
  const stored = named.filter((file) => isStored(file, files)).take(MAX_TRIED);
  return PlaneFiles.open(stored, files.open, files.access);
}

const isStored = (file: PvFile | undefined, files: ScanFiles): boolean =>
  file !== undefined && files.sizeOf(file.name) !== null;

/** Warns if the document states fewer lines than the images have rows. */
const warnAboutLineCount = ({ lines }: Pick<LineSettings, "lines">, rows: number): Warning[] =>
  warnIf(
    typeof lines === "number" && lines < rows,
    "metadata_disagree",
    `The PVScan document states ${lines} lines, but the images have ${rows}`,
  );

/**
 * Memory of the index. 256 KiB are for settings and warnings. Attribute texts may keep the whole text of the document in memory,
 * which keeps the files and settings of each frame, too.
 */
const estimateIndexBytes = ({ size, scan }: FoundDocument, files: ScanFiles): number =>
  (256 << 10) + PlaneFiles.indexBytes + files.indexBytes + 2 * size +
  scan.sequences.reduce((sum, { frames }) => sum + frames.length * 2048, 0);

/** The first stored image of each channel, or else the first named one, in order of channel number. */
function listStoredImages(grid: FrameGrid, files: ScanFiles): { channels: PvFile[]; warnings: Warning[] } {
  const channels = new Map<number, PvFile>();
  let doubled = false;
  for (const frame of grid.frames()) {
    const named = selectChannelFiles(frame);
    doubled ||= named.length < frame.files.length;
    for (const file of named) {
      const known = channels.get(file.channel);
      if (known === undefined || !isStored(known, files) && isStored(file, files)) {
        channels.set(file.channel, file);
      }
    }
  }
  const text = "The PVScan document names several images for one channel of a frame; the first is served";
  return {
    channels: [...channels.values()].sort((a, b) => a.channel - b.channel),
    warnings: warnIf(doubled, "content_left_out", text),
  };
}

function warnAboutMissingImages(grid: FrameGrid, channels: readonly PvFile[], files: ScanFiles): Warning[] {
  let [frames, images] = [0, 0];
  const absent: string[] = [];
  for (const frame of grid.places()) {
    if (frame === undefined) frames += 1;
    for (const { channel } of frame === undefined ? [] : channels) {
      const file = frame?.files.find((one) => one.channel === channel);
      if (file !== undefined && files.sizeOf(file.name) !== null) continue;
      images += 1;
      if (file !== undefined && absent.length < MAX_LISTED) absent.push(`"${file.name}"`);
    }
  }
  const named = absent.length === 0 ? "" : `: ${listed(absent, images)}`;
  const text = `The scan was interrupted: ${frames} of ${grid.times * grid.slices} frames are missing`;
  return [
    ...warnIf(frames > 0, "planes_missing", text),
    ...warnIf(images > 0, "file_missing", `Images of this scan are missing${named}`),
  ];
}
