/**
 * Zeiss CZI (ZISRAW), as ZEN and libCZI write it. Little-endian.
 *
 *     segments      16 bytes id, i64 allocated, i64 used size, data; each at a multiple of 32, in any order
 *     ZISRAWFILE    the first: GUIDs, number of the part of a split document, where the directories and metadata are
 *     ZISRAWDIRECTORY   an entry for each subblock: pixel type, place, compression, and letter, start, size and stored
 *                       size of each dimension, the one that varies fastest first
 *     ZISRAWSUBBLOCK    three sizes, its own entry once more, XML, samples, a mask
 *     ZISRAWMETADATA    XML: channels, pixel size, date
 *     ZISRAWATTDIR, ZISRAWATTACH    time stamps, embedded documents
 *
 * A plane is painted from the subblocks that hold its indices along `T`, `Z`, `C`: one, or the tiles of a mosaic in the
 * order of their `M`. `S` numbers the scenes. Overviews (pyramids) are left out. A line scan has no `Y`: its lines are time
 * points.
 *
 * Refused: complex pixels, lossless JPEG, chunks, raw data of cameras, entries of the schema DE, parts of a split document
 * without the first.
 */
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import { axesOf, calibrated, type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import {
  type Acquisition,
  type AxisLetter,
  type SceneEntry,
  type Scenes,
  sizesOf,
  type Source,
} from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { type Attachment, contentOf, readAttachments, type TimeStamps, timeStamps } from "./attachments.ts";
import { type CziDocument, readDocument } from "./document.ts";
import { type FileSet, openMain, openParts } from "./file_set.ts";
import { readXml } from "./metadata.ts";
import { planPlanes } from "./plane_plan.ts";
import { referenceImage } from "./reference_image.ts";
import {
  heldAxes,
  layOut,
  missingPlanes,
  type SceneLayout,
  servedSizes,
  spanOf,
  storedScene,
} from "./scene.ts";

/** Opens a CZI file with the other parts of its document. @throws {DecodeFailed} it is damaged or refused */
export function scenes({ path, files }: Source): Promise<Scenes> {
  return Promise.try(() => {
    const main = openMain(path, files);
    const document = readDocument(main.file, files.stop);
    const set = openParts(main, document.table, files);
    const listed = readAttachments(main.file, document.header.attachments);
    return new CziScenes({
      document,
      set,
      attachments: listed.attachments,
      warnings: [...document.warnings, ...set.warnings, ...listed.warnings],
      stop: files.stop,
    });
  });
}

/** The scenes of a document, by ascending `S`. */
class CziScenes implements Scenes {
  readonly count: number;
  readonly own = 0;
  /** Each scene has those of the document. */
  readonly warnings: readonly Warning[] = [];
  readonly #opened: OpenedDocument;

  constructor(opened: OpenedDocument) {
    this.#opened = opened;
    this.count = opened.document.scenes.length;
  }

  entries(most: number): SceneEntry[] {
    const { document: { scenes, metadata, table }, stop } = this.#opened;
    return scenes.slice(0, most).map(({ s, entries }) => {
      const name = metadata.sceneNames.get(s) ?? null;
      try {
        return { name, sizes: sizesOf(axesOf(servedSizes(layOut(table, entries, stop)), {})) };
      } catch (error) {
        if (!(error instanceof DecodeFailed)) throw error;
        return { name, sizes: {} };
      }
    });
  }

  open(scene: number): Promise<Acquisition> {
    return acquisitionOf(this.#opened, scene);
  }
}

/** A document with its files. */
interface OpenedDocument {
  readonly document: CziDocument;
  readonly set: FileSet;
  readonly attachments: readonly Attachment[];
  /** Damage of any of these. */
  readonly warnings: readonly Warning[];
  readonly stop: StopFlag;
}

/** Memory of an acquisition without subblocks, and of each channel. */
const [BASE_BYTES, CHANNEL_BYTES] = [64 << 10, 512];

/** Opens the scene of a rank. @throws {DecodeFailed | Stopped} */
async function acquisitionOf(opened: OpenedDocument, index: number): Promise<Acquisition> {
  const { document, set, attachments, stop } = opened;
  const { file, metadata, table } = document;
  const scene = storedScene(document, index, set.parts, stop);
  const { layout, channels } = scene;
  const stamps = timeStamps(file, attachments, spanOf(layout, "T"));
  const steps = calibrations(layout, metadata, stamps);
  const described = metadata.channels.length;
  const otherChannels = described > 0 && described !== layout.channels.length
    ? [
      warning(
        "metadata_disagree",
        `The metadata describe ${described} channels; ${layout.channels.length} are stored`,
      ),
    ]
    : [];
  const reference = await referenceImage(file, attachments, metadata, stop);
  return {
    axes: axesOf(servedSizes(layout), steps.calibrations),
    channels: channels.map(({ c: _c, sample: _sample, ...channel }) => channel),
    ...metadata.moment,
    files: () => set.paths,
    fileSize: set.bytes,
    reference: reference.reference,
    lineScan: layout.rowAxis === "T"
      ? lineScanOf(steps.calibrations.Y, calibrated(metadata.pixelTime, "s"))
      : null,
    warnings: [
      ...opened.warnings,
      ...heldAxes(layout).map((letter) =>
        warning(
          "axis_reduced",
          `Axis ${letter} has ${spanOf(layout, letter).size} indices; only the first is served`,
        )
      ),
      ...missingPlanes(table, layout),
      ...otherChannels,
      ...steps.warnings,
      ...stamps.warnings,
      ...reference.warnings,
    ],
    times: stamps.times,
    indexBytes: BASE_BYTES + table.bytes + 8 * table.length + CHANNEL_BYTES * channels.length,
    documents: (list) => addDocuments(list, opened),
    plan: (wanted, position, rows) => planPlanes(scene, wanted, position, rows),
  };
}

function calibrations(
  { rowAxis, spans }: SceneLayout,
  { steps, interval }: CziDocument["metadata"],
  stamps: TimeStamps,
): {
  readonly calibrations: Partial<Record<AxisLetter, Calibration>>;
  readonly warnings: readonly Warning[];
} {
  const series = (spans.get("T")?.size ?? 1) > 1;
  const seconds = series ? stamps.step ?? interval() : null;
  const time = seconds === null ? {} : { T: { step: seconds, unit: "seconds" } };
  const { Y: _Y, Z: _Z, ...columns } = steps;
  if (rowAxis === "T") {
    const { T, ...rest } = { ...steps, ...time };
    const unknown = T ? [] : [warning("step_unknown", "The file does not state the time between lines")];
    return { calibrations: { ...rest, Y: T ?? UNCALIBRATED }, warnings: unknown };
  }
  if (rowAxis === "Z") {
    const section = [warning("axis_replaced", "The image has no Y axis: rows run along Z")];
    return { calibrations: { ...columns, ...time, Y: steps.Z ?? UNCALIBRATED }, warnings: section };
  }
  return { calibrations: { ...steps, ...time }, warnings: [] };
}

/** Types of XML attachments: experiment, hardware, multiview, fibres. */
const XML_TYPES: readonly string[] = ["CZEXP", "CZHWS", "CZMVM", "CZFBMX"];

function addDocuments(list: DocumentList, { document: { file, header }, attachments }: OpenedDocument): void {
  list.add("metadata", "application/xml", readXml(file, header));
  for (const attachment of attachments) {
    if (!XML_TYPES.includes(attachment.type)) continue;
    const content = contentOf(file, attachment);
    list.require(content.size);
    const text = new TextDecoder().decode(content.read(0, content.size, content.name));
    list.add(attachment.name, "application/xml", text);
  }
}
