/** The frame on which the line of a line scan was drawn, one file for each channel. */
import { NO_REFERENCE, type ReferenceResult, referenceUnlessLost } from "../metadata/reference.ts";
import type { PvScan, PvSequence } from "../pvscan/document.ts";
import { sourceName } from "../pvscan/file_names.ts";
import { sourceSteps } from "../pvscan/source_steps.ts";
import { PlaneFiles, type ReferenceChannel, referenceOf } from "../tiff/plane_files.ts";
import { listed, warning } from "../warning.ts";
import { channelFiles } from "./cycles.ts";
import type { ScanFiles } from "./scan_files.ts";
import { scanPath } from "./scan_path.ts";

/** Describes the reference image of a cycle. @param columns of the line */
export function referenceImage(
  scan: PvScan,
  sequence: PvSequence,
  { files, columns }: { readonly files: ScanFiles; readonly columns: number },
): ReferenceResult {
  const sources: ReferenceChannel[] = [];
  const missing: string[] = [];
  const [frame] = sequence.frames;
  const channels = frame === undefined ? [] : channelFiles(frame);
  for (const [index, { name, source, channelName }] of channels.entries()) {
    const own = source ?? sourceName(name);
    if (own !== null && files.sizeOf(own) !== null) sources.push({ index, name: own, channelName });
    else if (source !== null) missing.push(`"${source}"`);
  }
  const { reference, warnings } = sources.length === 0
    ? NO_REFERENCE
    : referenceUnlessLost(() => described(scan, sequence, { sources, columns }, files));
  return {
    reference,
    warnings: [
      ...missing.length > 0
        ? [warning("file_missing", `Source images of the line are missing: ${listed(missing)}`)]
        : [],
      ...warnings,
    ],
  };
}

function described(
  scan: PvScan,
  sequence: PvSequence,
  { sources, columns }: { readonly sources: readonly ReferenceChannel[]; readonly columns: number },
  files: ScanFiles,
): ReferenceResult {
  const planes = PlaneFiles.open(sources, files.open, files.access);
  const { width, height } = planes.first.page;
  const { path, warnings } = scanPath(sequence.line, { columns: width, rows: height }, columns);
  const steps = sourceSteps(scan, sequence.cycle);
  return { reference: referenceOf(sources, planes, { steps, path }, files.access), warnings };
}
