/** A scene of a document as an acquisition. */
import { axesOf, calibrated, type Calibration, UNCALIBRATED } from "../metadata/axes.ts";
import { lineScanOf } from "../metadata/line_scan.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { StopFlag } from "../io/stop_flag.ts";
import type { Acquisition, AxisLetter } from "../reader.ts";
import { type Warning, warning } from "../warning.ts";
import { type Attachment, contentOf, type TimeStamps, timeStamps } from "./attachments.ts";
import type { CziDocument } from "./document.ts";
import type { FileSet } from "./file_set.ts";
import { readXml } from "./metadata.ts";
import { planPlanes } from "./plane_plan.ts";
import { referenceImage } from "./reference_image.ts";
import { storedScene } from "./scene.ts";
import { heldAxes, missingPlanes, type SceneLayout, servedSizes, spanOf } from "./scene_layout.ts";

/** A document with its files. */
export interface OpenedDocument {
  /** The document. */
  readonly document: CziDocument;
  /** Its files. */
  readonly set: FileSet;
  /** Its attachments. */
  readonly attachments: readonly Attachment[];
  /** Damage of any of these. */
  readonly warnings: readonly Warning[];
  /** Stops reading. */
  readonly stop: StopFlag;
}

/** Memory of an acquisition without subblocks, and of each channel. */
const [BASE_BYTES, CHANNEL_BYTES] = [64 << 10, 512];

/** Opens the scene of a rank. @throws {DecodeFailed | Stopped} */
export async function acquisitionOf(opened: OpenedDocument, index: number): Promise<Acquisition> {
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
