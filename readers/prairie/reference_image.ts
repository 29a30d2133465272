/** The frame on which the line of a line scan was drawn, one file for each channel. */
import { DecodeFailed, isLoss, PlaneNotFound } from "../errors.ts";
import type { PvScan, PvSequence } from "../pvscan/document.ts";
import { sourceName } from "../pvscan/file_names.ts";
import { sourceSteps } from "../pvscan/source_steps.ts";
import { FIRST_POSITION, type Reference } from "../reader.ts";
import { acquisitionOf } from "../tiff/acquisition.ts";
import { type Warning, warning } from "../warning.ts";
import type { ScanFiles } from "./scan_files.ts";
import { channelFiles } from "./cycles.ts";
import { PlaneImages } from "./plane_images.ts";
import { scanPath } from "./scan_path.ts";

/** The reference image, or `null` and why a stored one is left out. */
export interface ReferenceResult {
  /** The image, or `null`. */
  readonly reference: Reference | null;
  /** What is missing of it. */
  readonly warnings: readonly Warning[];
}

/** One channel of it. */
interface SourceFile {
  /** Index of its channel among those that the document names. */
  readonly index: number;
  readonly name: string;
  readonly channelName: string | null;
}

/** Describes the reference image of a cycle. @param columns of the line */
export function referenceImage(
  scan: PvScan,
  sequence: PvSequence,
  { files, columns }: { readonly files: ScanFiles; readonly columns: number },
): ReferenceResult {
  const sources: SourceFile[] = [];
  const missing: string[] = [];
  const [frame] = sequence.frames;
  for (
    const [index, { name, source, channelName }] of (frame === undefined ? [] : channelFiles(frame)).entries()
  ) {
    const own = source ?? sourceName(name);
    if (own !== null && files.sizeOf(own) !== null) sources.push({ index, name: own, channelName });
    else if (source !== null) missing.push(source);
  }
  const [first, ...more] = missing;
  const warnings = first === undefined ? [] : [
    warning(
      "file_missing",
      `Source images of the line are missing: "${first}"${more.length > 0 ? ` and ${more.length} more` : ""}`,
    ),
  ];
  if (sources.length === 0) return { reference: null, warnings };
  try {
    const { reference, doubts } = described(scan, sequence, { sources, columns }, files);
    return { reference, warnings: [...warnings, ...doubts] };
  } catch (error) {
    if (!(isLoss(error) || error instanceof PlaneNotFound)) throw error;
    return {
      reference: null,
      warnings: [
        ...warnings,
        warning("reference_unreadable", `The reference image cannot be read: ${error.message}`),
      ],
    };
  }
}

function described(
  scan: PvScan,
  sequence: PvSequence,
  { sources, columns }: { readonly sources: readonly SourceFile[]; readonly columns: number },
  { folder, access }: ScanFiles,
): { readonly reference: Reference; readonly doubts: readonly Warning[] } {
  const images = PlaneImages.open(sources.map(({ name }) => ({ name, page: 0 })), folder, access);
  const { page: layout, tiff } = images.first;
  const { y, x } = sourceSteps(scan, sequence.cycle);
  const { lineRoi, scanPath: path, warnings } = scanPath(
    sequence.line,
    { columns: layout.width, rows: layout.height },
    columns,
  );
  const acquisition = acquisitionOf(
    {
      sizes: { T: 1, C: sources.length, Z: 1 },
      layout,
      calibrations: { Y: y, X: x },
      names: sources.map(({ channelName }) => channelName),
      moment: { date: "", time: "" },
      fileSize: 0,
      warnings: [],
      plane: ({ channel }) => {
        const name = sources[channel]?.name ?? "";
        try {
          return images.get({ name, page: 0 }, layout);
        } catch (error) {
          // The caller has a warning for what cannot be decoded.
          throw error instanceof PlaneNotFound ? new DecodeFailed(error.message, { cause: error }) : error;
        }
      },
    },
    tiff.first,
    access.stop,
  );
  return {
    reference: {
      axes: [{ name: "Y", size: layout.height, ...y }, { name: "X", size: layout.width, ...x }],
      // A missing file renumbers no other channel.
      channels: acquisition.channels.map((channel, i) => ({ ...channel, index: sources[i]!.index })),
      lineRoi,
      scanPath: path,
      plan: () => acquisition.plan(acquisition.channels.map(({ index }) => index), FIRST_POSITION),
    },
    doubts: warnings,
  };
}
