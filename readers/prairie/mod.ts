/**
 * Prairie View 4 and 5 of Bruker (Prairie Technologies): a folder with one XML document and plain TIFF images.
 *
 *   NAME.xml                              `PVScan`: sequences (cycles) of frames, with one TIFF image per channel of a frame
 *   NAME_Cycle00001_Ch1_000001.ome.tif    image; in a line scan its rows are lines in time. Further pages may hold other images
 *   NAME-Cycle00001_Ch1Source.tif         frame on which the line was drawn, the reference image
 *   NAME.env, *_MarkPoints.xml, ...       settings, stimulation, voltages: not read
 *   CYCLE_000001_RAWDATA_000001           samples that are not converted yet: refused
 *
 * A line scan has one scene per sequence. Sequences of a series with equal frames at one stage position are the time points of
 * one scene. Steps, times, names and date come from the document, since in the TIFF files they are wrong or
 * constant. Refused: a document whose images are all missing, images unlike the first one.
 */
import { basename, dirname } from "node:path";
import { DecodeFailed, NoImage } from "../errors.ts";
import {
  findScanDocument,
  findWrittenName,
  type FoundDocument,
  isRawData,
  readScanDocument,
} from "../metadata/pvscan_files.ts";
import type { FileAccess } from "../io/file_access.ts";
import { oneScene, type Scenes, type Source } from "../reader.ts";
import { listed, warnIf } from "../warning.ts";
import { type CycleGroup, groupSequences } from "./cycles.ts";
import { ScanFiles } from "./scan_files.ts";
import { describeCycles, type OpenedScan } from "./scene_image.ts";

/** Opens the document of a scan, or the scan that an image is part of. @throws {DecodeFailed} it is damaged or not supported */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const document = openScanDocument(path, files);
    const opened = { document, files: new ScanFiles(document, files) };
    const groups = groupSequences(document.scan);
    const isHeld = (group: CycleGroup) => holdsImages(group, opened.files);
    const { held = [], left = [] } = Object.groupBy(groups, (group) => isHeld(group) ? "held" : "left");
    if (held.length === 0) throw new DecodeFailed(withoutImages(opened, files));
    // If only one of several cycles is left, it keeps its number.
    if (groups.length === 1) return oneScene(describeCycles(opened, held[0]!));
    const sequence = document.images.get(findWrittenName(path, document, files) ?? "") ?? -1;
    const without = `Cycles without images are left out: ${listed(left.map(nameCycles))}`;
    return {
      count: held.length,
      own: Math.max(0, held.findIndex(({ indices }) => indices.includes(sequence))),
      warnings: warnIf(left.length > 0, "scenes_left_out", without),
      // The document also states sizes, but images may have others.
      entries: (most) => held.slice(0, most).map((group) => ({ name: nameCycles(group), sizes: {} })),
      open: (scene) => Promise.try(() => describeCycles(opened, held[scene]!)),
    };
  });
}

function openScanDocument(path: string, files: FileAccess): FoundDocument {
  const found = findScanDocument(path, files)?.found ?? readScanDocument(path, files);
  if (!("reason" in found)) return found;
  throw new NoImage(`the file is an image of Prairie View, but ${found.reason}`);
}

const holdsImages = ({ sequences }: CycleGroup, files: ScanFiles) =>
  sequences.flatMap(({ frames }) => frames)
    .some((frame) => frame.files.some(({ name }) => files.sizeOf(name) !== null));

function withoutImages({ document, files }: OpenedScan, access: FileAccess): string {
  const [name] = document.images.keys();
  if (name === undefined) return "the PVScan document names no images";
  const raw = access.list(dirname(document.path)).find(isRawData);
  return raw === undefined
    ? `none of the images that the PVScan document names is in ${basename(files.folder)}: "${name}"`
    : `its images were not made yet: "${raw}" is raw data, which Prairie View converts with its Image-Block Ripping Utility`;
}

/** Name of a scene: `Cycle 3`, `Cycles 1 to 20`. */
function nameCycles({ sequences, indices }: CycleGroup): string {
  const number = (at: number) => sequences.at(at)?.cycle ?? (indices.at(at) ?? 0) + 1;
  return sequences.length > 1 ? `Cycles ${number(0)} to ${number(-1)}` : `Cycle ${number(0)}`;
}
